//! Tests of the order of frames and of content's length.

use bytes::BytesMut;
use http::StatusCode;
use proptest::prelude::*;

use super::*;
use crate::error::Scope;
use crate::frame::{kind, put_frame, put_headers};
use crate::message::{put_request, put_response, put_trailers};
use crate::qpack::Field;

const NO_LIMIT: u64 = 1 << 20;

fn request(fields: &[(&'static str, &'static str)]) -> Vec<u8> {
    let headers = fields
        .iter()
        .map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect();
    let uri = "https://shop.example/".parse().unwrap();
    let mut out = BytesMut::new();
    put_request(&Method::POST, &uri, &headers, &mut out).unwrap();
    out.to_vec()
}

fn response(status: u16, fields: &[(&'static str, &'static str)]) -> Vec<u8> {
    let headers = fields
        .iter()
        .map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect();
    let mut out = BytesMut::new();
    put_response(StatusCode::from_u16(status).unwrap(), &headers, &mut out).unwrap();
    out.to_vec()
}

fn section(fields: &[(&'static str, &'static str)]) -> Vec<u8> {
    let fields: Vec<Field> = fields.iter().map(|&(n, v)| Field::new(n, v)).collect();
    let mut out = BytesMut::new();
    put_headers(&mut out, |out| qpack::encode(&fields, out));
    out.to_vec()
}

fn trailers() -> Vec<u8> {
    let mut headers = HeaderMap::new();
    headers.insert("x-sum", "1".parse().unwrap());
    let mut out = BytesMut::new();
    put_trailers(&headers, &mut out).unwrap();
    out.to_vec()
}

fn data(content: &[u8]) -> Vec<u8> {
    let mut out = BytesMut::new();
    put_frame(kind::DATA, content, &mut out);
    out.to_vec()
}

/// What the message is made of, as one word an event.
fn read<R: Role>(mut reader: Reader<R>, pieces: &[&[u8]]) -> Result<Vec<String>, Error> {
    let mut events = Vec::new();
    for piece in pieces {
        let mut input = Bytes::copy_from_slice(piece);
        while let Some(event) = reader.next(&mut input)? {
            events.push(match event {
                Event::Informational(_) => "informational".to_owned(),
                Event::Head(_) => "head".to_owned(),
                Event::Data(data) => String::from_utf8(data.to_vec()).unwrap(),
                Event::Trailers(_) => "trailers".to_owned(),
            });
        }
    }
    reader.finish()?;
    Ok(events)
}

fn read_request(frames: &[Vec<u8>]) -> Result<Vec<String>, Error> {
    read(Reader::request(NO_LIMIT), &[&frames.concat()])
}

fn read_response(method: &Method, frames: &[Vec<u8>]) -> Result<Vec<String>, Error> {
    let bytes = frames.concat();
    let parsed = read(Reader::response(method, NO_LIMIT), &[&bytes]);
    let raw = read(Reader::raw_response(method, NO_LIMIT), &[&bytes]);
    assert_eq!(parsed, raw);
    parsed
}

fn unexpected(result: Result<Vec<String>, Error>) -> &'static str {
    let error = result.unwrap_err();
    let expected = (Code::FrameUnexpected, Scope::Connection);
    assert_eq!((error.code, error.scope), expected);
    error.reason
}

fn malformed(result: Result<Vec<String>, Error>) -> &'static str {
    let error = result.unwrap_err();
    let expected = (Code::MessageError, Scope::Stream);
    assert_eq!((error.code, error.scope), expected);
    error.reason
}

#[test]
fn a_whole_request_is_head_content_and_trailers() {
    let frames = [request(&[]), data(b"some"), data(b"more"), trailers()];
    let events = read_request(&frames).unwrap();
    assert_eq!(events, ["head", "some", "more", "trailers"]);
    assert_eq!(read_request(&[request(&[])]).unwrap(), ["head"]);
    let without_content = [request(&[]), trailers()];
    assert_eq!(
        read_request(&without_content).unwrap(),
        ["head", "trailers"]
    );
}

