//! Which request was served over which protocol: one by one, or counted.

use std::time::Instant;

use http::{Method, StatusCode};
use pronghorn_http::Protocol;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::matched::Match;

/// What an origin keeps of what it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogKeeping {
    /// Every request and every connection, some 200 bytes each.
    #[default]
    Requests,
    /// Counts of both by kind, and the first 100 connections, in bounded memory.
    Counts,
}

/// One request as the origin saw it.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "ServedRequest")]
pub struct LogEntry {
    /// Its method.
    pub method: String,
    /// The host that it named, without a port. Null where the origin serves a folder, which has no hosts, or refused it
    /// as early (425).
    pub host: Option<String>,
    /// Path and query as requested.
    pub path: String,
    /// The protocol on which the request came.
    pub protocol: Protocol,
    /// Status of the answer.
    pub status: u16,
    /// Bytes of the answer's body.
    pub bytes: u64,
    /// Whether it came as early data: over TCP the last byte of its head did, over QUIC its stream came before the client's
    /// handshake was done.
    pub early: bool,
    /// How its answer was found in the recording. Null where the origin serves a folder, or refused the request as
    /// early (425).
    pub matched: Option<Match>,
    /// Seconds from the origin's start to the request's arrival.
    pub arrived_s: f64,
    /// Seconds from its arrival until the last byte of its answer was handed to the transport (engine.md). Null where the
    /// connection ended before.
    pub served_s: Option<f64>,
}

/// How many requests there were of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct RequestCount {
    /// The protocol on which they came.
    pub protocol: Protocol,
    /// Status of their answers.
    pub status: u16,
    /// Whether they came as early data.
    pub early: bool,
    /// Whether the connection ended before the answer was handed over.
    pub cut_off: bool,
    /// How many they were.
    pub requests: u64,
    /// Bytes of their answers' bodies.
    pub bytes: u64,
}

/// What was asked for, where it is kept.
pub(crate) struct Asked {
    method: String,
    host: String,
    path: String,
}

/// An answered request, on its way into the log.
pub(crate) struct Served {
    pub(crate) asked: Option<Asked>,
    pub(crate) matched: Option<Match>,
    pub(crate) protocol: Protocol,
    pub(crate) status: StatusCode,
    /// Of the answer's body.
    pub(crate) bytes: usize,
    pub(crate) early: bool,
    pub(crate) arrived: Instant,
}

/// The requests so far.
#[derive(Debug)]
pub(super) struct Requests {
    started: Instant,
    entries: Vec<LogEntry>,
    counts: Vec<RequestCount>,
}

impl Asked {
    pub(super) fn new(method: &Method, host: &str, target: &str) -> Asked {
        Asked {
            method: method.as_str().to_owned(),
            host: host.to_owned(),
            path: target.to_owned(),
        }
    }
}

impl Requests {
    /// None yet; the clock starts now.
    pub(super) fn new() -> Requests {
        Requests {
            started: Instant::now(),
            entries: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Notes a request: one whose answer was handed over just now, or was cut off.
    pub(super) fn note(&mut self, served: Served, cut_off: bool) {
        self.count(&served, cut_off);
        let Some(Asked { method, host, path }) = served.asked else {
            return;
        };
        let served_s = (!cut_off).then(|| served.arrived.elapsed().as_secs_f64());
        self.entries.push(LogEntry {
            method,
            host: served.matched.map(|_| host),
            path,
            matched: served.matched,
            protocol: served.protocol,
            status: served.status.as_u16(),
            bytes: served.bytes as u64,
            early: served.early,
            arrived_s: (served.arrived - self.started).as_secs_f64(),
            served_s,
        });
    }

    fn count(&mut self, served: &Served, cut_off: bool) {
        let (status, bytes) = (served.status.as_u16(), served.bytes as u64);
        let alike = self.counts.iter_mut().find(|count| {
            count.status == status
                && count.protocol == served.protocol
                && count.early == served.early
                && count.cut_off == cut_off
        });
        if let Some(count) = alike {
            count.requests += 1;
            count.bytes += bytes;
            return;
        }
        self.counts.push(RequestCount {
            protocol: served.protocol,
            status,
            early: served.early,
            cut_off,
            requests: 1,
            bytes,
        });
    }

    pub(super) fn entries(&self) -> Vec<LogEntry> {
        self.entries.clone()
    }

    pub(super) fn counts(&self) -> Vec<RequestCount> {
        self.counts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(asked: Option<Asked>, protocol: Protocol, bytes: usize) -> Served {
        Served {
            asked,
            matched: None,
            protocol,
            status: StatusCode::OK,
            bytes,
            early: false,
            arrived: Instant::now(),
        }
    }

    #[test]
    fn requests_are_counted_by_kind_and_entered_where_they_are_kept() {
        let mut requests = Requests::new();
        for _ in 0..1000 {
            requests.note(served(None, Protocol::H2, 612), false);
            requests.note(served(None, Protocol::H3, 5), false);
        }
        let asked = Asked::new(&Method::GET, "", "/a");
        requests.note(served(Some(asked), Protocol::H2, 7), true);
        let counts = requests.counts();
        let told = counts
            .iter()
            .map(|c| (c.protocol, c.cut_off, c.requests, c.bytes));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                (Protocol::H2, false, 1000, 612_000),
                (Protocol::H3, false, 1000, 5000),
                (Protocol::H2, true, 1, 7),
            ]
        );
        let entries = requests.entries();
        let told = entries.iter().map(|e| (e.path.as_str(), e.served_s));
        assert_eq!(told.collect::<Vec<_>>(), [("/a", None)]);
    }
}
