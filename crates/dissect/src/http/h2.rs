//! HTTP/2 (RFC 9113): whose frames are whose, and what was asked for.

use std::collections::HashMap;
use std::ops::Range;

use pronghorn_http2::frame::{self, HEADER, Header, PREFACE, flag, kind, setting};
use pronghorn_http2::hpack::Decoder;

use super::h2_windows::{Sent, Windows};
use super::{Exchanges, Owned, RequestAt};

/// A frame, and where it lies; the last one may be cut short.
struct Frame<'a> {
    header: Header,
    payload: &'a [u8],
    range: Range<u64>,
    whole: bool,
}

fn frames(bytes: &[u8], from: usize) -> impl Iterator<Item = Frame<'_>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let header = Header::read(bytes.get(at..)?.first_chunk()?);
        let (start, end) = (at, at + HEADER + header.length);
        at = end;
        let there = end.min(bytes.len());
        Some(Frame {
            header,
            payload: &bytes[start + HEADER..there],
            range: start as u64..there as u64,
            whole: there == end,
        })
    })
}

pub(super) fn read(up: &[u8], down: &[u8]) -> Exchanges {
    let mut told = Exchanges::default();
    let mut table = None;
    let sent = responses(down, &mut told, &mut table);
    requests(up, &sent, table, &mut told);
    told
}

/// Notes whose the frames towards the client are; gives how content lies in the streams. `table`: the size that the
/// server allows the client's header table.
fn responses(down: &[u8], told: &mut Exchanges, table: &mut Option<u32>) -> Sent {
    let mut offsets = HashMap::<u32, u64>::new();
    let mut sent = Sent::default();
    let (mut settings, mut head) = (false, false);
    for frame in frames(down, 0) {
        let (header, stream) = (frame.header, frame.header.stream);
        let length = frame.range.end - frame.range.start;
        if stream == 0 {
            if header.kind == kind::SETTINGS && !settings {
                settings = true;
                told.marks[0].push((frame.range.start, "SETTINGS"));
                *table = in_settings(frame.payload, setting::HEADER_TABLE_SIZE);
            }
            continue;
        }
        if header.kind == kind::HEADERS && !head {
            head = true;
            told.marks[0].push((frame.range.start, "head of the response"));
        }
        let offset = offsets.entry(stream).or_default();
        if header.kind == kind::DATA {
            let content = (length as usize).saturating_sub(HEADER) as u64;
            sent.add(stream, *offset + HEADER as u64, content);
            if content > 0 && told.first_content.is_none() {
                told.first_content = Some(frame.range.start + HEADER as u64);
            }
        }
        sent.add_bytes(stream, length);
        told.owned.push(Owned {
            range: frame.range,
            stream: stream.into(),
            offset: *offset,
        });
        *offset += length;
    }
    sent
}

/// Notes what is asked for, and what windows the client opens.
fn requests(up: &[u8], sent: &Sent, table: Option<u32>, told: &mut Exchanges) {
    let mut decoder = Decoder::default();
    if let Some(bytes) = table {
        decoder.allow(bytes);
    }
    let mut windows = Windows::new(sent);
    let mut block = Block::default();
    let mut settings = false;
    for frame in frames(up, PREFACE.len()).take_while(|frame| frame.whole) {
        let (header, at) = (frame.header, frame.range.end - 1);
        match header.kind {
            kind::HEADERS => {
                let Some(payload) = frame::without_padding(header, frame.payload) else {
                    continue;
                };
                block = Block {
                    at: frame.range.start,
                    bytes: payload.to_vec(),
                };
                windows.open(header.stream, at);
            }
            kind::CONTINUATION => block.bytes.extend_from_slice(frame.payload),
            kind::SETTINGS if !header.has(flag::ACK) => {
                if !settings {
                    settings = true;
                    told.marks[1].push((frame.range.start, "SETTINGS"));
                }
                if let Some(window) = in_settings(frame.payload, setting::INITIAL_WINDOW_SIZE) {
                    windows.initial(window, at);
                }
            }
            kind::WINDOW_UPDATE => {
                if let Some(more) = frame::number(frame.payload) {
                    windows.more(header.stream, more & 0x7fff_ffff, at);
                }
            }
            _ => {}
        }
        let ends_block = matches!(header.kind, kind::HEADERS | kind::CONTINUATION)
            && header.has(flag::END_HEADERS);
        if ends_block {
            request(header.stream, &block, &mut decoder, told);
        }
    }
    told.limits = windows.limits;
}

