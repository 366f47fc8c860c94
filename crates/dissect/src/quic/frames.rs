//! Frames (RFC 9000 §19, RFC 9221, draft-ietf-quic-ack-frequency).

use crate::reader::Reader;

/// What is of interest in a packet's payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    Ack,
    Crypto {
        offset: u64,
        bytes: &'a [u8],
    },
    Stream {
        id: u64,
        offset: u64,
        bytes: &'a [u8],
    },
    MaxData(u64),
    MaxStreamData {
        id: u64,
        limit: u64,
    },
    NewConnectionId {
        id: &'a [u8],
        reset_token: [u8; 16],
    },
    /// One that is but named.
    Named(&'static str),
    Padding,
}

/// The frames of a payload up to the first that isn't known or is broken; the second tells whether there is one.
pub(super) fn read(payload: &[u8]) -> (Vec<Frame<'_>>, bool) {
    let mut rest = Reader(payload);
    let mut frames = Vec::new();
    while !rest.is_empty() {
        match next(&mut rest) {
            Some(Frame::Padding) => {}
            Some(frame) => frames.push(frame),
            None => return (frames, true),
        }
    }
    (frames, false)
}

fn next<'a>(rest: &mut Reader<'a>) -> Option<Frame<'a>> {
    let kind = rest.varint()?;
    let skip = |rest: &mut Reader<'a>, integers: usize, name| {
        for _ in 0..integers {
            rest.varint()?;
        }
        Some(Frame::Named(name))
    };
    match kind {
        0x00 => Some(Frame::Padding),
        0x01 => Some(Frame::Named("PING")),
        0x02 | 0x03 => {
            rest.varint()?;
            rest.varint()?;
            let ranges = rest.varint()?;
            rest.varint()?;
            for _ in 0..ranges {
                rest.varint()?;
                rest.varint()?;
            }
            for _ in 0..if kind == 0x03 { 3 } else { 0 } {
                rest.varint()?;
            }
            Some(Frame::Ack)
        }
        0x04 => skip(rest, 3, "RESET_STREAM"),
        0x05 => skip(rest, 2, "STOP_SENDING"),
        0x06 => {
            let offset = rest.varint()?;
            Some(Frame::Crypto {
                offset,
                bytes: rest.varint_bytes()?,
            })
        }
        0x07 => rest.varint_bytes().map(|_| Frame::Named("NEW_TOKEN")),
        0x08..=0x0f => stream(rest, kind),
        0x10 => rest.varint().map(Frame::MaxData),
        0x11 => {
            let id = rest.varint()?;
            Some(Frame::MaxStreamData {
                id,
                limit: rest.varint()?,
            })
        }
        0x12 | 0x13 => skip(rest, 1, "MAX_STREAMS"),
        0x14 => skip(rest, 1, "DATA_BLOCKED"),
        0x15 => skip(rest, 2, "STREAM_DATA_BLOCKED"),
        0x16 | 0x17 => skip(rest, 1, "STREAMS_BLOCKED"),
        0x18 => {
            rest.varint()?;
            rest.varint()?;
            let id = rest.bytes_8()?;
            Some(Frame::NewConnectionId {
                id,
                reset_token: rest.array()?,
            })
        }
        0x19 => skip(rest, 1, "RETIRE_CONNECTION_ID"),
        0x1a => rest.take(8).map(|_| Frame::Named("PATH_CHALLENGE")),
        0x1b => rest.take(8).map(|_| Frame::Named("PATH_RESPONSE")),
        0x1c | 0x1d => {
            for _ in 0..if kind == 0x1c { 2 } else { 1 } {
                rest.varint()?;
            }
            rest.varint_bytes()
                .map(|_| Frame::Named("CONNECTION_CLOSE"))
        }
        0x1e => Some(Frame::Named("HANDSHAKE_DONE")),
        0x1f => Some(Frame::Named("IMMEDIATE_ACK")),
        0x30 => rest.take(rest.0.len()).map(|_| Frame::Named("DATAGRAM")),
        0x31 => rest.varint_bytes().map(|_| Frame::Named("DATAGRAM")),
        0xaf => skip(rest, 4, "ACK_FREQUENCY"),
        _ => None,
    }
}

fn stream<'a>(rest: &mut Reader<'a>, kind: u64) -> Option<Frame<'a>> {
    const OFFSET: u64 = 0x04;
    const LENGTH: u64 = 0x02;
    let id = rest.varint()?;
    let offset = if kind & OFFSET == 0 {
        0
    } else {
        rest.varint()?
    };
    let bytes = if kind & LENGTH == 0 {
        rest.take(rest.0.len())?
    } else {
        rest.varint_bytes()?
    };
    Some(Frame::Stream { id, offset, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_passed_over_by_its_own_length() {
        let payload = [
            &[0x00, 0x00, 0x01][..],
            &[0x03, 9, 0, 1, 2, 3, 4, 5, 6, 7],
            &[0x06, 0x01, 0x02, b'h', b'i'],
            &[0x18, 1, 0, 2, 0xaa, 0xbb],
            &[7; 16],
            &[0xaf - 0x6f, 0xaf, 1, 2, 3, 4],
            &[0x31, 1, 0xff],
            &[0x0f, 4, 5, 1, b'x'],
            &[0x0c, 8, 6, b'y', b'z'],
        ]
        .concat();
        let (frames, broken) = read(&payload);
        let expected = [
            Frame::Named("PING"),
            Frame::Ack,
            Frame::Crypto {
                offset: 1,
                bytes: b"hi",
            },
            Frame::NewConnectionId {
                id: &[0xaa, 0xbb],
                reset_token: [7; 16],
            },
            Frame::Named("ACK_FREQUENCY"),
            Frame::Named("DATAGRAM"),
            Frame::Stream {
                id: 4,
                offset: 5,
                bytes: b"x",
            },
            Frame::Stream {
                id: 8,
                offset: 6,
                bytes: b"yz",
            },
        ];
        assert_eq!((frames, broken), (expected.to_vec(), false));
    }

    #[test]
    fn nothing_behind_an_unknown_frame_is_read() {
        let (frames, unknown) = read(&[0x01, 0x3f, 0x01]);
        assert_eq!((frames.len(), unknown), (1, true));
    }
}
