//! Incremental decoding of a stream's frames.

use bytes::{Buf, Bytes, BytesMut};
use pronghorn_http_wire::varint;

use super::rules::{Handling, StreamKind};
use crate::error::{Code, Error};

/// A part of a stream, as [`Decoder::next`] hands it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Payload of a DATA frame, not necessarily all of it; never empty.
    Data(Bytes),
    /// Any other frame that this stream may carry, whole.
    Frame {
        /// Its type, one of [`kind`](super::kind).
        kind: u64,
        /// Its payload.
        payload: Bytes,
    },
}

/// Splits the bytes of one stream into frames, however the bytes arrive.
///
/// DATA payloads are slices of what came in. Unknown frame types are passed over. Once an error
/// came back the decoder is of no further use.
#[derive(Clone, Debug)]
pub struct Decoder {
    stream: StreamKind,
    limit: u64,
    /// A frame's type has been read before.
    begun: bool,
    state: State,
}

/// Type and length at the most.
const HEADER_SIZE: usize = 2 * varint::MAX_SIZE;

#[derive(Clone, Debug)]
enum State {
    /// Within a frame's type and length, of which the first `have` bytes are known.
    Header {
        bytes: [u8; HEADER_SIZE],
        have: usize,
    },
    Streaming {
        left: u64,
    },
    Collecting {
        kind: u64,
        left: u64,
        payload: BytesMut,
    },
    Skipping {
        left: u64,
    },
}

const BETWEEN_FRAMES: State = State::Header {
    bytes: [0; HEADER_SIZE],
    have: 0,
};

impl Decoder {
    /// A decoder at the start of a stream. Frames other than DATA may hold `limit` bytes.
    #[must_use]
    pub fn new(stream: StreamKind, limit: u64) -> Self {
        Decoder {
            stream,
            limit,
            begun: false,
            state: BETWEEN_FRAMES,
        }
    }

    /// Takes the next piece off the front of `input`.
    ///
    /// `None` means that `input` is used up and more has to arrive.
    ///
    /// # Errors
    /// - `H3_FRAME_UNEXPECTED` (connection): a frame that must not come on this stream, or one of
    ///   HTTP/2's frame types.
    /// - `H3_MISSING_SETTINGS` (connection): a control stream that begins with another frame.
    /// - `H3_ID_ERROR` (connection): a push promise, as no push is ever permitted.
    /// - `H3_EXCESSIVE_LOAD`: a frame above the limit; costs the stream, or the connection if it
    ///   came on the control stream.
    pub fn next(&mut self, input: &mut Bytes) -> Result<Option<Piece>, Error> {
        loop {
            match &mut self.state {
                State::Header { bytes, have } => {
                    let Some((kind, length, handling)) = read_header(bytes, have, input, |kind| {
                        self.stream.handling(kind, !self.begun)
                    })?
                    else {
                        return Ok(None);
                    };
                    self.begun = true;
                    self.state = match handling {
                        Handling::Stream => State::Streaming { left: length },
                        Handling::Skip => State::Skipping { left: length },
                        Handling::Collect if length > self.limit => {
                            return Err(self.stream.oversized());
                        }
                        Handling::Collect if length <= input.len() as u64 => {
                            self.state = BETWEEN_FRAMES;
                            let payload = input.split_to(length as usize);
                            return Ok(Some(Piece::Frame { kind, payload }));
                        }
                        Handling::Collect => State::Collecting {
                            kind,
                            left: length,
                            payload: BytesMut::new(),
                        },
                    };
                }
                State::Streaming { left: 0 } | State::Skipping { left: 0 } => {
                    self.state = BETWEEN_FRAMES;
                }
                _ if input.is_empty() => return Ok(None),
                State::Streaming { left } => return Ok(Some(Piece::Data(take(input, left)))),
                State::Skipping { left } => {
                    take(input, left);
                }
                State::Collecting {
                    kind,
                    left,
                    payload,
                } => {
                    payload.extend_from_slice(&take(input, left));
                    if *left == 0 {
                        let frame = Piece::Frame {
                            kind: *kind,
                            payload: payload.split().freeze(),
                        };
                        self.state = BETWEEN_FRAMES;
                        return Ok(Some(frame));
                    }
                }
            }
        }
    }

    /// Tells the decoder that the stream ended (FIN).
    ///
    /// # Errors
    /// `H3_FRAME_ERROR` (connection) if it ended within a frame.
    pub fn finish(&self) -> Result<(), Error> {
        match self.state {
            State::Header { have: 0, .. }
            | State::Streaming { left: 0 }
            | State::Skipping { left: 0 } => Ok(()),
            _ => Err(Error::connection(
                Code::FrameError,
                "the stream ended within a frame",
            )),
        }
    }
}

/// Reads type and length off the front of `input`, going on from the `have` bytes in `bytes`.
///
/// The type is judged as soon as it is complete, even where the length is still to come.
fn read_header(
    bytes: &mut [u8; HEADER_SIZE],
    have: &mut usize,
    input: &mut Bytes,
    judge: impl FnOnce(u64) -> Result<Handling, Error>,
) -> Result<Option<(u64, u64, Handling)>, Error> {
    let before = *have;
    let added = input.len().min(HEADER_SIZE - before);
    if before > 0 {
        bytes[before..before + added].copy_from_slice(&input[..added]);
    }
    let known = if before > 0 {
        &bytes[..before + added]
    } else {
        &input[..added]
    };
    let mut header = None;
    if let Some((kind, kind_size)) = varint::decode(known) {
        let handling = judge(kind)?;
        header = varint::decode(&known[kind_size..])
            .map(|(length, length_size)| (kind, length, handling, kind_size + length_size));
    }
    let Some((kind, length, handling, size)) = header else {
        // Sixteen bytes always hold a whole header, so everything added belongs to this one.
        bytes[before..before + added].copy_from_slice(&input[..added]);
        input.advance(added);
        *have = before + added;
        return Ok(None);
    };
    input.advance(size - before);
    Ok(Some((kind, length, handling)))
}

/// Splits off the front of `input` as much as `left` allows, and lowers `left` by it.
fn take(input: &mut Bytes, left: &mut u64) -> Bytes {
    let size = usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
    *left -= size as u64;
    input.split_to(size)
}

#[cfg(test)]
#[path = "decoder_tests.rs"]
mod tests;
