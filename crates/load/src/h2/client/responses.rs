//! The frames of responses.

use super::{Block, Client};
use crate::connection::{Detail, Event, FailureKind};
use crate::h2::response::Head;
use pronghorn_http2::frame::{self, Header, code, flag, kind};

/// The longest header block, in bytes.
const LONGEST_BLOCK: usize = 256 * 1024;

impl Client {
    pub(super) fn data(
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
        self.payload += content.len() as u64;
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

    pub(super) fn headers(
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

    pub(super) fn continuation(
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
            earlier.grpc.trailed_by(head.grpc);
            let misplaced = (!ends_stream || head.status != 0)
                .then_some("a second head, or trailers amid content");
            if let Some(fault) = misplaced.or(head.fault()) {
                self.spoil(identifier, fault, out, events);
                return Ok(());
            }
        } else if let Some(fault) = head.fault() {
            self.spoil(identifier, fault, out, events);
            return Ok(());
        } else if head.status == 0 || (head.status < 200 && ends_stream) {
            self.spoil(identifier, "a response without a status", out, events);
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
        let early = !stream.unsent.is_empty();
        if early {
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
                grpc: head.grpc.of(came),
                early,
            }),
        }
    }

    /// A response is against the rules, and the connection goes on (RFC 9113 §8.1.1).
    pub(super) fn spoil(
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

    pub(super) fn reset(
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
                detail: format!("the server reset the stream with {}", code::name(code)).into(),
            },
        });
        Ok(())
    }
}
