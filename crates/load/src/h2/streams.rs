//! Open streams by their identifiers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::response::Head;
use crate::connection::Ticket;
use crate::content::Content;

/// A request and its response so far.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) ticket: Ticket,
    /// The response to a HEAD request has no content, whatever it states.
    pub(super) head_only: bool,
    pub(super) head: Option<Head>,
    pub(super) body_bytes: u64,
    /// Bytes of flow control that the peer has used and was not given again.
    pub(super) consumed: u32,
    /// Content that is to be sent, and how much the peer takes now.
    pub(super) unsent: Content,
    pub(super) send_window: i64,
}

/// Streams by identifier.
pub(super) type Streams = HashMap<u32, Stream, BuildHasherDefault<Spreading>>;

/// Spreads identifiers, which rise by two, over a table: Fibonacci hashing.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Spreading(u64);

impl Hasher for Spreading {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(self.0 as u32 ^ u32::from(byte));
        }
    }

    fn write_u32(&mut self, identifier: u32) {
        self.0 = u64::from(identifier).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
