//! A client and a server in memory, with a request and its response between them.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode, Uri};
use pronghorn_http_wire::Priority;
use pronghorn_http3::connection::{Config, Connection, Event as ConnectionEvent, UniStream};
use pronghorn_http3::message::{
    Event, RequestReader, ResponseReader, put_request, put_response, put_trailers,
};
use pronghorn_http3::{Code, Error, Scope, Side, frame};

const MAX_FIELD_SECTION_SIZE: u64 = 16 * 1024;

/// What one end sent on its streams, in the order in which it was written.
#[derive(Default)]
struct Wire {
    pieces: VecDeque<(u64, Bytes)>,
}

impl Wire {
    /// Writes `bytes` on `stream`, cut into pieces of at most `piece` bytes.
    fn write(&mut self, stream: u64, bytes: &[u8], piece: usize) {
        for piece in bytes.chunks(piece) {
            self.pieces
                .push_back((stream, Bytes::copy_from_slice(piece)));
        }
    }
}

/// One end: its connection, and the streams that the peer opened.
struct End {
    connection: Connection,
    uni: BTreeMap<u64, UniStream>,
    events: Vec<ConnectionEvent>,
}

impl End {
    fn new(side: Side) -> Self {
        let config = Config {
            max_field_section_size: Some(MAX_FIELD_SECTION_SIZE),
            grease: Some(7),
        };
        End {
            connection: Connection::new(side, config),
            uni: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    /// Opens the control stream on `first` and QPACK's on the next two of this end.
    fn open(&self, first: u64, wire: &mut Wire, piece: usize) {
        let opening = self.connection.opening();
        wire.write(first + 4, &opening.qpack_encoder, piece);
        wire.write(first, &opening.control, piece);
        wire.write(first + 8, &opening.qpack_decoder, piece);
    }

    fn read_uni(&mut self, stream: u64, mut input: Bytes) -> Result<(), Error> {
        let stream = self.uni.entry(stream).or_default();
        while let Some(event) = self.connection.read_uni(stream, &mut input)? {
            self.events.push(event);
        }
        Ok(())
    }
}

fn is_unidirectional(stream: u64) -> bool {
    stream & 0b10 != 0
}

fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
    fields
        .iter()
        .map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect()
}

/// One request with content and trailers and its response, with every write cut into pieces.
fn exchange(piece: usize) {
    let mut client = End::new(Side::Client);
    let mut server = End::new(Side::Server);
    let (mut up, mut down) = (Wire::default(), Wire::default());

    client.open(2, &mut up, piece);
    let uri: Uri = "https://shop.example/basket?item=7".parse().unwrap();
    let fields = headers(&[
        ("content-length", "11"),
        ("priority", "u=1, i"),
        ("x-trace", "0f"),
    ]);
    let mut out = BytesMut::new();
    put_request(&Method::POST, &uri, &fields, &mut out).unwrap();
    frame::put_data_header(11, &mut out);
    out.extend_from_slice(b"two of them");
    put_trailers(&headers(&[("x-sum", "17")]), &mut out).unwrap();
    up.write(0, &out, piece);

    let mut reader = RequestReader::request(MAX_FIELD_SECTION_SIZE);
    let mut request = None;
    let mut content = Vec::new();
    let mut trailers = None;
    while let Some((stream, mut input)) = up.pieces.pop_front() {
        if is_unidirectional(stream) {
            server.read_uni(stream, input).unwrap();
            continue;
        }
        while let Some(event) = reader.next(&mut input).unwrap() {
            match event {
                Event::Head(parts) => request = Some(parts),
                Event::Data(data) => content.extend_from_slice(&data),
                Event::Trailers(fields) => trailers = Some(fields),
                Event::Informational(_) => panic!("an informational request"),
            }
        }
    }
    reader.finish().unwrap();

    let request = request.unwrap();
    assert_eq!(
        (&request.method, &request.uri, &request.headers),
        (&Method::POST, &uri, &fields)
    );
    let priority = Priority::from_headers(&request.headers);
    assert_eq!((priority.urgency, priority.incremental), (1, true));
    assert_eq!(content, b"two of them");
    assert_eq!(trailers, Some(headers(&[("x-sum", "17")])));

    server.open(3, &mut down, piece);
    let mut out = BytesMut::new();
    put_response(StatusCode::EARLY_HINTS, &HeaderMap::new(), &mut out).unwrap();
    let fields = headers(&[
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
    ]);
    put_response(StatusCode::CREATED, &fields, &mut out).unwrap();
    for half in ["<p>", "7"] {
        frame::put_reserved(half.len() as u64, &mut out);
        frame::put_data_header(half.len() as u64, &mut out);
        out.extend_from_slice(half.as_bytes());
    }
    down.write(0, &out, piece);

    let mut reader = ResponseReader::response(&Method::POST, MAX_FIELD_SECTION_SIZE);
    let mut statuses = Vec::new();
    let mut content = Vec::new();
    while let Some((stream, mut input)) = down.pieces.pop_front() {
        if is_unidirectional(stream) {
            client.read_uni(stream, input).unwrap();
            continue;
        }
        while let Some(event) = reader.next(&mut input).unwrap() {
            match event {
                Event::Informational(parts) => statuses.push(parts.status),
                Event::Head(parts) => {
                    statuses.push(parts.status);
                    assert_eq!(parts.headers, fields);
                }
                Event::Data(data) => content.extend_from_slice(&data),
                Event::Trailers(_) => panic!("no trailers were sent"),
            }
        }
    }
    reader.finish().unwrap();
    assert_eq!(statuses, [StatusCode::EARLY_HINTS, StatusCode::CREATED]);
    assert_eq!(content, b"<p>7");

    for end in [&client, &server] {
        let settings = end.connection.peer_settings().unwrap();
        assert_eq!(
            settings.max_field_section_size,
            Some(MAX_FIELD_SECTION_SIZE)
        );
        assert_eq!(settings.qpack_max_table_capacity, 0);
        assert_eq!(end.events, [ConnectionEvent::Settings(settings.clone())]);
    }
}

#[test]
fn a_request_and_its_response_pass_whole() {
    exchange(usize::MAX);
}

#[test]
fn a_request_and_its_response_pass_byte_by_byte() {
    exchange(1);
}

#[test]
fn a_request_and_its_response_pass_in_pieces_of_any_size() {
    for piece in 2..40 {
        exchange(piece);
    }
}

#[test]
fn a_priority_update_changes_the_order_of_responses() {
    let client = Connection::new(Side::Client, Config::default());
    let mut out = BytesMut::from(&client.opening().control[..]);
    let urgent = Priority {
        urgency: 0,
        incremental: false,
    };
    client.put_priority_update(8, urgent, &mut out);

    let mut server = End::new(Side::Server);
    server.read_uni(2, out.freeze()).unwrap();
    let update = ConnectionEvent::PriorityUpdate {
        stream_id: 8,
        priority: urgent,
    };
    assert!(server.events.contains(&update));
}

#[test]
fn a_server_that_goes_away_is_heard() {
    let mut server = Connection::new(Side::Server, Config::default());
    let mut out = BytesMut::from(&server.opening().control[..]);
    server.put_goaway(4, &mut out);

    let mut client = End::new(Side::Client);
    client.read_uni(3, out.freeze()).unwrap();
    assert_eq!(client.connection.peer_goaway(), Some(4));
}

#[test]
fn a_malformed_request_costs_its_stream_alone() {
    let mut out = BytesMut::new();
    frame::put_headers(&mut out, |out| {
        pronghorn_http3::qpack::encode_prefix(out);
        pronghorn_http3::qpack::encode_field(b":method", b"GET", false, out);
    });
    let error = RequestReader::request(MAX_FIELD_SECTION_SIZE)
        .next(&mut out.freeze())
        .unwrap_err();
    assert_eq!(
        (error.code, error.scope),
        (Code::MessageError, Scope::Stream)
    );
}
