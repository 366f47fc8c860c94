//! Tests of the rules of a connection.

use proptest::prelude::*;

use super::*;
use crate::error::Scope;

fn connection(side: Side) -> Connection {
    Connection::new(side, Config::default())
}

/// Feeds `bytes` as one new stream, byte by byte or whole.
fn feed(
    connection: &mut Connection,
    stream: &mut UniStream,
    bytes: &[u8],
    piece: usize,
) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for piece in bytes.chunks(piece) {
        let mut input = Bytes::copy_from_slice(piece);
        while let Some(event) = connection.read_uni(stream, &mut input)? {
            events.push(event);
        }
    }
    Ok(events)
}

/// What a connection that has read nothing makes of one stream.
fn read(side: Side, bytes: &[u8]) -> Result<Vec<Event>, Error> {
    let whole = feed(
        &mut connection(side),
        &mut UniStream::new(),
        bytes,
        usize::MAX,
    );
    let by_bytes = feed(&mut connection(side), &mut UniStream::new(), bytes, 1);
    assert_eq!(whole, by_bytes);
    whole
}

fn refused(side: Side, bytes: &[u8]) -> Code {
    let error = read(side, bytes).unwrap_err();
    assert_eq!(error.scope, Scope::Connection);
    error.code
}

/// A control stream that goes on after empty settings.
fn control(frames: &[&[u8]]) -> Vec<u8> {
    [&[0x00, 0x04, 0x00][..], &frames.concat()].concat()
}

#[test]
fn the_opening_announces_no_dynamic_table() {
    let opening = connection(Side::Client).opening();
    assert_eq!(
        opening.control,
        &[0x00, 0x04, 0x04, 0x01, 0x00, 0x07, 0x00][..]
    );
    assert_eq!(opening.qpack_encoder, &[0x02][..]);
    assert_eq!(opening.qpack_decoder, &[0x03][..]);
}

#[test]
fn each_end_understands_the_opening_of_the_other() {
    let config = Config {
        max_field_section_size: Some(16_384),
        grease: Some(5),
    };
    let opening = Connection::new(Side::Server, config).opening();
    let mut client = connection(Side::Client);
    let mut events = Vec::new();
    for bytes in [
        opening.qpack_decoder,
        opening.qpack_encoder,
        opening.control,
    ] {
        events.extend(feed(&mut client, &mut UniStream::new(), &bytes, 1).unwrap());
    }
    let settings = Settings {
        max_field_section_size: Some(16_384),
        others: vec![(0x1f * 5 + 0x21, 5)],
        ..Settings::default()
    };
    assert_eq!(events, [Event::Settings(settings.clone())]);
    assert_eq!(client.peer_settings(), Some(&settings));
}

#[test]
fn the_control_stream_begins_with_settings() {
    for frame in [
        &[0x07, 0x01, 0x00][..],
        &[0x0d, 0x01, 0x00],
        &[0x03, 0x01, 0x00],
    ] {
        let bytes = [&[0x00][..], frame].concat();
        assert_eq!(refused(Side::Server, &bytes), Code::MissingSettings);
    }
}

#[test]
fn a_reserved_frame_before_settings_is_missing_settings() {
    let bytes = [0x00, 0x21, 0x00, 0x04, 0x00];
    assert_eq!(refused(Side::Server, &bytes), Code::MissingSettings);
}

#[test]
fn settings_come_once() {
    let again = control(&[&[0x04, 0x00]]);
    assert_eq!(refused(Side::Client, &again), Code::FrameUnexpected);
}

#[test]
fn settings_are_validated() {
    assert_eq!(
        refused(Side::Client, &[0x00, 0x04, 0x02, 0x02, 0x00]),
        Code::SettingsError
    );
    assert_eq!(
        refused(Side::Client, &[0x00, 0x04, 0x01, 0x01]),
        Code::FrameError
    );
}

#[test]
fn there_is_one_control_stream_and_one_of_each_of_qpacks() {
    for kind in [0x00, 0x02, 0x03] {
        let mut server = connection(Side::Server);
        assert!(feed(&mut server, &mut UniStream::new(), &[kind], 1).is_ok());
        let error = feed(&mut server, &mut UniStream::new(), &[kind], 1).unwrap_err();
        assert_eq!(error.code, Code::StreamCreationError);
    }
}

#[test]
fn critical_streams_stay_open() {
    for (kind, critical) in [(0x00, true), (0x02, true), (0x03, true), (0x21, false)] {
        let mut server = connection(Side::Server);
        let mut stream = UniStream::new();
        assert_eq!(server.finish_uni(&stream), Ok(()));
        feed(&mut server, &mut stream, &[kind], 1).unwrap();
        let code = server.finish_uni(&stream).map_err(|error| error.code);
        let expected = if critical {
            Err(Code::ClosedCriticalStream)
        } else {
            Ok(())
        };
        assert_eq!(code, expected);
    }
}

#[test]
fn pushes_are_never_permitted() {
    assert_eq!(refused(Side::Client, &[0x01]), Code::IdError);
    assert_eq!(refused(Side::Server, &[0x01]), Code::StreamCreationError);
    let cancel = control(&[&[0x03, 0x01, 0x00]]);
    assert_eq!(refused(Side::Client, &cancel), Code::IdError);
    assert_eq!(refused(Side::Server, &cancel), Code::IdError);
}

