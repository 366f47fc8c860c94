//! Why a resource could not be had, by one set of names for all three protocols.

use std::error::Error;
use std::io;
use std::time::Duration;

use pronghorn_http::h3::{Ended, EndedBy, H3Error};
use pronghorn_http3::Code;

use crate::record::Reason;

/// A failure of one request.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) reason: Reason,
    pub(crate) detail: String,
    /// The server has certainly not acted on the request, so it may be made again (RFC 9113 §8.7,
    /// RFC 9114 §4.1.1).
    pub(super) repeatable: bool,
}

impl Failure {
    pub(crate) fn new(reason: Reason, detail: impl ToString) -> Self {
        let detail = detail.to_string();
        Failure {
            reason,
            detail,
            repeatable: false,
        }
    }

    /// The time limit ran out before `path` and so many others were complete.
    pub(crate) fn timeout(path: &str, others: usize, limit: Duration) -> Self {
        let others = match others {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        let limit_s = limit.as_secs_f64();
        let detail = format!("{path}{others} not complete after {limit_s} s");
        Failure::new(Reason::Timeout, detail)
    }
}

impl From<hyper::Error> for Failure {
    fn from(error: hyper::Error) -> Self {
        let h2 = chain(&error).find_map(|cause| cause.downcast_ref::<h2::Error>());
        let io = chain(&error).find_map(|cause| cause.downcast_ref::<io::Error>());
        // The h2 crate tells a body of another length than announced by this code of its own.
        let wrong_length =
            h2.is_some_and(|h2| h2.is_library() && h2.reason() == Some(h2::Reason::PROTOCOL_ERROR));
        let cut_short = io.is_some_and(|io| io.kind() == io::ErrorKind::UnexpectedEof);
        let refused = h2.is_some_and(|h2| match h2.reason() {
            Some(h2::Reason::REFUSED_STREAM) => h2.is_reset(),
            Some(h2::Reason::NO_ERROR) => h2.is_go_away(),
            _ => false,
        });
        Failure {
            reason: if wrong_length || cut_short {
                Reason::Incomplete
            } else {
                Reason::Reset
            },
            detail: chain(&error)
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(": "),
            repeatable: refused || error.is_canceled(),
        }
    }
}

impl From<H3Error> for Failure {
    fn from(error: H3Error) -> Self {
        let reason = match &error {
            H3Error::Protocol(error)
                if matches!(error.code, Code::MessageError | Code::FrameError) =>
            {
                Reason::Incomplete
            }
            H3Error::Connection(error) => connection_reason(error.by, Reason::Reset),
            _ => Reason::Reset,
        };
        let rejected = Code::RequestRejected.to_u64();
        let repeatable = match &error {
            H3Error::GoingAway => true,
            H3Error::Reset(code) | H3Error::Stopped(code) => *code == rejected,
            _ => false,
        };
        Failure {
            reason,
            detail: error.to_string(),
            repeatable,
        }
    }
}

/// A connection that could not be made.
impl From<Ended> for Failure {
    fn from(ended: Ended) -> Self {
        let reason = connection_reason(ended.by, Reason::Connect);
        Failure::new(reason, ended)
    }
}

/// What the end of a QUIC connection means: silence is a time-out, a TLS alert TLS's failure, everything else as given.
fn connection_reason(by: EndedBy, otherwise: Reason) -> Reason {
    match by {
        EndedBy::Silence => Reason::Timeout,
        EndedBy::Tls => Reason::Tls,
        EndedBy::Other => otherwise,
    }
}

/// An error and what caused it, outermost first.
fn chain<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}
