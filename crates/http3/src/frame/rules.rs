//! Which frames may come on which stream (RFC 9114 §7, table 1), and how they are read.

use super::kind;
use crate::error::{Code, Error, Scope};
use crate::side::Side;

/// The kind of stream that frames are read from, and the end that reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// A request stream.
    Request(Side),
    /// The peer's control stream.
    Control(Side),
}

/// How a frame's payload is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handling {
    /// Handed out as it arrives.
    Stream,
    /// Gathered and handed out whole.
    Collect,
    /// Passed over.
    Skip,
}

impl StreamKind {
    /// How a frame of type `frame`, the stream's `first` or a later one, is read here, or why it
    /// must not come.
    pub(super) fn handling(self, frame: u64, first: bool) -> Result<Handling, Error> {
        match (self, frame) {
            (StreamKind::Control(_), _) if first && frame != kind::SETTINGS => {
                Err(Error::connection(
                    Code::MissingSettings,
                    "the control stream does not begin with SETTINGS",
                ))
            }
            (_, 0x02 | 0x06 | 0x08 | 0x09) => Err(unexpected("a frame type of HTTP/2")),
            (StreamKind::Request(_), kind::DATA) => Ok(Handling::Stream),
            (StreamKind::Request(_), kind::HEADERS) => Ok(Handling::Collect),
            (StreamKind::Request(Side::Client), kind::PUSH_PROMISE) => Err(Error::connection(
                Code::IdError,
                "a push that was never permitted",
            )),
            (
                StreamKind::Request(_),
                kind::PUSH_PROMISE
                | kind::CANCEL_PUSH
                | kind::SETTINGS
                | kind::GOAWAY
                | kind::MAX_PUSH_ID
                | kind::PRIORITY_UPDATE_REQUEST
                | kind::PRIORITY_UPDATE_PUSH,
            ) => Err(unexpected("a control frame on a request stream")),
            (StreamKind::Control(_), kind::DATA | kind::HEADERS | kind::PUSH_PROMISE) => {
                Err(unexpected("a message's frame on the control stream"))
            }
            (
                StreamKind::Control(Side::Client),
                kind::MAX_PUSH_ID | kind::PRIORITY_UPDATE_REQUEST | kind::PRIORITY_UPDATE_PUSH,
            ) => Err(unexpected("a frame that only clients may send")),
            (
                StreamKind::Control(_),
                kind::CANCEL_PUSH
                | kind::SETTINGS
                | kind::GOAWAY
                | kind::MAX_PUSH_ID
                | kind::PRIORITY_UPDATE_REQUEST
                | kind::PRIORITY_UPDATE_PUSH,
            ) => Ok(Handling::Collect),
            _ => Ok(Handling::Skip),
        }
    }

    /// What an oversized frame costs.
    pub(super) fn oversized(self) -> Error {
        Error {
            code: Code::ExcessiveLoad,
            reason: "a frame larger than allowed",
            scope: match self {
                StreamKind::Request(_) => Scope::Stream,
                StreamKind::Control(_) => Scope::Connection,
            },
        }
    }
}

const fn unexpected(reason: &'static str) -> Error {
    Error::connection(Code::FrameUnexpected, reason)
}
