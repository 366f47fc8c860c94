use pronghorn_dissect::{Connection, Fate, Packet, dissect as read};
use pronghorn_path::{Direction, DropCause};

/// What a path saw, from whatever hosts: a log of TLS secrets (its length in two bytes before it), then packets, each behind five
/// bytes: direction and fate; milliseconds since the one before; milliseconds on its way; its length. Whatever they are, columns
/// have one length, nothing is released before it came, and no byte of a stream is told twice.
pub fn dissect(bytes: &[u8]) {
    let Some((key_log, packets)) = divided(bytes) else {
        return;
    };
    let arrivals = read(&packets, &String::from_utf8_lossy(key_log), 0, 0);
    for connection in &arrivals.connections {
        columns_agree(connection);
        pieces_hold(connection);
    }
}

fn divided(bytes: &[u8]) -> Option<(&[u8], Vec<Packet<'_>>)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (key_log, mut rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
    let mut packets = Vec::new();
    let mut now_ns = 0;
    while let Some(([way, after, took, l0, l1], behind)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_be_bytes([*l0, *l1]));
        let (packet, behind) = behind.split_at(length.min(behind.len()));
        rest = behind;
        now_ns += u64::from(*after) * 1_000_000;
        let fate = match way >> 1 & 7 {
            1 => Some(Fate::Dropped(DropCause::Loss)),
            2 => Some(Fate::Corrupted),
            3 => Some(Fate::NotDelivered),
            4 => Some(Fate::Duplicate),
            _ => None,
        };
        let arrives = matches!(fate, None | Some(Fate::Duplicate));
        packets.push(Packet {
            direction: if way & 1 == 0 {
                Direction::Down
            } else {
                Direction::Up
            },
            sent_ns: now_ns,
            arrived_ns: arrives.then(|| now_ns + u64::from(*took) * 1_000_000),
            queued_ns: 0,
            fate,
            bytes: packet,
        });
    }
    Some((key_log, packets))
}

fn columns_agree(connection: &Connection) {
    let packets = &connection.packets;
    for length in [
        packets.direction.len(),
        packets.arrived_s.len(),
        packets.bytes.len(),
        packets.queued_s.len(),
        packets.fate.len(),
        packets.kind.len(),
        packets.again.len(),
    ] {
        assert_eq!(length, packets.sent_s.len());
    }
    let pieces = &connection.pieces;
    for length in [
        pieces.offset.len(),
        pieces.length.len(),
        pieces.packet.len(),
        pieces.arrived_s.len(),
        pieces.released_s.len(),
        pieces.own_released_s.len(),
        pieces.first_sent_s.len(),
        pieces.first_fate.len(),
    ] {
        assert_eq!(length, pieces.stream.len());
    }
    let limits = &connection.limits;
    assert_eq!(
        (limits.scope.len(), limits.offset.len()),
        (limits.at_s.len(), limits.at_s.len())
    );
}

fn pieces_hold(connection: &Connection) {
    let pieces = &connection.pieces;
    for at in 0..pieces.stream.len() {
        assert!(pieces.packet[at] < connection.packets.sent_s.len());
        for released in [pieces.released_s[at], pieces.own_released_s[at]]
            .into_iter()
            .flatten()
        {
            assert!(
                released >= pieces.arrived_s[at],
                "piece {at} was released before it came"
            );
        }
    }
    let mut ranges: Vec<(i64, u64, u64)> = (0..pieces.stream.len())
        .filter(|at| pieces.stream[*at] >= 0)
        .map(|at| {
            (
                pieces.stream[at],
                pieces.offset[at],
                pieces.offset[at] + pieces.length[at],
            )
        })
        .collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        assert!(
            pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1,
            "{pair:?} share bytes"
        );
    }
}
