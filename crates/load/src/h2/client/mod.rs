//! One connection's conversation.

mod bounds;
mod responses;
#[cfg(test)]
mod tests;

use std::io;

use http::Method;
use pronghorn_http::TransportKnobs;
use pronghorn_http2::frame::{
    self, HEADER, Header, MAX_FRAME_SIZE, PREFACE, code, flag, kind, setting,
};
use pronghorn_http2::hpack::Decoder;

use super::streams::{Stream, Streams};
use crate::connection::{Detail, Event, Ticket};
use crate::content::PIECE;
use crate::prepared::Prepared;

/// The windows where nothing else is asked for, h2load's.
const WINDOW: u32 = (1 << 30) - 1;
/// The windows of either end before it says otherwise.
const FIRST_WINDOW: u32 = 65_535;
/// Streams at a time until the server's bound is known, as RFC 9113 §6.5.2 recommends it to be at least.
const STREAMS_BEFORE_SETTINGS: usize = 100;
/// The last identifier of a client's streams.
const LAST_STREAM: u32 = 0x7fff_ffff;

/// The windows of a stream and of the connection that this end announces, in bytes.
pub(crate) fn windows(knobs: &TransportKnobs) -> (u32, u32) {
    let stream = knobs.stream_window.unwrap_or(WINDOW);
    let connection = knobs.connection_window.unwrap_or(WINDOW);
    (stream, connection)
}

/// A client's end of a connection.
#[derive(Debug)]
pub(crate) struct Client {
    decoder: Decoder,
    streams: Streams,
    next_stream: u32,
    /// The beginning of a frame whose rest is to come.
    pending: Vec<u8>,
    /// A header block that goes on in further frames.
    block: Option<Block>,
    /// Windows of this end, and what was used of the connection's.
    stream_window: u32,
    connection_window: u32,
    consumed: u32,
    peer: Peer,
    /// Streams have content that waits for a window or for the socket.
    stalled: bool,
    /// Bytes of responses' content that have come.
    payload: u64,
}

/// What the server allows.
#[derive(Debug)]
struct Peer {
    /// None before its SETTINGS.
    streams: Option<usize>,
    stream_window: i64,
    connection_window: i64,
    frame_size: usize,
    /// The next header block has to begin with a table of size 0 (RFC 7541 §4.2).
    shrunk_table: bool,
    going_away: bool,
    farewell: Option<Farewell>,
}

/// What a GOAWAY frame said beside the last stream, where that is more than that nothing is wrong.
#[derive(Debug, Clone)]
pub(crate) struct Farewell {
    /// Its code isn't NO_ERROR.
    pub(crate) is_error: bool,
    /// Its code and its debug data.
    pub(crate) words: String,
}

#[derive(Debug)]
struct Block {
    stream: u32,
    ends_stream: bool,
    bytes: Vec<u8>,
}

impl Client {
    /// Begins; the preface is appended to `out`.
    pub(crate) fn new(knobs: TransportKnobs, out: &mut Vec<u8>) -> Client {
        let (stream_window, connection_window) = windows(&knobs);
        out.extend_from_slice(PREFACE);
        let settings = [
            (setting::ENABLE_PUSH, 0),
            (setting::INITIAL_WINDOW_SIZE, stream_window),
        ];
        frame::put_header(6 * settings.len(), kind::SETTINGS, 0, 0, out);
        for (name, value) in settings {
            out.extend_from_slice(&name.to_be_bytes());
            out.extend_from_slice(&value.to_be_bytes());
        }
        if connection_window > FIRST_WINDOW {
            let more = connection_window - FIRST_WINDOW;
            frame::put_number(kind::WINDOW_UPDATE, 0, more, out);
        }
        Client {
            decoder: Decoder::default(),
            streams: Streams::default(),
            next_stream: 1,
            pending: Vec::new(),
            block: None,
            stream_window,
            connection_window,
            consumed: 0,
            peer: Peer {
                streams: None,
                stream_window: FIRST_WINDOW.into(),
                connection_window: FIRST_WINDOW.into(),
                frame_size: MAX_FRAME_SIZE as usize,
                shrunk_table: false,
                going_away: false,
                farewell: None,
            },
            stalled: false,
            payload: 0,
        }
    }

    /// Bytes of responses' content that have come, without padding.
    pub(crate) fn payload(&self) -> u64 {
        self.payload
    }

