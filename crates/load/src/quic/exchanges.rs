//! Requests in flight, by their streams, and their responses as they come.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use bytes::Bytes;
use pronghorn_http3::Error;
use pronghorn_http3::message::{BriefResponse, Event, KnownHeads, Reader};
use quinn_proto::StreamId;

use crate::connection::Ticket;
use crate::content::Content;
use crate::grpc::{self, GrpcStatus};
use crate::prepared::Prepared;

/// The largest field section of a response to accept, in bytes as RFC 9114 §4.2.2 counts them.
pub(super) const MAX_FIELD_SECTION_SIZE: u64 = 1 << 16;

/// A request in flight.
pub(super) struct Exchange {
    pub(super) ticket: Ticket,
    /// It was sent before the handshake was done.
    pub(super) early: bool,
    /// Bytes of the response have come.
    pub(super) begun: bool,
    pub(super) status: u16,
    pub(super) header_bytes: u64,
    pub(super) body_bytes: u64,
    pub(super) grpc: GrpcStatus,
    /// How much of the request was sent.
    pub(super) upload: Upload,
    /// The request has content.
    has_content: bool,
    /// The connection's turn in which its stream was read last.
    pub(super) turn: u64,
    content_length: Option<u64>,
    reader: Reader<BriefResponse>,
}

/// How much of a request was sent.
pub(super) enum Upload {
    /// All of it was handed over.
    Whole,
    /// This has no window yet.
    Waiting(Box<Unsent>),
    /// The server doesn't want the rest.
    Unwanted,
}

/// Parts of a request that wait: the head or a piece of the content, and what comes after.
pub(super) struct Unsent {
    pub(super) piece: Bytes,
    pub(super) content: Content,
}

impl Exchange {
    pub(super) fn new(
        ticket: Ticket,
        request: &Prepared,
        early: bool,
        known: Arc<KnownHeads>,
    ) -> Exchange {
        Exchange {
            ticket,
            early,
            begun: false,
            status: 0,
            header_bytes: 0,
            body_bytes: 0,
            grpc: GrpcStatus::default(),
            upload: Upload::Whole,
            has_content: !request.content.is_empty(),
            turn: 0,
            content_length: None,
            reader: Reader::brief_response(&request.method, MAX_FIELD_SECTION_SIZE, known),
        }
    }

    /// Takes in the next bytes of the response.
    ///
    /// # Errors
    /// What [`Reader::next`] finds.
    pub(super) fn take(&mut self, mut input: Bytes) -> Result<(), Error> {
        while let Some(event) = self.reader.next(&mut input)? {
            match event {
                Event::Data(data) => self.body_bytes += data.len() as u64,
                Event::Head(head) => {
                    self.status = head.status.as_u16();
                    self.header_bytes += head.bytes;
                    self.content_length = head.content_length;
                    if let Some(status) = head.grpc_status {
                        self.grpc.in_head(&status);
                    }
                }
                Event::Informational(head) => self.header_bytes += head.bytes,
                Event::Trailers(fields) => {
                    let bytes = fields
                        .iter()
                        .map(|(name, value)| name.as_str().len() + value.len());
                    self.header_bytes += bytes.sum::<usize>() as u64;
                    if let Some(status) = fields.get(grpc::FIELD) {
                        self.grpc.in_trailers(status.as_bytes());
                    }
                }
            }
        }
        Ok(())
    }

    /// Learns that the response's stream has ended.
    ///
    /// # Errors
    /// What [`Reader::finish`] finds.
    pub(super) fn finish(&self) -> Result<(), Error> {
        self.reader.finish()
    }

    /// The server doesn't want what it hasn't of the request: of what was handed over it may not have all either, but
    /// it has all of one without content, whose head it answers.
    pub(super) fn stop(&mut self) {
        if self.has_content || !matches!(self.upload, Upload::Whole) {
            self.upload = Upload::Unwanted;
        }
    }

    /// Whether less content has come than was stated.
    pub(super) fn is_short(&self) -> bool {
        self.content_length
            .is_some_and(|stated| self.body_bytes < stated)
    }
}

/// Requests in flight by their streams.
pub(super) type Exchanges = HashMap<StreamId, Exchange, BuildHasherDefault<ByStream>>;

/// Spreads the IDs of request streams, which are ours and count up, over a table.
#[derive(Default)]
pub(super) struct ByStream(u64);

impl Hasher for ByStream {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio's fraction, as Fibonacci hashing has it.
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Its highest bits are the best; tables look at the lowest ones first.
    fn finish(&self) -> u64 {
        self.0.rotate_left(32)
    }
}
