//! One connection's conversation.

use http::Method;
use pronghorn_http::TransportKnobs;

use super::decoder::Decoder;
use super::frame::{self, HEADER, Header, MAX_FRAME_SIZE, code, flag, kind, setting};
use super::response::Head;
use super::streams::{Stream, Streams};
use crate::connection::{Detail, Event, FailureKind, Ticket};
use crate::prepared::Prepared;

/// What a client says first (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The windows where nothing else is asked for, h2load's.
const WINDOW: u32 = (1 << 30) - 1;
/// The windows of either end before it says otherwise.
const FIRST_WINDOW: u32 = 65_535;
/// Streams at a time until the server's bound is known, as RFC 9113 §6.5.2 recommends it to be at least.
const STREAMS_BEFORE_SETTINGS: usize = 100;
/// The last identifier of a client's streams.
const LAST_STREAM: u32 = 0x7fff_ffff;
/// The longest header block, in bytes.
const LONGEST_BLOCK: usize = 256 * 1024;
/// Unsent bytes beyond which no further acknowledgements are taken on: a peer that reads nothing gets nothing.
const MOST_UNSENT: usize = 16 * 1024 * 1024;

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
    /// Streams with content that waits for the connection's window.
    stalled: bool,
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
            },
            stalled: false,
        }
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

    /// Appends a request to what is to be sent.
    pub(crate) fn send(&mut self, ticket: Ticket, request: &Prepared, out: &mut Vec<u8>) {
        let identifier = self.next_stream;
        self.next_stream += 2;
        let ends = if request.body.is_empty() {
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
            unsent: request.body.clone(),
            send_window: self.peer.stream_window,
        };
        self.peer.put_content(identifier, &mut stream, out);
        self.stalled |= !stream.unsent.is_empty();
        self.streams.insert(identifier, stream);
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
            kind::PING => ping(header, payload, out),
            kind::GOAWAY => self.go_away(payload, events),
            kind::WINDOW_UPDATE => self.window_update(header, payload, out, events),
            // Priorities, and what extensions have (RFC 9113 §5.5).
            _ => Ok(()),
        }
    }

    fn data(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        let used = header.length as u32;
        self.consumed += used;
        if self.consumed > self.connection_window {
            return Err("more content than the connection's window allows".into());
        }
        let content = frame::without_padding(header, payload).ok_or("padding beyond its frame")?;
        let Some(stream) = self.streams.get_mut(&header.stream) else {
            return self.check_known(header.stream);
        };
        if stream.head.is_none() {
            return Err("content before a response's head".into());
        }
        stream.body_bytes += content.len() as u64;
        if header.has(flag::END_STREAM) {
            self.finish(header.stream, out, events);
            return Ok(());
        }
        stream.consumed += used;
        if stream.consumed > self.stream_window {
            return Err("more content than the stream's window allows".into());
        }
        if stream.consumed >= self.stream_window / 2 {
            frame::put_number(kind::WINDOW_UPDATE, header.stream, stream.consumed, out);
            stream.consumed = 0;
        }
        Ok(())
    }

    /// Gives back what was used of the connection's window.
    fn replenish(&mut self, out: &mut Vec<u8>) {
        if self.consumed >= self.connection_window / 2 {
            frame::put_number(kind::WINDOW_UPDATE, 0, self.consumed, out);
            self.consumed = 0;
        }
    }

    fn headers(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        let block = frame::without_padding(header, payload).ok_or("padding beyond its frame")?;
        let ends_stream = header.has(flag::END_STREAM);
        if header.has(flag::END_HEADERS) {
            return self.block(header.stream, ends_stream, block, out, events);
        }
        self.block = Some(Block {
            stream: header.stream,
            ends_stream,
            bytes: block.to_vec(),
        });
        Ok(())
    }

    fn continuation(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        let Some(mut block) = self
            .block
            .take()
            .filter(|block| block.stream == header.stream)
        else {
            return Err("a header block's rest without its beginning".into());
        };
        block.bytes.extend_from_slice(payload);
        if block.bytes.len() > LONGEST_BLOCK {
            return Err("a header block beyond all measure".into());
        }
        if header.has(flag::END_HEADERS) {
            return self.block(block.stream, block.ends_stream, &block.bytes, out, events);
        }
        self.block = Some(block);
        Ok(())
    }

    /// A whole header block: a response's head, an interim one, or trailers.
    fn block(
        &mut self,
        identifier: u32,
        ends_stream: bool,
        block: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        let mut head = Head::default();
        self.decoder
            .decode(block, |name, value| head.take(name, value))
            .map_err(|broken| Detail::from(broken.to_string()))?;
        let Some(stream) = self.streams.get_mut(&identifier) else {
            return self.check_known(identifier);
        };
        if let Some(earlier) = &mut stream.head {
            // Trailers.
            earlier.bytes += head.bytes;
            if !ends_stream || head.status != 0 {
                self.spoil(
                    identifier,
                    "a second head, or trailers amid content",
                    out,
                    events,
                );
                return Ok(());
            }
        } else if head.malformed || head.status == 0 || (head.status < 200 && ends_stream) {
            self.spoil(identifier, "a response without a valid head", out, events);
            return Ok(());
        } else if head.status < 200 {
            return Ok(());
        } else {
            events.push(Event::FirstByte(stream.ticket));
            stream.head = Some(head);
        }
        if ends_stream {
            self.finish(identifier, out, events);
        }
        Ok(())
    }

    /// The response has come whole, as far as the server is concerned.
    fn finish(&mut self, identifier: u32, out: &mut Vec<u8>, events: &mut Vec<Event>) {
        let Some(stream) = self.streams.remove(&identifier) else {
            return;
        };
        if !stream.unsent.is_empty() {
            // It was answered before all of it had come.
            frame::put_number(kind::RST_STREAM, identifier, code::NO_ERROR, out);
        }
        let head = stream.head.unwrap_or_default();
        let has_content = !stream.head_only && ![204, 304].contains(&head.status);
        let ticket = stream.ticket;
        let came = stream.body_bytes;
        match head.content_length.filter(|_| has_content) {
            Some(stated) if came < stated => events.push(Event::Failed {
                ticket,
                kind: FailureKind::Short,
                detail: format!("{came} bytes of content came of {stated} stated").into(),
            }),
            Some(stated) if came > stated => events.push(Event::Failed {
                ticket,
                kind: FailureKind::Protocol,
                detail: format!("{came} bytes of content came where {stated} were stated").into(),
            }),
            _ => events.push(Event::Done {
                ticket,
                status: head.status,
                header_bytes: head.bytes,
                body_bytes: came,
            }),
        }
    }

    /// A response is against the rules, and the connection goes on (RFC 9113 §8.1.1).
    fn spoil(
        &mut self,
        identifier: u32,
        detail: &'static str,
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) {
        const PROTOCOL_ERROR: u32 = 1;
        if let Some(stream) = self.streams.remove(&identifier) {
            frame::put_number(kind::RST_STREAM, identifier, PROTOCOL_ERROR, out);
            events.push(Event::Failed {
                ticket: stream.ticket,
                kind: FailureKind::Protocol,
                detail: detail.into(),
            });
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

    fn reset(
        &mut self,
        header: Header,
        payload: &[u8],
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        let code = frame::number(payload).filter(|_| header.length == 4);
        let code = code.ok_or("a RST_STREAM frame of another length than 4")?;
        let Some(stream) = self.streams.remove(&header.stream) else {
            return self.check_known(header.stream);
        };
        events.push(match code {
            code::REFUSED_STREAM => Event::Refused(stream.ticket),
            code => Event::Failed {
                ticket: stream.ticket,
                kind: FailureKind::Reset,
                detail: format!("the server reset the stream with error code {code}").into(),
            },
        });
        Ok(())
    }

    fn settings(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Detail> {
        if header.stream != 0 || header.length % 6 != 0 {
            return Err("a SETTINGS frame that is none".into());
        }
        if header.has(flag::ACK) {
            return Ok(());
        }
        let mut streams = self.peer.streams.unwrap_or(usize::MAX);
        for entry in payload.chunks_exact(6) {
            let name = u16::from_be_bytes([entry[0], entry[1]]);
            let value = u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]);
            match name {
                setting::HEADER_TABLE_SIZE => self.peer.shrunk_table |= value < 4096,
                setting::MAX_CONCURRENT_STREAMS => streams = value as usize,
                setting::INITIAL_WINDOW_SIZE if value > LAST_STREAM => {
                    return Err("a window of 2^31 bytes or more".into());
                }
                setting::INITIAL_WINDOW_SIZE => self.resize(value.into()),
                setting::MAX_FRAME_SIZE if !(MAX_FRAME_SIZE..1 << 24).contains(&value) => {
                    return Err("a frame size out of its bounds".into());
                }
                setting::MAX_FRAME_SIZE => self.peer.frame_size = value as usize,
                _ => {}
            }
        }
        self.peer.streams = Some(streams);
        check_unsent(out)?;
        frame::put_header(0, kind::SETTINGS, flag::ACK, 0, out);
        self.put_stalled(out);
        Ok(())
    }

    /// The server changes the windows of all streams (RFC 9113 §6.9.2).
    fn resize(&mut self, window: i64) {
        let change = window - self.peer.stream_window;
        self.peer.stream_window = window;
        for stream in self.streams.values_mut() {
            stream.send_window += change;
        }
    }

    fn go_away(&mut self, payload: &[u8], events: &mut Vec<Event>) -> Result<(), Detail> {
        let last = frame::number(payload).ok_or("a GOAWAY frame that is none")? & LAST_STREAM;
        if !std::mem::replace(&mut self.peer.going_away, true) {
            events.push(Event::GoingAway);
        }
        let mut beyond: Vec<u32> = self.streams.keys().copied().collect();
        beyond.retain(|identifier| *identifier > last);
        beyond.sort_unstable();
        for identifier in beyond {
            if let Some(stream) = self.streams.remove(&identifier) {
                events.push(Event::Refused(stream.ticket));
            }
        }
        Ok(())
    }

    fn window_update(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        const LARGEST: i64 = 0x7fff_ffff;
        let more = frame::number(payload).filter(|_| header.length == 4);
        let more = i64::from(more.ok_or("a WINDOW_UPDATE frame that is none")? & LAST_STREAM);
        if header.stream == 0 {
            self.peer.connection_window += more;
            if more == 0 || self.peer.connection_window > LARGEST {
                return Err("a window that grew by nothing, or too large".into());
            }
        } else if let Some(stream) = self.streams.get_mut(&header.stream) {
            stream.send_window += more;
            if more == 0 || stream.send_window > LARGEST {
                let detail = "a stream's window that grew by nothing, or too large";
                self.spoil(header.stream, detail, out, events);
            }
        } else {
            return self.check_known(header.stream);
        }
        self.put_stalled(out);
        Ok(())
    }

    /// Goes on with content that waited for a window.
    fn put_stalled(&mut self, out: &mut Vec<u8>) {
        if !self.stalled {
            return;
        }
        self.stalled = false;
        for (identifier, stream) in &mut self.streams {
            self.peer.put_content(*identifier, stream, out);
            self.stalled |= !stream.unsent.is_empty();
        }
    }

    /// Forgets a request and tells the server.
    pub(crate) fn cancel(&mut self, ticket: Ticket, out: &mut Vec<u8>) {
        let found = self
            .streams
            .iter()
            .find(|(_, stream)| stream.ticket == ticket);
        if let Some(identifier) = found.map(|(identifier, _)| *identifier) {
            self.streams.remove(&identifier);
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
    /// Appends as much of a request's content as the windows allow.
    fn put_content(&mut self, identifier: u32, stream: &mut Stream, out: &mut Vec<u8>) {
        while !stream.unsent.is_empty() {
            let window = self.connection_window.min(stream.send_window).max(0);
            let allowed = usize::try_from(window).unwrap_or(usize::MAX);
            let length = stream.unsent.len().min(allowed).min(self.frame_size);
            if length == 0 {
                return;
            }
            let piece = stream.unsent.split_to(length);
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

fn ping(header: Header, payload: &[u8], out: &mut Vec<u8>) -> Result<(), Detail> {
    if header.stream != 0 || header.length != 8 {
        return Err("a PING frame that is none".into());
    }
    if !header.has(flag::ACK) {
        check_unsent(out)?;
        frame::put_header(8, kind::PING, flag::ACK, 0, out);
        out.extend_from_slice(payload);
    }
    Ok(())
}

/// A server that wants ever more acknowledgements and reads none of them isn't followed.
fn check_unsent(out: &[u8]) -> Result<(), Detail> {
    if out.len() > MOST_UNSENT {
        return Err("more acknowledgements asked for than taken".into());
    }
    Ok(())
}

fn oversized() -> Detail {
    format!("a frame of more than {MAX_FRAME_SIZE} bytes").into()
}
