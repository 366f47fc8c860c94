//! The state of a connection: settings, the streams that must live as long as it, and GOAWAY.

use bytes::{Bytes, BytesMut};
use pronghorn_http_wire::{Priority, varint};

use super::control::{is_request_stream, parse_id, parse_priority_update};
use super::opening::{Config, Opening};
use super::settings::Settings;
use super::uni::{self, UniState, UniStream};
use crate::error::{Code, Error};
use crate::frame::{Decoder, Piece, StreamKind, kind, put_frame};
use crate::qpack::instructions::{DecoderStream, read_encoder_stream};
use crate::side::Side;

/// What the peer said on its unidirectional streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Its settings, before anything else on the control stream.
    Settings(Settings),
    /// It begins to end the connection. From a server: requests on streams with this ID and above
    /// are not processed and may be made again elsewhere. From a client: a push ID, of no matter
    /// without pushes.
    Goaway(u64),
    /// The client changes the priority of the request on a stream, which need not be open yet.
    PriorityUpdate {
        /// The ID of the request's stream.
        stream_id: u64,
        /// Its new priority.
        priority: Priority,
    },
    /// This stream is of an unknown type: stop its reading with `H3_STREAM_CREATION_ERROR`, or go
    /// on and drop what comes.
    UnknownStream,
}

/// One end of a connection. It neither sends nor receives: bytes go in and out.
#[derive(Clone, Debug)]
pub struct Connection {
    side: Side,
    config: Config,
    peer_settings: Option<Settings>,
    peer_goaway: Option<u64>,
    local_goaway: Option<u64>,
    peer_max_push_id: Option<u64>,
    has_control: bool,
    has_qpack_encoder: bool,
    has_qpack_decoder: bool,
}

impl Connection {
    /// The most bytes that a control frame may hold; the longest are SETTINGS and
    /// PRIORITY_UPDATE, which need some dozens.
    pub const CONTROL_FRAME_LIMIT: u64 = 4096;

    /// A connection on which nothing has been sent or received.
    #[must_use]
    pub fn new(side: Side, config: Config) -> Self {
        Connection {
            side,
            config,
            peer_settings: None,
            peer_goaway: None,
            local_goaway: None,
            peer_max_push_id: None,
            has_control: false,
            has_qpack_encoder: false,
            has_qpack_decoder: false,
        }
    }

    /// The bytes with which to open this end's unidirectional streams.
    ///
    /// No dynamic table and no blocked streams are announced.
    #[must_use]
    pub fn opening(&self) -> Opening {
        Opening::new(&self.config)
    }

    /// Appends a GOAWAY frame for the control stream.
    ///
    /// A server names the lowest request stream that it won't process, as the last ID it accepted
    /// plus 4; a client the lowest push ID it won't accept, so 0. An ID above one sent before is
    /// lowered to that, as GOAWAY never takes its word back (RFC 9114 §5.2).
    pub fn put_goaway(&mut self, id: u64, out: &mut BytesMut) {
        let id = self.local_goaway.map_or(id, |before| id.min(before));
        self.local_goaway = Some(id);
        put_id_frame(kind::GOAWAY, id, out);
    }

    /// Appends a PRIORITY_UPDATE frame for a request, for a client's control stream
    /// (RFC 9218 §7.2).
    pub fn put_priority_update(&self, stream_id: u64, priority: Priority, out: &mut BytesMut) {
        let mut payload = BytesMut::with_capacity(16);
        varint::encode(stream_id, &mut payload);
        payload.extend_from_slice(priority.to_string().as_bytes());
        put_frame(kind::PRIORITY_UPDATE_REQUEST, &payload, out);
    }

    /// The peer's settings, once they came.
    #[must_use]
    pub fn peer_settings(&self) -> Option<&Settings> {
        self.peer_settings.as_ref()
    }

    /// The ID in the peer's last GOAWAY, if one came.
    #[must_use]
    pub fn peer_goaway(&self) -> Option<u64> {
        self.peer_goaway
    }

    /// Tells the connection that the peer opened a bidirectional stream.
    ///
    /// # Errors
    /// `H3_STREAM_CREATION_ERROR` (connection) at a client: only clients open such streams.
    pub fn accept_bidi(&self) -> Result<(), Error> {
        match self.side {
            Side::Server => Ok(()),
            Side::Client => Err(Error::connection(
                Code::StreamCreationError,
                "a bidirectional stream opened by the server",
            )),
        }
    }

