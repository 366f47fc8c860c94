//! The requests of a recorded page, as the control plane made them ready (`requests.json`).

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use http::{HeaderMap, Method};
use pronghorn_http::recorded_headers;
use pronghorn_page::Kind;
use serde::Deserialize;

use crate::budget::MOST_RESOURCES;

/// The longest that a browser may have computed before a request, in seconds: a day.
const MOST_COMPUTE_S: f64 = 86_400.0;

/// Bytes of a request's content (256 MiB), as an archive may hold.
const MOST_CONTENT: usize = 256 << 20;

/// The requests in the order of their recorded start; the first one is the page's.
#[derive(Debug, Clone)]
pub struct Steps(pub(super) Vec<Step>);

/// Why requests can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the recorded page's {path}: {problem}", path = path.display())]
pub struct StepsError {
    path: PathBuf,
    problem: String,
}

/// One request, and what its answer has to be.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) host: String,
    pub(super) method: Method,
    pub(super) target: String,
    pub(super) headers: HeaderMap,
    /// Bytes of its content.
    pub(super) content_bytes: usize,
    pub(super) kind: Kind,
    /// Its priority as the recorded browser had it, or as the site was rewritten.
    pub(super) urgency: Option<u8>,
    pub(super) incremental: Option<bool>,
    pub(super) status: u16,
    /// Bytes of the answer's body.
    pub(super) bytes: u64,
    pub(super) cause: Cause,
    /// What is computed before it.
    pub(super) compute: Duration,
}

/// What sets off a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The navigation.
    Start,
    /// The head of another request's answer.
    Head(usize),
    /// So many decoded bytes of its body.
    Bytes(usize, u64),
    /// Its end.
    End(usize),
}

/// A request as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    host: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    content_bytes: usize,
    kind: Kind,
    urgency: Option<u8>,
    incremental: Option<bool>,
    status: u16,
    bytes: u64,
    /// The place of the request whose answer sets this one off.
    initiator: Option<usize>,
    /// What of that answer.
    upon: Upon,
    /// Of `bytes`: how many, decoded.
    upon_bytes: Option<u64>,
    compute_s: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Upon {
    Head,
    Bytes,
    End,
}

impl Steps {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Steps, StepsError> {
        let wrong = |problem: String| StepsError {
            path: path.to_owned(),
            problem,
        };
        let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let lines: Vec<Line> =
            serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        if lines.is_empty() || lines.len() > MOST_RESOURCES {
            let problem = format!(
                "it has {} requests; allowed are 1 to {MOST_RESOURCES}",
                lines.len()
            );
            return Err(wrong(problem));
        }
        let steps = lines.into_iter().enumerate().map(|(place, line)| {
            let step = Step::new(place, line);
            step.map_err(|problem| wrong(format!("request {place}: {problem}")))
        });
        Ok(Steps(steps.collect::<Result<_, _>>()?))
    }

    /// The names of the hosts, each once, the document's first.
    pub(super) fn hosts(&self) -> Vec<Rc<str>> {
        let mut names: Vec<Rc<str>> = Vec::new();
        for step in &self.0 {
            if !names.iter().any(|name| **name == *step.host) {
                names.push(step.host.as_str().into());
            }
        }
        names
    }
}

impl Step {
    fn new(place: usize, line: Line) -> Result<Step, String> {
        let cause = match (line.initiator, line.upon, line.upon_bytes) {
            (None, ..) if place == 0 => Cause::Start,
            (Some(_), ..) if place == 0 => {
                return Err("the first request is the page's, which none sets off".to_owned());
            }
            (Some(other), Upon::Head, _) if other < place => Cause::Head(other),
            (Some(other), Upon::End, _) if other < place => Cause::End(other),
            (Some(other), Upon::Bytes, Some(bytes)) if other < place => Cause::Bytes(other, bytes),
            (Some(_), Upon::Bytes, None) => {
                return Err("`upon` = bytes needs `upon_bytes`".to_owned());
            }
            _ => return Err("it is set off by no request before it".to_owned()),
        };
        if !(0.0..=MOST_COMPUTE_S).contains(&line.compute_s) {
            return Err(format!(
                "compute_s = {}; allowed is 0 to {MOST_COMPUTE_S}",
                line.compute_s
            ));
        }
        if line.content_bytes > MOST_CONTENT {
            return Err(format!(
                "content_bytes = {}; allowed is 0 to {MOST_CONTENT}",
                line.content_bytes
            ));
        }
        let no_method = |_| format!("`{}` is no method", line.method);
        Ok(Step {
            host: line.host,
            method: line.method.parse().map_err(no_method)?,
            target: line.target,
            headers: recorded_headers(&line.headers)?,
            content_bytes: line.content_bytes,
            kind: line.kind,
            urgency: line.urgency,
            incremental: line.incremental,
            status: line.status,
            bytes: line.bytes,
            cause,
            compute: Duration::from_secs_f64(line.compute_s),
        })
    }
}