#[test]
fn a_stream_of_unknown_type_is_told_once_and_dropped() {
    let events = read(Side::Client, &[0x40, 0x21, 1, 2, 3, 4]).unwrap();
    assert_eq!(events, [Event::UnknownStream]);
}

#[test]
fn only_clients_open_bidirectional_streams() {
    assert_eq!(connection(Side::Server).accept_bidi(), Ok(()));
    let error = connection(Side::Client).accept_bidi().unwrap_err();
    assert_eq!(error.code, Code::StreamCreationError);
}

#[test]
fn a_goaway_never_grows() {
    let mut client = connection(Side::Client);
    let mut stream = UniStream::new();
    assert_eq!(client.peer_goaway(), None);
    let bytes = control(&[
        &[0x07, 0x01, 0x08],
        &[0x07, 0x01, 0x08],
        &[0x07, 0x01, 0x04],
    ]);
    let events = feed(&mut client, &mut stream, &bytes, 1).unwrap();
    assert_eq!(
        events[1..],
        [Event::Goaway(8), Event::Goaway(8), Event::Goaway(4)]
    );
    assert_eq!(client.peer_goaway(), Some(4));
    let error = feed(&mut client, &mut stream, &[0x07, 0x01, 0x08], 1).unwrap_err();
    assert_eq!(error.code, Code::IdError);
}

#[test]
fn a_servers_goaway_names_a_request_stream() {
    let goaway = control(&[&[0x07, 0x01, 0x05]]);
    assert_eq!(refused(Side::Client, &goaway), Code::IdError);
    assert!(read(Side::Server, &goaway).is_ok());
}

#[test]
fn a_goaway_sent_never_grows() {
    let mut server = connection(Side::Server);
    let mut out = BytesMut::new();
    server.put_goaway(8, &mut out);
    server.put_goaway(12, &mut out);
    server.put_goaway(4, &mut out);
    assert_eq!(out, &[7, 1, 8, 7, 1, 8, 7, 1, 4][..]);
}

#[test]
fn a_max_push_id_comes_from_clients_and_never_shrinks() {
    let growing = control(&[&[0x0d, 0x01, 0x01], &[0x0d, 0x01, 0x02]]);
    assert_eq!(read(Side::Server, &growing).unwrap().len(), 1);
    let shrinking = control(&[&[0x0d, 0x01, 0x02], &[0x0d, 0x01, 0x01]]);
    assert_eq!(refused(Side::Server, &shrinking), Code::IdError);
    assert_eq!(refused(Side::Client, &growing), Code::FrameUnexpected);
}

#[test]
fn identifiers_fill_their_frames() {
    for frame in [
        &[0x07, 0x00][..],
        &[0x07, 0x02, 0x04, 0x00],
        &[0x07, 0x01, 0x40],
    ] {
        assert_eq!(refused(Side::Client, &control(&[frame])), Code::FrameError);
    }
}

#[test]
fn a_priority_update_arrives() {
    let priority = Priority {
        urgency: 1,
        incremental: true,
    };
    let mut out = BytesMut::from(&control(&[])[..]);
    connection(Side::Client).put_priority_update(400, priority, &mut out);
    let events = read(Side::Server, &out).unwrap();
    let expected = Event::PriorityUpdate {
        stream_id: 400,
        priority,
    };
    assert_eq!(events[1..], [expected]);
    assert_eq!(refused(Side::Client, &out), Code::FrameUnexpected);
}

#[test]
fn a_priority_update_names_a_request_stream() {
    let update = |kind: u8, payload: &[u8]| {
        let header = [0x80, 0x0f, 0x07, kind, payload.len() as u8];
        control(&[&header, payload])
    };
    assert_eq!(refused(Side::Server, &update(0, b"\x01u=1")), Code::IdError);
    assert_eq!(refused(Side::Server, &update(0, b"")), Code::FrameError);
    assert_eq!(refused(Side::Server, &update(1, b"\x00u=1")), Code::IdError);
    assert!(read(Side::Server, &update(0, b"\x04")).is_ok());
}

#[test]
fn instructions_that_need_a_dynamic_table_are_refused() {
    assert_eq!(read(Side::Server, &[0x02, 0x20]), Ok(vec![]));
    assert_eq!(
        refused(Side::Server, &[0x02, 0x3f, 0x01]),
        Code::QpackEncoderStreamError
    );
    assert_eq!(read(Side::Server, &[0x03, 0x44]), Ok(vec![]));
    assert_eq!(
        refused(Side::Server, &[0x03, 0x80]),
        Code::QpackDecoderStreamError
    );
}

#[test]
fn an_oversized_control_frame_is_refused() {
    let header = [0x07, 0x80, 0x01, 0x00, 0x00];
    assert_eq!(
        refused(Side::Client, &control(&[&header])),
        Code::ExcessiveLoad
    );
}

proptest! {
    #[test]
    fn any_bytes_are_safe_and_read_alike_whole_and_by_bytes(bytes: Vec<u8>, client: bool) {
        let side = if client { Side::Client } else { Side::Server };
        let _ = read(side, &bytes);
    }

    #[test]
    fn any_control_stream_is_safe(bytes: Vec<u8>, client: bool) {
        let side = if client { Side::Client } else { Side::Server };
        let _ = read(side, &control(&[&bytes]));
    }
}