    /// Takes the next event off the front of `input`, which arrived on the peer's unidirectional
    /// stream `stream`.
    ///
    /// `None` means that `input` is used up and more has to arrive.
    ///
    /// # Errors
    /// All cost the connection:
    /// - `H3_STREAM_CREATION_ERROR`: a second control or QPACK stream, or a push by a client.
    /// - `H3_MISSING_SETTINGS`: the control stream begins with another frame than SETTINGS.
    /// - `H3_FRAME_UNEXPECTED`: a frame that must not come there, or SETTINGS again.
    /// - `H3_FRAME_ERROR`, `H3_SETTINGS_ERROR`: a broken frame.
    /// - `H3_ID_ERROR`: a push, a GOAWAY that grows, or the ID of a stream that no request uses.
    /// - `H3_EXCESSIVE_LOAD`: a frame above [`Self::CONTROL_FRAME_LIMIT`].
    /// - `QPACK_ENCODER_STREAM_ERROR`, `QPACK_DECODER_STREAM_ERROR`: an instruction that needs a
    ///   dynamic table.
    pub fn read_uni(
        &mut self,
        stream: &mut UniStream,
        input: &mut Bytes,
    ) -> Result<Option<Event>, Error> {
        loop {
            match &mut stream.0 {
                UniState::Type { bytes, have } => {
                    let Some(kind) = uni::read_type(bytes, have, input) else {
                        return Ok(None);
                    };
                    stream.0 = self.open(kind)?;
                    if matches!(stream.0, UniState::Unknown) {
                        return Ok(Some(Event::UnknownStream));
                    }
                }
                UniState::Control(frames) => {
                    let Some(Piece::Frame { kind, payload }) = frames.next(input)? else {
                        return Ok(None);
                    };
                    if let Some(event) = self.control_frame(kind, &payload)? {
                        return Ok(Some(event));
                    }
                }
                UniState::QpackEncoder => {
                    read_encoder_stream(input)?;
                    input.clear();
                    return Ok(None);
                }
                UniState::QpackDecoder(instructions) => {
                    instructions.read(input)?;
                    input.clear();
                    return Ok(None);
                }
                UniState::Unknown => {
                    input.clear();
                    return Ok(None);
                }
            }
        }
    }

    /// Tells the connection that the peer ended or reset its unidirectional stream `stream`.
    ///
    /// # Errors
    /// `H3_CLOSED_CRITICAL_STREAM` (connection) for a control or QPACK stream.
    pub fn finish_uni(&self, stream: &UniStream) -> Result<(), Error> {
        match stream.0 {
            UniState::Type { .. } | UniState::Unknown => Ok(()),
            UniState::Control(_) | UniState::QpackEncoder | UniState::QpackDecoder(_) => {
                Err(Error::connection(
                    Code::ClosedCriticalStream,
                    "a control or QPACK stream was closed",
                ))
            }
        }
    }

    fn open(&mut self, kind: u64) -> Result<UniState, Error> {
        let (present, state) = match (kind, self.side) {
            (uni::CONTROL, side) => {
                let frames = Decoder::new(StreamKind::Control(side), Self::CONTROL_FRAME_LIMIT);
                (&mut self.has_control, UniState::Control(frames))
            }
            (uni::QPACK_ENCODER, _) => (&mut self.has_qpack_encoder, UniState::QpackEncoder),
            (uni::QPACK_DECODER, _) => {
                let instructions = UniState::QpackDecoder(DecoderStream::default());
                (&mut self.has_qpack_decoder, instructions)
            }
            (uni::PUSH, Side::Client) => return Err(id("a push that was never permitted")),
            (uni::PUSH, Side::Server) => {
                return Err(Error::connection(
                    Code::StreamCreationError,
                    "a push stream opened by the client",
                ));
            }
            _ => return Ok(UniState::Unknown),
        };
        if std::mem::replace(present, true) {
            return Err(Error::connection(
                Code::StreamCreationError,
                "a second control or QPACK stream",
            ));
        }
        Ok(state)
    }

    fn control_frame(&mut self, kind: u64, payload: &[u8]) -> Result<Option<Event>, Error> {
        match (kind, &self.peer_settings) {
            (kind::SETTINGS, None) => {
                let settings = Settings::parse(payload)?;
                self.peer_settings = Some(settings.clone());
                Ok(Some(Event::Settings(settings)))
            }
            (kind::SETTINGS, Some(_)) => Err(Error::connection(
                Code::FrameUnexpected,
                "a second SETTINGS frame",
            )),
            (kind::GOAWAY, _) => self.goaway(parse_id(payload)?).map(Some),
            (kind::MAX_PUSH_ID, _) => self.max_push_id(parse_id(payload)?),
            (kind::CANCEL_PUSH, _) => {
                parse_id(payload)?;
                Err(id("the cancellation of a push that was never promised"))
            }
            (kind::PRIORITY_UPDATE_REQUEST, _) => {
                let (stream_id, priority) = parse_priority_update(payload)?;
                if !is_request_stream(stream_id) {
                    return Err(id("the priority of a stream that no request uses"));
                }
                Ok(Some(Event::PriorityUpdate {
                    stream_id,
                    priority,
                }))
            }
            // What is left is the priority of a push, and none was ever promised.
            _ => {
                parse_priority_update(payload)?;
                Err(id("the priority of a push that was never promised"))
            }
        }
    }

    fn goaway(&mut self, limit: u64) -> Result<Event, Error> {
        if self.side == Side::Client && !is_request_stream(limit) {
            return Err(id("a GOAWAY for a stream that no request uses"));
        }
        if self.peer_goaway.is_some_and(|before| limit > before) {
            return Err(id("a GOAWAY above the one before"));
        }
        self.peer_goaway = Some(limit);
        Ok(Event::Goaway(limit))
    }

    fn max_push_id(&mut self, limit: u64) -> Result<Option<Event>, Error> {
        if self.peer_max_push_id.is_some_and(|before| limit < before) {
            return Err(id("a MAX_PUSH_ID below the one before"));
        }
        self.peer_max_push_id = Some(limit);
        Ok(None)
    }
}

fn put_id_frame(kind: u64, id: u64, out: &mut BytesMut) {
    let mut payload = BytesMut::with_capacity(varint::MAX_SIZE);
    varint::encode(id, &mut payload);
    put_frame(kind, &payload, out);
}

const fn id(reason: &'static str) -> Error {
    Error::connection(Code::IdError, reason)
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
