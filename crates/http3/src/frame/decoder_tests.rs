//! Tests of the frame decoder, and of the encoders with it.

use proptest::prelude::*;

use super::*;
use crate::error::Scope;
use crate::frame::{kind, put_data_header, put_frame, put_headers, put_reserved};
use crate::side::Side;

const REQUEST: StreamKind = StreamKind::Request(Side::Server);
const LIMIT: u64 = 1 << 16;

/// Decodes `pieces` one after the other; payload of DATA frames is joined.
fn decode<'a>(
    stream: StreamKind,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<Piece>, Error> {
    let mut decoder = Decoder::new(stream, LIMIT);
    let mut all: Vec<Piece> = Vec::new();
    for piece in pieces {
        let mut input = Bytes::copy_from_slice(piece);
        while let Some(piece) = decoder.next(&mut input)? {
            match (all.last_mut(), piece) {
                (Some(Piece::Data(before)), Piece::Data(data)) => {
                    *before = [&before[..], &data].concat().into();
                }
                (_, piece) => all.push(piece),
            }
        }
        assert!(input.is_empty());
    }
    decoder.finish()?;
    Ok(all)
}

fn whole(stream: StreamKind, bytes: &[u8]) -> Result<Vec<Piece>, Error> {
    decode(stream, [bytes])
}

fn by_bytes(stream: StreamKind, bytes: &[u8]) -> Result<Vec<Piece>, Error> {
    decode(stream, bytes.chunks(1))
}

/// How `bytes` are refused; on a control stream, after its SETTINGS.
fn refused(stream: StreamKind, bytes: &[u8]) -> (Code, Scope) {
    let before: &[u8] = match stream {
        StreamKind::Request(_) => &[],
        StreamKind::Control(_) => &[0x04, 0x00],
    };
    let bytes = [before, bytes].concat();
    let error = whole(stream, &bytes).unwrap_err();
    assert_eq!(by_bytes(stream, &bytes), Err(error.clone()));
    (error.code, error.scope)
}

fn frame(kind: u64, payload: &[u8]) -> Vec<u8> {
    let mut out = BytesMut::new();
    put_frame(kind, payload, &mut out);
    out.to_vec()
}

#[test]
fn data_is_handed_out_without_copying() {
    let mut out = BytesMut::new();
    put_data_header(4, &mut out);
    out.extend_from_slice(b"some");
    let mut input = out.freeze();
    let payload = input[2..].as_ptr();
    let piece = Decoder::new(REQUEST, LIMIT).next(&mut input).unwrap();
    let Some(Piece::Data(data)) = piece else {
        panic!("no data: {piece:?}");
    };
    assert_eq!((data.as_ptr(), data.len()), (payload, 4));
}

#[test]
fn data_is_handed_out_as_it_arrives() {
    let mut decoder = Decoder::new(REQUEST, LIMIT);
    let mut input = Bytes::from_static(&[0x00, 0x08, b'a', b'b']);
    let first = decoder.next(&mut input).unwrap();
    assert_eq!(first, Some(Piece::Data(Bytes::from_static(b"ab"))));
    assert_eq!(decoder.next(&mut input), Ok(None));
    assert!(decoder.finish().is_err());
}

#[test]
fn empty_data_frames_are_no_pieces() {
    let bytes = [frame(kind::DATA, b""), frame(kind::DATA, b"")].concat();
    assert_eq!(whole(REQUEST, &bytes), Ok(vec![]));
}

#[test]
fn a_frame_larger_than_any_memory_is_streamed_on() {
    let mut decoder = Decoder::new(REQUEST, LIMIT);
    let mut input = Bytes::from_static(&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 7]);
    let piece = decoder.next(&mut input).unwrap();
    assert_eq!(piece, Some(Piece::Data(Bytes::from_static(&[7]))));
}

#[test]
fn unknown_and_reserved_frames_are_passed_over() {
    let mut out = BytesMut::new();
    put_reserved(7, &mut out);
    put_frame(0xaf, b"what is this?", &mut out);
    put_frame(kind::HEADERS, b"section", &mut out);
    let expected = Piece::Frame {
        kind: kind::HEADERS,
        payload: Bytes::from_static(b"section"),
    };
    assert_eq!(whole(REQUEST, &out), Ok(vec![expected.clone()]));
    assert_eq!(by_bytes(REQUEST, &out), Ok(vec![expected]));
}

#[test]
fn a_short_and_a_long_section_get_their_length() {
    for size in [0, 1, 63, 64, 16_383, 16_384, 40_000] {
        let mut out = BytesMut::from(&frame(0x21, b"before")[..]);
        put_headers(&mut out, |out| out.extend_from_slice(&vec![b'x'; size]));
        let expected = Piece::Frame {
            kind: kind::HEADERS,
            payload: vec![b'x'; size].into(),
        };
        assert_eq!(whole(REQUEST, &out), Ok(vec![expected]));
    }
}

