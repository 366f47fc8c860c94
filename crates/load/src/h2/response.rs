//! What a response's fields say of it.

use crate::decimal::decimal;
use crate::grpc::{self, GrpcStatus};

/// A response's head.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// 0 without a valid one.
    pub(super) status: u16,
    pub(super) content_length: Option<u64>,
    pub(super) grpc: GrpcStatus,
    /// Bytes of names and values.
    pub(super) bytes: u64,
    /// Those and 32 for each field, as a bound of them counts (RFC 9113 §6.5.2).
    pub(super) size: u64,
    /// A field that is no pseudo-header field has come.
    regular: bool,
    /// In which way it isn't as RFC 9113 §8 has it.
    pub(super) malformed: Option<&'static str>,
}

impl Head {
    /// Takes a field in.
    pub(super) fn take(&mut self, name: &[u8], value: &[u8]) {
        let bytes = (name.len() + value.len()) as u64;
        self.bytes += bytes;
        self.size += bytes + OVERHEAD;
        if name.first() == Some(&b':') {
            return self.take_pseudo(name, value);
        }
        self.regular = true;
        if !is_name(name) {
            self.malformed = Some("a field name that is no lower-case token");
        } else if !is_value(value) {
            self.malformed = Some("a field value with control characters");
        }
        match name {
            b"content-length" => match (decimal(value), self.content_length) {
                (None, _) => self.malformed = Some("a content-length that is no number"),
                (length, None) => self.content_length = length,
                (length, stated) if length != stated => {
                    self.malformed = Some("two content-lengths");
                }
                _ => {}
            },
            // RFC 9113 §8.2.2.
            b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding"
            | b"upgrade" | b"te" => self.malformed = Some("a connection-specific field"),
            _ if name == grpc::FIELD.as_bytes() => self.grpc.in_head(value),
            _ => {}
        }
    }

    fn take_pseudo(&mut self, name: &[u8], value: &[u8]) {
        match status(value) {
            _ if self.regular => {
                self.malformed = Some("a pseudo-header field after a regular one");
            }
            _ if name != b":status" => self.malformed = Some("an unknown pseudo-header field"),
            Some(status) if self.status == 0 => self.status = status,
            Some(_) => self.malformed = Some("a pseudo-header field twice"),
            None => self.malformed = Some(":status is no status code"),
        }
    }

    /// What is wrong with it as a response's head.
    pub(super) fn fault(&self) -> Option<&'static str> {
        self.malformed
            .or((self.size > LARGEST).then_some("a head of more than 65536 bytes"))
    }
}

/// What a field counts beside its bytes.
const OVERHEAD: u64 = 32;
/// The largest head, by [`Head::size`].
const LARGEST: u64 = 1 << 16;

/// No upper-case letters, blanks, control characters or others beyond ASCII (RFC 9113 §8.2.1). Without a branch for each byte, as
/// every field of every response is looked at.
fn is_name(name: &[u8]) -> bool {
    let wrong = |byte: u8| byte <= b' ' || byte >= 0x7f || byte.is_ascii_uppercase();
    !name.is_empty() && !name.iter().fold(false, |found, &byte| found | wrong(byte))
}

/// No control characters but tabs (RFC 9110 §5.5).
fn is_value(value: &[u8]) -> bool {
    let wrong = |byte: u8| (byte < b' ' && byte != b'\t') || byte == 0x7f;
    !value.iter().fold(false, |found, &byte| found | wrong(byte))
}

/// Three digits, 100 to 599 (RFC 9110 §15), but 101, which HTTP/2 doesn't have (RFC 9113 §8.6).
fn status(value: &[u8]) -> Option<u16> {
    match decimal(value) {
        Some(status @ (100 | 102..=599)) if value.len() == 3 => Some(status as u16),
        _ => None,
    }
}
