//! The order of a message's frames on a request stream (RFC 9114 §4.1).

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};

use super::brief::KnownHeads;
use super::fields;
use super::role::{BriefResponse, RawResponse, Request, Response, Role, Shape};
use crate::error::{Code, Error};
use crate::frame::{Decoder, Piece, StreamKind};
use crate::qpack;
use crate::side::Side;

/// What a request stream carries, in the order of a message: any number of `Informational`, one
/// `Head`, any number of `Data`, at most one `Trailers`. The end is [`Reader::finish`]'s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<H> {
    /// A response with a status of 1xx, which precedes the one that counts.
    Informational(H),
    /// The head of the message.
    Head(H),
    /// A piece of its content; never empty.
    Data(Bytes),
    /// Fields after the content.
    Trailers(HeaderMap),
}

/// Reads one message off a request stream, however its bytes arrive.
///
/// Once an error came back the reader is of no further use.
#[derive(Clone, Debug)]
pub struct Reader<R> {
    role: R,
    frames: Decoder,
    max_field_section_size: u64,
    state: State,
}

/// Reads requests.
pub type RequestReader = Reader<Request>;
/// Reads responses into a map of headers.
pub type ResponseReader = Reader<Response>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    /// `left`: bytes of content still to come, where known.
    Content {
        left: Option<u64>,
    },
    Tunnel,
    Trailed,
}

impl Reader<Request> {
    /// A reader at the start of a request. Field sections of more than `max_field_section_size`
    /// bytes, counted as RFC 9114 §4.2.2 does, are refused.
    #[must_use]
    pub fn request(max_field_section_size: u64) -> Self {
        Reader::new(Request, max_field_section_size)
    }
}

impl Reader<Response> {
    /// A reader at the start of the response to a request with `method`.
    #[must_use]
    pub fn response(method: &Method, max_field_section_size: u64) -> Self {
        Reader::new(Response::to(method), max_field_section_size)
    }
}

impl Reader<RawResponse> {
    /// A reader at the start of the response to a request with `method`, whose fields stay as
    /// QPACK left them.
    #[must_use]
    pub fn raw_response(method: &Method, max_field_section_size: u64) -> Self {
        Reader::new(RawResponse::to(method), max_field_section_size)
    }
}

impl Reader<BriefResponse> {
    /// A reader at the start of the response to a request with `method`, of whose head only a [`BriefHead`](super::BriefHead)
    /// is handed out: at once where `known` has read the same field section before.
    #[must_use]
    pub fn brief_response(
        method: &Method,
        max_field_section_size: u64,
        known: Arc<KnownHeads>,
    ) -> Self {
        Reader::new(BriefResponse::to(method, known), max_field_section_size)
    }
}

impl<R: Role> Reader<R> {
    fn new(role: R, max_field_section_size: u64) -> Self {
        Reader {
            role,
            // A section is smaller coded than counted, unless Huffman's code was chosen in spite.
            frames: Decoder::new(StreamKind::Request(R::SIDE), max_field_section_size),
            max_field_section_size,
            state: State::Head,
        }
    }

    /// Takes the next event off the front of `input`.
    ///
    /// `None` means that `input` is used up and more has to arrive.
    ///
    /// # Errors
    /// - `H3_FRAME_UNEXPECTED` (connection): frames out of order.
    /// - `H3_MESSAGE_ERROR` (stream): a malformed message, or more content than stated.
    /// - `H3_EXCESSIVE_LOAD` (stream): a field section above the limit.
    /// - `QPACK_DECOMPRESSION_FAILED` (connection): a broken field section.
    /// - what [`Decoder::next`] finds.
    pub fn next(&mut self, input: &mut Bytes) -> Result<Option<Event<R::Head>>, Error> {
        match self.frames.next(input)? {
            None => Ok(None),
            Some(Piece::Data(data)) => self.data(data).map(Some),
            // HEADERS is the only frame that a request stream's decoder gathers.
            Some(Piece::Frame { payload, .. }) => self.headers(&payload).map(Some),
        }
    }

    /// Tells the reader that the stream ended (FIN), and learns whether the message is complete.
    ///
    /// # Errors
    /// - `H3_FRAME_ERROR` (connection): the stream ended within a frame.
    /// - `H3_REQUEST_INCOMPLETE` (stream): a request that ended before its head was there.
    /// - `H3_MESSAGE_ERROR` (stream): a response that did so, or less content than stated.
    pub fn finish(&self) -> Result<(), Error> {
        self.frames.finish()?;
        match self.state {
            State::Head => Err(match R::SIDE {
                Side::Server => Error::stream(Code::RequestIncomplete, "no request on the stream"),
                Side::Client => Error::malformed("no response on the stream"),
            }),
            State::Content { left: Some(1..) } => {
                Err(Error::malformed("less content than content-length"))
            }
            State::Content { .. } | State::Tunnel | State::Trailed => Ok(()),
        }
    }

    fn data(&mut self, data: Bytes) -> Result<Event<R::Head>, Error> {
        match &mut self.state {
            State::Head => Err(unexpected("DATA before HEADERS")),
            State::Trailed => Err(unexpected("DATA after the trailers")),
            State::Content { left: Some(left) } => {
                *left = left
                    .checked_sub(data.len() as u64)
                    .ok_or(Error::malformed("more content than content-length"))?;
                Ok(Event::Data(data))
            }
            State::Content { left: None } | State::Tunnel => Ok(Event::Data(data)),
        }
    }

    fn headers(&mut self, section: &Bytes) -> Result<Event<R::Head>, Error> {
        match self.state {
            State::Head => {
                let (head, shape) = self.role.head(section, self.max_field_section_size)?;
                self.state = match shape {
                    Shape::Informational => return Ok(Event::Informational(head)),
                    Shape::Content(left) => State::Content { left },
                    Shape::Tunnel => State::Tunnel,
                };
                Ok(Event::Head(head))
            }
            State::Content { left } => {
                if matches!(left, Some(1..)) {
                    return Err(Error::malformed("less content than content-length"));
                }
                let fields = qpack::decode(section, self.max_field_section_size)?;
                self.state = State::Trailed;
                Ok(Event::Trailers(fields::trailers(fields)?))
            }
            State::Tunnel => Err(unexpected("HEADERS within a tunnel")),
            State::Trailed => Err(unexpected("HEADERS after the trailers")),
        }
    }
}

const fn unexpected(reason: &'static str) -> Error {
    Error::connection(Code::FrameUnexpected, reason)
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