#[test]
fn frame_types_of_http_2_are_unexpected_on_every_stream() {
    for kind in [0x02, 0x06, 0x08, 0x09] {
        for side in [Side::Client, Side::Server] {
            for stream in [StreamKind::Request(side), StreamKind::Control(side)] {
                let refused = refused(stream, &frame(kind, b""));
                assert_eq!(refused, (Code::FrameUnexpected, Scope::Connection));
            }
        }
    }
}

#[test]
fn control_frames_are_unexpected_on_request_streams() {
    for kind in [
        kind::CANCEL_PUSH,
        kind::SETTINGS,
        kind::GOAWAY,
        kind::MAX_PUSH_ID,
        kind::PRIORITY_UPDATE_REQUEST,
        kind::PRIORITY_UPDATE_PUSH,
    ] {
        for side in [Side::Client, Side::Server] {
            let refused = refused(StreamKind::Request(side), &frame(kind, b"\x00"));
            assert_eq!(refused, (Code::FrameUnexpected, Scope::Connection));
        }
    }
}

#[test]
fn message_frames_are_unexpected_on_control_streams() {
    for kind in [kind::DATA, kind::HEADERS, kind::PUSH_PROMISE] {
        for side in [Side::Client, Side::Server] {
            let refused = refused(StreamKind::Control(side), &frame(kind, b"\x00"));
            assert_eq!(refused, (Code::FrameUnexpected, Scope::Connection));
        }
    }
}

#[test]
fn the_first_frame_of_a_control_stream_is_settings() {
    for kind in [kind::GOAWAY, kind::DATA, 0x02, 0x21] {
        let error = whole(StreamKind::Control(Side::Client), &frame(kind, b"\x00")).unwrap_err();
        assert_eq!(error.code, Code::MissingSettings);
    }
}

#[test]
fn what_only_clients_send_is_unexpected_from_a_server() {
    for kind in [
        kind::MAX_PUSH_ID,
        kind::PRIORITY_UPDATE_REQUEST,
        kind::PRIORITY_UPDATE_PUSH,
    ] {
        let refused = refused(StreamKind::Control(Side::Client), &frame(kind, b"\x00"));
        assert_eq!(refused, (Code::FrameUnexpected, Scope::Connection));
    }
}

#[test]
fn a_push_promise_is_an_id_error_for_the_client_and_unexpected_for_the_server() {
    let promise = frame(kind::PUSH_PROMISE, b"\x00");
    let (client, _) = refused(StreamKind::Request(Side::Client), &promise);
    let (server, _) = refused(StreamKind::Request(Side::Server), &promise);
    assert_eq!((client, server), (Code::IdError, Code::FrameUnexpected));
}

#[test]
fn a_stream_that_ends_within_a_frame_is_a_frame_error() {
    for bytes in [
        &b"\x40"[..],
        b"\x00",
        b"\x00\x40",
        b"\x00\x02a",
        b"\x01\x02a",
        b"\x21\x02a",
    ] {
        assert_eq!(
            refused(REQUEST, bytes),
            (Code::FrameError, Scope::Connection)
        );
    }
}

#[test]
fn a_frame_above_the_limit_is_refused_before_its_payload() {
    let headers = [0x01, 0x80, 0x01, 0x00, 0x01];
    assert_eq!(
        refused(REQUEST, &headers),
        (Code::ExcessiveLoad, Scope::Stream)
    );
    let settings = [0x04, 0x80, 0x01, 0x00, 0x01];
    assert_eq!(
        refused(StreamKind::Control(Side::Server), &settings),
        (Code::ExcessiveLoad, Scope::Connection)
    );
}

fn any_frames() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![
        Just(kind::DATA),
        Just(kind::HEADERS),
        Just(0x21u64),
        Just(0x1234_5678_9abc)
    ];
    let one = (kind, any::<Vec<u8>>()).prop_map(|(kind, payload)| frame(kind, &payload));
    prop::collection::vec(one, 0..8).prop_map(|frames| frames.concat())
}

proptest! {
    #[test]
    fn pieces_of_any_size_decode_as_the_whole(
        bytes in any_frames(),
        cuts in prop::collection::vec(1usize..40, 1..20),
    ) {
        let mut rest = &bytes[..];
        let mut pieces = Vec::new();
        for cut in cuts.into_iter().cycle() {
            let (piece, tail) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = tail;
            if rest.is_empty() {
                break;
            }
        }
        let expected = whole(REQUEST, &bytes);
        prop_assert!(expected.is_ok());
        prop_assert_eq!(decode(REQUEST, pieces), expected.clone());
        prop_assert_eq!(by_bytes(REQUEST, &bytes), expected);
    }

    #[test]
    fn any_bytes_decode_alike_whole_and_by_bytes(bytes: Vec<u8>, control: bool, client: bool) {
        let side = if client { Side::Client } else { Side::Server };
        let stream = if control { StreamKind::Control(side) } else { StreamKind::Request(side) };
        prop_assert_eq!(whole(stream, &bytes), by_bytes(stream, &bytes));
    }
}
