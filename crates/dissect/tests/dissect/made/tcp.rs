//! TCP segments, and HTTP/2 in the clear.

use pronghorn_http2::frame::{PREFACE, flag, kind, put_header};
use pronghorn_path::Direction;

use super::{Trace, ip, ports};

/// The sequence numbers of the two ends' SYNs; the server's wraps around after a thousand bytes.
const CLIENT_ISN: u32 = 1000;
const SERVER_ISN: u32 = u32::MAX - 1000;

pub(crate) const SYN: u8 = 0x02;
pub(crate) const RST: u8 = 0x04;
pub(crate) const ACK: u8 = 0x10;

/// A segment whose first byte is the stream's at `place`.
pub(crate) fn segment(direction: Direction, place: u32, payload: &[u8]) -> Vec<u8> {
    let isn = match direction {
        Direction::Up => CLIENT_ISN,
        Direction::Down => SERVER_ISN,
    };
    with_flags(
        direction,
        isn.wrapping_add(1).wrapping_add(place),
        ACK,
        payload,
    )
}

/// A segment with a sequence number and flags.
pub(crate) fn with_flags(
    direction: Direction,
    sequence: u32,
    flags: u8,
    payload: &[u8],
) -> Vec<u8> {
    let mut tcp = ports(direction);
    tcp.extend(sequence.to_be_bytes());
    tcp.extend(0_u32.to_be_bytes());
    tcp.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    tcp.extend(payload);
    ip(direction, 6, &tcp)
}

/// Both SYNs, then requests of streams 1 and 3.
pub(crate) fn begin(trace: &mut Trace) {
    trace.pass(
        Direction::Up,
        0,
        with_flags(Direction::Up, CLIENT_ISN, SYN, b""),
    );
    trace.pass(
        Direction::Down,
        10,
        with_flags(Direction::Down, SERVER_ISN, SYN | ACK, b""),
    );
    let mut up = PREFACE.to_vec();
    put_header(0, kind::SETTINGS, 0, 0, &mut up);
    for stream in [1, 3] {
        put_header(
            2,
            kind::HEADERS,
            flag::END_HEADERS | flag::END_STREAM,
            stream,
            &mut up,
        );
        up.extend([0x82, 0x84]);
    }
    trace.pass(Direction::Up, 20, segment(Direction::Up, 0, &up));
}

/// A DATA frame of so many bytes, its header included.
pub(crate) fn data(stream: u32, bytes: usize) -> Vec<u8> {
    let mut frame = Vec::new();
    put_header(bytes - 9, kind::DATA, 0, stream, &mut frame);
    frame.resize(bytes, b'x');
    frame
}