    /// What the server said as it went away.
    pub(crate) fn farewell(&self) -> Option<&Farewell> {
        self.peer.farewell.as_ref()
    }

    /// How many streams the server allows at a time, once it has said so.
    pub(crate) fn allowed(&self) -> Option<u64> {
        self.peer.streams.map(|streams| streams as u64)
    }

    /// Further requests that it takes, where so many may be in flight.
    pub(crate) fn room(&self, streams: usize) -> usize {
        if self.peer.going_away {
            return 0;
        }
        let allowed = self.peer.streams.unwrap_or(STREAMS_BEFORE_SETTINGS);
        streams
            .min(allowed)
            .saturating_sub(self.streams.len())
            .min(self.identifiers())
    }

    /// Streams that can still be opened.
    fn identifiers(&self) -> usize {
        (LAST_STREAM.saturating_sub(self.next_stream) / 2) as usize
    }

    /// Appends a request to what is to be sent; gives its stream's identifier.
    pub(crate) fn send(&mut self, ticket: Ticket, request: &Prepared, out: &mut Vec<u8>) -> u32 {
        let identifier = self.next_stream;
        self.next_stream += 2;
        let ends = if request.content.is_empty() {
            flag::END_STREAM
        } else {
            0
        };
        self.put_block(identifier, ends, &request.encoded, out);
        let mut stream = Stream {
            ticket,
            head_only: request.method == Method::HEAD,
            head: None,
            body_bytes: 0,
            consumed: 0,
            unsent: request.content.clone(),
            send_window: self.peer.stream_window,
        };
        if out.len() < PIECE {
            // With its head in one packet. What can't be read is told of when it is tried again.
            let _ = self.peer.put_content(identifier, &mut stream, out);
        }
        self.stalled |= !stream.unsent.is_empty();
        self.streams.insert(identifier, stream);
        identifier
    }

    /// Appends a header block in as many frames as it takes.
    fn put_block(&mut self, stream: u32, flags: u8, block: &[u8], out: &mut Vec<u8>) {
        const EMPTY_TABLE: &[u8] = &[0x20];
        let shrinks = std::mem::take(&mut self.peer.shrunk_table);
        let prefix = if shrinks { EMPTY_TABLE } else { &[] };
        let (first, rest) = match block.split_at_checked(self.peer.frame_size - prefix.len()) {
            Some(split) => split,
            None => (block, &[][..]),
        };
        let ends = |last: bool| if last { flag::END_HEADERS } else { 0 };
        let length = prefix.len() + first.len();
        let flags = flags | ends(rest.is_empty());
        frame::put_header(length, kind::HEADERS, flags, stream, out);
        out.extend_from_slice(prefix);
        out.extend_from_slice(first);
        let mut pieces = rest.chunks(self.peer.frame_size).peekable();
        while let Some(piece) = pieces.next() {
            let flags = ends(pieces.peek().is_none());
            frame::put_header(piece.len(), kind::CONTINUATION, flags, stream, out);
            out.extend_from_slice(piece);
        }
    }

    /// Takes what has come.
    ///
    /// # Errors
    /// What the server did against the rules; nothing more can be read then.
    pub(crate) fn receive(
        &mut self,
        mut bytes: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        while !self.pending.is_empty() {
            let Some(missing) = missing(&self.pending)? else {
                let whole = std::mem::take(&mut self.pending);
                self.frames(&mut &whole[..], out, events)?;
                break;
            };
            let (piece, rest) = bytes.split_at(missing.min(bytes.len()));
            self.pending.extend_from_slice(piece);
            bytes = rest;
            if piece.len() < missing {
                return Ok(());
            }
        }
        self.frames(&mut bytes, out, events)?;
        self.pending.extend_from_slice(bytes);
        self.replenish(out);
        if self.identifiers() == 0 && !std::mem::replace(&mut self.peer.going_away, true) {
            events.push(Event::GoingAway);
        }
        Ok(())
    }

    /// Takes whole frames off the front.
    fn frames(
        &mut self,
        bytes: &mut &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        while let Some(head) = bytes.first_chunk::<HEADER>() {
            let header = Header::read(head);
            if header.length > MAX_FRAME_SIZE as usize {
                return Err(oversized());
            }
            let Some(payload) = bytes.get(HEADER..HEADER + header.length) else {
                return Ok(());
            };
            *bytes = &bytes[HEADER + header.length..];
            self.frame(header, payload, out, events)?;
        }
        Ok(())
    }