#[test]
fn informational_responses_precede_the_final_one() {
    let frames = [
        response(103, &[]),
        response(100, &[]),
        response(200, &[]),
        data(b"x"),
    ];
    let events = read_response(&Method::GET, &frames).unwrap();
    assert_eq!(events, ["informational", "informational", "head", "x"]);
    assert_eq!(
        unexpected(read_response(
            &Method::GET,
            &[response(103, &[]), data(b"x")]
        )),
        "DATA before HEADERS"
    );
    assert_eq!(
        malformed(read_response(&Method::GET, &[response(103, &[])])),
        "no response on the stream"
    );
}

#[test]
fn frames_out_of_order_are_unexpected() {
    let head = request(&[]);
    assert_eq!(
        unexpected(read_request(&[data(b"x")])),
        "DATA before HEADERS"
    );
    assert_eq!(
        unexpected(read_request(&[head.clone(), trailers(), data(b"x")])),
        "DATA after the trailers"
    );
    assert_eq!(
        unexpected(read_request(&[head, trailers(), trailers()])),
        "HEADERS after the trailers"
    );
}

#[test]
fn a_stream_without_a_request_is_incomplete() {
    let error = read_request(&[]).unwrap_err();
    let expected = (Code::RequestIncomplete, Scope::Stream);
    assert_eq!((error.code, error.scope), expected);
}

#[test]
fn content_is_as_long_as_stated() {
    let head = || request(&[("content-length", "4")]);
    assert!(read_request(&[head(), data(b"so"), data(b"me")]).is_ok());
    assert_eq!(
        malformed(read_request(&[head(), data(b"some"), data(b"!")])),
        "more content than content-length"
    );
    for frames in [
        vec![head()],
        vec![head(), data(b"som")],
        vec![head(), data(b"som"), trailers()],
    ] {
        assert_eq!(
            malformed(read_request(&frames)),
            "less content than content-length"
        );
    }
}

#[test]
fn responses_that_have_no_content_may_state_a_length() {
    let head = || [response(200, &[("content-length", "4")])];
    assert!(read_response(&Method::HEAD, &head()).is_ok());
    assert!(malformed(read_response(&Method::GET, &head())).starts_with("less"));
    for status in [204, 304] {
        let head = response(status, &[("content-length", "4")]);
        assert!(read_response(&Method::GET, std::slice::from_ref(&head)).is_ok());
        assert!(malformed(read_response(&Method::GET, &[head, data(b"some")])).starts_with("more"));
    }
    let with_content = [response(200, &[]), data(b"x")];
    assert!(malformed(read_response(&Method::HEAD, &with_content)).starts_with("more"));
}

#[test]
fn a_tunnel_carries_data_alone() {
    let tunnel = || response(200, &[]);
    let events = read_response(&Method::CONNECT, &[tunnel(), data(b"x"), data(b"y")]).unwrap();
    assert_eq!(events, ["head", "x", "y"]);
    assert_eq!(
        unexpected(read_response(&Method::CONNECT, &[tunnel(), trailers()])),
        "HEADERS within a tunnel"
    );
    let refused = [response(502, &[]), data(b"why"), trailers()];
    assert!(read_response(&Method::CONNECT, &refused).is_ok());
    let connect = section(&[(":method", "CONNECT"), (":authority", "a:1")]);
    assert_eq!(
        unexpected(read_request(&[connect, data(b"x"), trailers()])),
        "HEADERS within a tunnel"
    );
}

#[test]
fn trailers_have_no_pseudo_header_fields_and_obey_the_rules_of_fields() {
    for (name, value) in [
        (":status", "200"),
        ("X", "y"),
        ("connection", "x"),
        ("te", "trailers"),
    ] {
        malformed(read_request(&[request(&[]), section(&[(name, value)])]));
    }
}

#[test]
fn a_section_above_the_limit_costs_the_stream() {
    for size in [1000, 40_000] {
        let mut out = BytesMut::new();
        let fields = [Field::new("x", vec![b'x'; size])];
        put_headers(&mut out, |out| qpack::encode(&fields, out));
        let error = read(Reader::request(900), &[&out]).unwrap_err();
        let expected = (Code::ExcessiveLoad, Scope::Stream);
        assert_eq!((error.code, error.scope), expected);
    }
}

#[test]
fn the_raw_response_keeps_its_fields() {
    let mut input = Bytes::from(response(200, &[("server", "pronghorn")]));
    let mut reader = Reader::raw_response(&Method::GET, NO_LIMIT);
    let Ok(Some(Event::Head(head))) = reader.next(&mut input) else {
        panic!("no head");
    };
    let expected = [
        Field::new(":status", "200"),
        Field::new("server", "pronghorn"),
    ];
    assert_eq!(
        (head.status, &head.fields[..]),
        (StatusCode::OK, &expected[..])
    );
}