#[derive(Default)]
struct Block {
    at: u64,
    bytes: Vec<u8>,
}

fn request(stream: u32, block: &Block, decoder: &mut Decoder, told: &mut Exchanges) {
    let (mut method, mut path) = (None, None);
    let text = |value: &[u8]| Some(String::from_utf8_lossy(value).into_owned());
    let read = decoder.decode(&block.bytes, |name, value| match name {
        b":method" => method = text(value),
        b":path" => path = text(value),
        _ => {}
    });
    if read.is_err() {
        told.why_not = Some("a header block of the client can't be decompressed".into());
    }
    let is_trailer = told
        .requests
        .iter()
        .any(|request| request.id == i64::from(stream));
    if !is_trailer {
        told.marks[1].push((block.at, "request"));
        told.requests.push(RequestAt {
            id: stream.into(),
            method,
            path,
            at: block.at,
        });
    }
}

/// The last value of a setting within a SETTINGS frame's payload.
fn in_settings(payload: &[u8], wanted: u16) -> Option<u32> {
    let pairs = payload.chunks_exact(6).map(|pair| {
        let identifier = u16::from_be_bytes([pair[0], pair[1]]);
        (
            identifier,
            u32::from_be_bytes([pair[2], pair[3], pair[4], pair[5]]),
        )
    });
    pairs
        .filter(|(identifier, _)| *identifier == wanted)
        .map(|(_, value)| value)
        .next_back()
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use pronghorn_http2::frame::{put_header, put_number};
    use pronghorn_http2::hpack::put_field;

    use super::*;
    use crate::arrivals::Scope;
    use crate::http::LimitAt;

    fn asks() -> Vec<u8> {
        let mut up = PREFACE.to_vec();
        put_header(6, kind::SETTINGS, 0, 0, &mut up);
        up.extend([0, 4, 0, 0, 0, 100]);
        let mut block = BytesMut::new();
        put_field(b":method", b"GET", &mut block);
        put_field(b":path", b"/a.css", &mut block);
        put_header(
            block.len(),
            kind::HEADERS,
            flag::END_HEADERS | flag::END_STREAM,
            1,
            &mut up,
        );
        up.extend_from_slice(&block);
        put_number(kind::WINDOW_UPDATE, 1, 50, &mut up);
        up
    }

    #[test]
    fn frames_belong_to_their_streams_and_limits_count_as_the_pieces_do() {
        let mut down = Vec::new();
        put_header(0, kind::SETTINGS, 0, 0, &mut down);
        put_header(3, kind::HEADERS, flag::END_HEADERS, 1, &mut down);
        down.extend([0x88, 0x88, 0x88]);
        for length in [60, 40] {
            put_header(length, kind::DATA, 0, 1, &mut down);
            down.extend(vec![7; length]);
        }
        let told = read(&asks(), &down);
        assert_eq!(
            (told.requests[0].id, told.requests[0].path.as_deref()),
            (1, Some("/a.css"))
        );
        let owned: Vec<_> = told
            .owned
            .iter()
            .map(|one| (one.range.clone(), one.stream, one.offset))
            .collect();
        assert_eq!(owned, [(9..21, 1, 0), (21..90, 1, 12), (90..139, 1, 81)]);
        assert_eq!(told.first_content, Some(30));
        // 100 bytes of content end with the stream's 130th byte: 12 of HEADERS, twice 9 of DATA's frames.
        let at = |scope| move |limit: &&LimitAt| limit.scope == scope;
        let stream: Vec<u64> = told
            .limits
            .iter()
            .filter(at(Scope::Stream(1)))
            .map(|limit| limit.offset)
            .collect();
        assert_eq!(stream, [130, 180]);
    }

    #[test]
    fn a_frame_that_is_cut_short_is_its_streams_all_the_same() {
        let mut down = Vec::new();
        put_header(1000, kind::DATA, 0, 3, &mut down);
        down.extend([0; 10]);
        let told = read(&asks(), &down);
        assert_eq!(
            told.owned,
            [Owned {
                range: 0..19,
                stream: 3,
                offset: 0
            }]
        );
    }
}