    fn frame(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        if self.block.is_some() && header.kind != kind::CONTINUATION {
            return Err("another frame amid a header block".into());
        }
        match header.kind {
            kind::DATA => self.data(header, payload, out, events),
            kind::HEADERS => self.headers(header, payload, out, events),
            kind::CONTINUATION => self.continuation(header, payload, out, events),
            kind::RST_STREAM => self.reset(header, payload, events),
            kind::SETTINGS => self.settings(header, payload, out),
            kind::PUSH_PROMISE => Err("a push, which was forbidden".into()),
            kind::PING => bounds::ping(header, payload, out),
            kind::GOAWAY => self.go_away(payload, events),
            kind::WINDOW_UPDATE => self.window_update(header, payload, out, events),
            // Priorities, and what extensions have (RFC 9113 §5.5).
            _ => Ok(()),
        }
    }

    /// Gives back what was used of the connection's window.
    fn replenish(&mut self, out: &mut Vec<u8>) {
        if self.consumed >= self.connection_window / 2 {
            frame::put_number(kind::WINDOW_UPDATE, 0, self.consumed, out);
            self.consumed = 0;
        }
    }

    /// What belongs to a stream that isn't open has to belong to one that was.
    fn check_known(&self, identifier: u32) -> Result<(), Detail> {
        if identifier % 2 == 1 && identifier < self.next_stream {
            Ok(())
        } else {
            Err("a frame on a stream that was never opened".into())
        }
    }

    /// Appends a piece of the content that waits, as far as the windows allow; whether there was any.
    ///
    /// # Errors
    /// Content that can't be read.
    pub(crate) fn put_more(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        if !self.stalled {
            return Ok(false);
        }
        let before = out.len();
        self.stalled = false;
        for (identifier, stream) in &mut self.streams {
            if out.len() - before < PIECE {
                self.peer.put_content(*identifier, stream, out)?;
            }
            self.stalled |= !stream.unsent.is_empty();
        }
        Ok(out.len() > before)
    }

    /// Forgets a stream's request and tells the server.
    pub(crate) fn cancel(&mut self, identifier: u32, out: &mut Vec<u8>) {
        if self.streams.remove(&identifier).is_some() {
            frame::put_number(kind::RST_STREAM, identifier, code::CANCEL, out);
        }
    }

    /// Takes out all requests in flight.
    pub(crate) fn abandon(&mut self) -> Vec<Ticket> {
        self.streams
            .drain()
            .map(|(_, stream)| stream.ticket)
            .collect()
    }
}

impl Peer {
    /// Appends as much of a request's content as the windows allow, and not much more than a piece.
    fn put_content(
        &mut self,
        identifier: u32,
        stream: &mut Stream,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let before = out.len();
        while !stream.unsent.is_empty() && out.len() - before < PIECE {
            let window = self.connection_window.min(stream.send_window).max(0);
            let allowed = usize::try_from(window).unwrap_or(usize::MAX);
            let most = allowed.min(self.frame_size).min(PIECE);
            let piece = stream.unsent.take(most)?;
            let length = piece.len();
            if length == 0 {
                break;
            }
            let flags = if stream.unsent.is_empty() {
                flag::END_STREAM
            } else {
                0
            };
            frame::put_header(length, kind::DATA, flags, identifier, out);
            out.extend_from_slice(&piece);
            self.connection_window -= length as i64;
            stream.send_window -= length as i64;
        }
        Ok(())
    }
}

/// How many bytes the frame still lacks that `pending` begins; none where it is whole.
fn missing(pending: &[u8]) -> Result<Option<usize>, Detail> {
    let Some(head) = pending.first_chunk::<HEADER>() else {
        return Ok(Some(HEADER - pending.len()));
    };
    let header = Header::read(head);
    if header.length > MAX_FRAME_SIZE as usize {
        return Err(oversized());
    }
    let missing = (HEADER + header.length).saturating_sub(pending.len());
    Ok((missing > 0).then_some(missing))
}

fn oversized() -> Detail {
    format!("a frame of more than {MAX_FRAME_SIZE} bytes").into()
}
