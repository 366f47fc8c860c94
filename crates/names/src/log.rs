//! What a name server was asked.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Question;

/// One question to the name server.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct LoggedQuery {
    /// The name in lower case, without the last dot.
    pub name: String,
    /// The type of record: `A`, `HTTPS`, …, `TYPE65400`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it came, in seconds since the server's start.
    pub at_s: f64,
}

/// The questions that a server has answered, in the order in which they came; clones share them.
#[derive(Clone, Debug)]
pub struct QueryLog {
    started: Instant,
    queries: Arc<Mutex<Vec<LoggedQuery>>>,
}

impl QueryLog {
    /// An empty log, whose time begins now.
    pub(crate) fn start() -> QueryLog {
        QueryLog {
            started: Instant::now(),
            queries: Arc::default(),
        }
    }

    /// All questions so far.
    #[must_use]
    pub fn queries(&self) -> Vec<LoggedQuery> {
        self.queries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn note(&self, Question { name, kind }: Question) {
        let at_s = self.started.elapsed().as_secs_f64();
        self.queries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(LoggedQuery { name, kind, at_s });
    }
}
