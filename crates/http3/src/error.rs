//! Error codes and errors of HTTP/3 and QPACK.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $value:literal, $name:literal;)*) => {
        /// An application error code, as sent in `RESET_STREAM`, `STOP_SENDING` and
        /// `CONNECTION_CLOSE` (RFC 9114 §8.1, RFC 9204 §6).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* $variant,)*
            /// A code that neither RFC defines; to be treated as `H3_NO_ERROR` (RFC 9114 §9).
            Other(u64),
        }

        impl Code {
            /// Every code that the RFCs define.
            pub const DEFINED: &'static [Code] = &[$(Code::$variant),*];

            /// The code on the wire.
            #[must_use]
            pub const fn to_u64(self) -> u64 {
                match self {
                    $(Code::$variant => $value,)*
                    Code::Other(value) => value,
                }
            }

            /// The code for a value from the wire.
            #[must_use]
            pub const fn from_u64(value: u64) -> Self {
                match value {
                    $($value => Code::$variant,)*
                    other => Code::Other(other),
                }
            }

            /// The name in the RFC, as `H3_NO_ERROR`; `None` for a code that it doesn't define.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Code::$variant => Some($name),)*
                    Code::Other(_) => None,
                }
            }
        }
    };
}

codes! {
    /// Nothing is wrong; the connection or stream is simply no longer needed.
    NoError = 0x100, "H3_NO_ERROR";
    /// The peer broke the protocol in a way no other code describes.
    GeneralProtocolError = 0x101, "H3_GENERAL_PROTOCOL_ERROR";
    /// This endpoint has a fault of its own.
    InternalError = 0x102, "H3_INTERNAL_ERROR";
    /// The peer opened a stream that it must not open.
    StreamCreationError = 0x103, "H3_STREAM_CREATION_ERROR";
    /// A stream that the connection needs was closed or reset.
    ClosedCriticalStream = 0x104, "H3_CLOSED_CRITICAL_STREAM";
    /// A frame came on a stream, or in a state, in which it is not permitted.
    FrameUnexpected = 0x105, "H3_FRAME_UNEXPECTED";
    /// A frame's layout or size is wrong.
    FrameError = 0x106, "H3_FRAME_ERROR";
    /// The peer makes this endpoint do too much work.
    ExcessiveLoad = 0x107, "H3_EXCESSIVE_LOAD";
    /// A stream or push identifier was used wrongly.
    IdError = 0x108, "H3_ID_ERROR";
    /// The payload of a SETTINGS frame is wrong.
    SettingsError = 0x109, "H3_SETTINGS_ERROR";
    /// The control stream did not begin with SETTINGS.
    MissingSettings = 0x10a, "H3_MISSING_SETTINGS";
    /// The server did not process the request at all.
    RequestRejected = 0x10b, "H3_REQUEST_REJECTED";
    /// The request or its response is no longer wanted.
    RequestCancelled = 0x10c, "H3_REQUEST_CANCELLED";
    /// The client's stream ended before its request was complete.
    RequestIncomplete = 0x10d, "H3_REQUEST_INCOMPLETE";
    /// A message was malformed.
    MessageError = 0x10e, "H3_MESSAGE_ERROR";
    /// The connection made for a CONNECT request was reset or closed abnormally.
    ConnectError = 0x10f, "H3_CONNECT_ERROR";
    /// The request has to be made again over HTTP/1.1.
    VersionFallback = 0x110, "H3_VERSION_FALLBACK";
    /// A field section could not be decoded.
    QpackDecompressionFailed = 0x200, "QPACK_DECOMPRESSION_FAILED";
    /// An instruction on the encoder stream could not be carried out.
    QpackEncoderStreamError = 0x201, "QPACK_ENCODER_STREAM_ERROR";
    /// An instruction on the decoder stream could not be carried out.
    QpackDecoderStreamError = 0x202, "QPACK_DECODER_STREAM_ERROR";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "0x{:x}", self.to_u64()),
        }
    }
}

/// How far an error reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The connection has to be closed with the code.
    Connection,
    /// Only the stream has to be reset, and its reading stopped, with the code.
    Stream,
}

/// What the peer did wrong and what has to be done about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {reason}")]
pub struct Error {
    /// The code with which to close the connection or reset the stream.
    pub code: Code,
    /// What was wrong, in words; fit for `CONNECTION_CLOSE`'s reason phrase.
    pub reason: &'static str,
    /// Whether the connection or only the stream is lost.
    pub scope: Scope,
}

impl Error {
    pub(crate) const fn connection(code: Code, reason: &'static str) -> Self {
        Error {
            code,
            reason,
            scope: Scope::Connection,
        }
    }

    pub(crate) const fn stream(code: Code, reason: &'static str) -> Self {
        Error {
            code,
            reason,
            scope: Scope::Stream,
        }
    }

    /// A malformed message, which costs its stream alone (RFC 9114 §4.1.2).
    pub(crate) const fn malformed(reason: &'static str) -> Self {
        Error::stream(Code::MessageError, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_defined_code_survives_the_wire() {
        for &code in Code::DEFINED {
            assert_eq!(Code::from_u64(code.to_u64()), code);
            assert!(code.name().is_some());
        }
        assert_eq!(Code::from_u64(0x21), Code::Other(0x21));
        assert_eq!(Code::Other(0x21).to_string(), "0x21");
    }

    #[test]
    fn the_codes_are_those_of_the_registry() {
        let numbers: Vec<u64> = Code::DEFINED.iter().map(|code| code.to_u64()).collect();
        let expected: Vec<u64> = (0x100..=0x110).chain(0x200..=0x202).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn an_error_names_its_code_and_reason() {
        let error = Error::malformed("no :path");
        assert_eq!(error.to_string(), "H3_MESSAGE_ERROR: no :path");
    }
}
