//! What the engine answers: a result, or an error of one of three kinds.

use serde::Serialize;
use serde_json::{Value, json};

/// Why a request failed, by who can do something about it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The request is wrong.
    Input,
    /// This host can't.
    Host,
    /// Something broke while measuring.
    Bench,
}

/// A request that failed.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    kind: Kind,
    message: String,
    mend: Option<String>,
}

impl Fault {
    pub(crate) fn input(message: impl ToString) -> Self {
        Fault {
            kind: Kind::Input,
            message: message.to_string(),
            mend: None,
        }
    }

    pub(crate) fn bench(message: impl ToString) -> Self {
        Fault {
            kind: Kind::Bench,
            message: message.to_string(),
            mend: None,
        }
    }

    pub(crate) fn host(message: impl ToString, mend: Option<String>) -> Self {
        Fault {
            kind: Kind::Host,
            message: message.to_string(),
            mend,
        }
    }
}

/// One line of answer.
pub(crate) fn line(id: Option<u64>, result: Result<Value, Fault>) -> String {
    match result {
        Ok(ok) => json!({ "id": id, "ok": ok }),
        Err(fault) => json!({ "id": id, "error": fault }),
    }
    .to_string()
}
