//! A recorded site: what each of its hosts answered, as the control plane made it ready (`answers.json`, and the bodies
//! beside it), and which of these answers a request gets.

mod answers;
mod matching;
mod varying;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use pronghorn_http::h3::response_head;
use pronghorn_http::recorded_headers;
use serde::Deserialize;

use crate::site::{self, SiteError};

pub(crate) use answers::RecordedAnswers;

/// The folder of its bodies.
const BODIES: &str = "bodies";

/// The longest that a server may have taken for an answer, in seconds: a day.
const MOST_THINK_S: f64 = 86_400.0;

/// A recorded site, held in memory.
#[derive(Debug)]
pub struct Recorded {
    exchanges: Vec<Exchange>,
}

/// A request that was recorded, and what it was answered.
#[derive(Debug)]
struct Exchange {
    host: String,
    method: Method,
    /// Path and query as they were sent.
    target: String,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// What the server took for it.
    think: Duration,
}

/// Why a folder can't be a recorded site.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// A file can't be read, or is too large.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The table isn't as it has to be.
    #[error("the recorded site's {path}: {problem}", path = path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// An exchange as the table has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    host: String,
    method: String,
    target: String,
    status: u16,
    headers: Vec<(String, String)>,
    /// Its file's name in the folder of bodies.
    body: Option<String>,
    think_s: f64,
}

impl Recorded {
    /// The table's name.
    pub const TABLE: &str = "answers.json";

    /// Reads the table and the bodies in `root`.
    pub fn read(root: &Path) -> Result<Recorded, RecordedError> {
        let path = root.join(Recorded::TABLE);
        let text = site::content(&path)?;
        let wrong = |problem: String| RecordedError::Table {
            path: path.clone(),
            problem,
        };
        let lines: Vec<Line> =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let mut bodies = HashMap::new();
        let mut exchanges = Vec::with_capacity(lines.len());
        for (place, line) in lines.into_iter().enumerate() {
            let body = match &line.body {
                None => Bytes::new(),
                Some(name) => body(root, name, &mut bodies)?,
            };
            let exchange = Exchange::new(line, body);
            exchanges
                .push(exchange.map_err(|problem| wrong(format!("exchange {place}: {problem}")))?);
        }
        Ok(Recorded { exchanges })
    }
}

impl Exchange {
    /// Of a line with its body; an error says what of it can't be sent.
    fn new(line: Line, body: Bytes) -> Result<Exchange, String> {
        let headers = recorded_headers(&line.headers)?;
        let status = StatusCode::from_u16(line.status)
            .map_err(|_| format!("{} is no status", line.status))?;
        // So that an answer of it can be made without fail.
        response_head(status, &headers, body.len()).map_err(|error| error.to_string())?;
        let no_method = |_| format!("`{}` is no method", line.method);
        if !(0.0..=MOST_THINK_S).contains(&line.think_s) {
            return Err(format!(
                "think_s = {}; allowed is 0 to {MOST_THINK_S}",
                line.think_s
            ));
        }
        Ok(Exchange {
            host: line.host,
            method: line.method.parse().map_err(no_method)?,
            target: line.target,
            status,
            headers,
            body,
            think: Duration::from_secs_f64(line.think_s),
        })
    }
}

/// A body, each of which is read once.
fn body(
    root: &Path,
    name: &str,
    known: &mut HashMap<String, Bytes>,
) -> Result<Bytes, RecordedError> {
    if let Some(body) = known.get(name) {
        return Ok(body.clone());
    }
    let path = root.join(BODIES).join(name);
    // A name is a file's in that folder, and no way out of it.
    if name.contains('/') || name.starts_with('.') {
        let problem = "this is no name of a body".to_owned();
        return Err(RecordedError::Table { path, problem });
    }
    let body = site::content(&path)?;
    known.insert(name.to_owned(), body.clone());
    Ok(body)
}