#[test]
fn a_secret_stays_marked() {
    let mut headers = HeaderMap::new();
    let mut secret = http::HeaderValue::from_static("a=b");
    secret.set_sensitive(true);
    headers.insert("cookie", secret);
    let mut out = BytesMut::new();
    let uri = "https://a/".parse().unwrap();
    put_request(&Method::GET, &uri, &headers, &mut out).unwrap();
    let event = Reader::request(NO_LIMIT).next(&mut out.freeze());
    let Ok(Some(Event::Head(parts))) = event else {
        panic!("no head");
    };
    assert!(parts.headers["cookie"].is_sensitive());
}

/// The events of a message, with content joined, and the error that ended it.
fn outcome(bytes: &[u8], piece: usize) -> (Vec<String>, Option<Error>) {
    let mut reader = Reader::response(&Method::GET, 4096);
    let mut events: Vec<String> = Vec::new();
    let mut error = None;
    'stream: for piece in bytes.chunks(piece) {
        let mut input = Bytes::copy_from_slice(piece);
        loop {
            match reader.next(&mut input) {
                Ok(None) => break,
                Ok(Some(Event::Data(data))) => events.extend(data.iter().map(u8::to_string)),
                Ok(Some(event)) => events.push(format!("{event:?}")),
                Err(found) => {
                    error = Some(found);
                    break 'stream;
                }
            }
        }
    }
    (events, error.or(reader.finish().err()))
}

fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(response(200, &[])),
        Just(response(103, &[])),
        Just(response(200, &[("content-length", "3")])),
        Just(trailers()),
        "[ -~]{0,9}".prop_map(|content| data(content.as_bytes())),
        any::<Vec<u8>>().prop_map(|payload| {
            let mut out = BytesMut::new();
            put_frame(kind::HEADERS, &[&[0, 0][..], &payload].concat(), &mut out);
            out.to_vec()
        }),
        any::<Vec<u8>>().prop_map(|payload| {
            let mut out = BytesMut::new();
            put_frame(0x21, &payload, &mut out);
            out.to_vec()
        }),
    ]
}

proptest! {
    #[test]
    fn a_message_by_bytes_is_the_message_whole(
        frames in prop::collection::vec(any_frame(), 0..6),
        cut in 0usize..3,
        piece in 1usize..50,
    ) {
        let mut bytes = frames.concat();
        bytes.truncate(bytes.len().saturating_sub(cut));
        let (whole, error) = outcome(&bytes, usize::MAX);
        for piece in [1, piece] {
            let (split, same_error) = outcome(&bytes, piece);
            prop_assert_eq!(&same_error, &error);
            // Of content beyond content-length, smaller pieces hand out more before the error.
            prop_assert!(split.starts_with(&whole));
            prop_assert!(error.is_some() || split == whole);
        }
    }

    #[test]
    fn any_bytes_are_safe(bytes: Vec<u8>, after_prefix: bool) {
        let bytes = if after_prefix {
            section(&[]).into_iter().chain(bytes).collect()
        } else {
            bytes
        };
        let _ = read(Reader::request(NO_LIMIT), &[&bytes]);
        let _ = read(Reader::raw_response(&Method::GET, NO_LIMIT), &[&bytes]);
    }

    #[test]
    fn any_fields_are_safe(
        fields in prop::collection::vec(("[:a-zA-Z-]{0,12}", any::<Vec<u8>>()), 0..10),
    ) {
        let known = [":method", ":scheme", ":authority", ":path", ":status", "host"];
        for offset in 0..known.len() {
            let fields: Vec<Field> = fields
                .iter()
                .enumerate()
                .map(|(index, (name, value))| match known.get(index + offset) {
                    Some(&name) => Field::new(name, value.clone()),
                    None => Field::new(name.clone(), value.clone()),
                })
                .collect();
            let mut out = BytesMut::new();
            put_headers(&mut out, |out| qpack::encode(&fields, out));
            let _ = outcome(&out, usize::MAX);
            let _ = Reader::request(NO_LIMIT).next(&mut out.freeze());
        }
    }
}
