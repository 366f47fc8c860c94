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
    /// It isn't as RFC 9113 §8 has it.
    pub(super) malformed: bool,
}

impl Head {
    /// Takes a field in.
    pub(super) fn take(&mut self, name: &[u8], value: &[u8]) {
        self.bytes += (name.len() + value.len()) as u64;
        match name {
            b":status" => match status(value) {
                Some(status) if self.status == 0 => self.status = status,
                _ => self.malformed = true,
            },
            b"content-length" => match (decimal(value), self.content_length) {
                (None, _) => self.malformed = true,
                (length, None) => self.content_length = length,
                (length, stated) => self.malformed |= length != stated,
            },
            _ if name == grpc::FIELD.as_bytes() => self.grpc.in_head(value),
            _ => {}
        }
    }
}

/// Three digits, 100 to 599 (RFC 9110 §15), but 101, which HTTP/2 doesn't have (RFC 9113 §8.6).
fn status(value: &[u8]) -> Option<u16> {
    match decimal(value) {
        Some(status @ (100 | 102..=599)) if value.len() == 3 => Some(status as u16),
        _ => None,
    }
}
