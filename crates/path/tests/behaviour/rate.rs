use pronghorn_path::{LinkSpec, Overhead, Queue, Time};

use crate::harness::{MS, drain, link, numbered, send};

const ODD_RATE: u64 = 9_999_991;

fn spec(rate: u64) -> LinkSpec {
    let queue = Some(Queue::Packets(1_000_000_000));
    LinkSpec {
        rate_bit_per_s: Some(rate),
        queue,
        ..LinkSpec::default()
    }
}

/// When `bits` are out after a start at 0: the first whole nanosecond.
fn out_at(bits: u64, rate: u64) -> u64 {
    u64::try_from((u128::from(bits) * 1_000_000_000).div_ceil(u128::from(rate))).expect("it fits")
}

#[test]
fn a_million_packets_keep_the_rate_to_the_bit() {
    let sendings: Vec<(Time, usize)> = (0..1_000_000_usize)
        .map(|i| (Time(0), 40 + i * 7919 % 1461))
        .collect();
    let (departures, counters) = send(&spec(ODD_RATE), 1, &sendings);
    let mut bits = 0;
    for departure in &departures {
        bits += departure.packet.len as u64 * 8;
        assert_eq!(departure.due.0, out_at(bits, ODD_RATE));
    }
    assert_eq!(counters.packets_out, 1_000_000);
}

#[test]
fn a_million_packets_keep_the_rate_to_the_bit_in_cells_too() {
    let atm = Overhead {
        packet_bytes: 8,
        cell_bytes: Some(48),
        cell_overhead_bytes: 5,
    };
    let spec = LinkSpec {
        overhead: Some(atm),
        ..spec(ODD_RATE)
    };
    let sendings: Vec<(Time, usize)> = (0..1_000_000_usize)
        .map(|i| (Time(0), 40 + i * 7919 % 1461))
        .collect();
    let (departures, _) = send(&spec, 1, &sendings);
    assert_eq!(departures.len(), 1_000_000);
    let mut bits = 0;
    for departure in &departures {
        bits += (departure.packet.len as u64 + 8).div_ceil(48) * 53 * 8;
        assert_eq!(departure.due.0, out_at(bits, ODD_RATE));
    }
}

#[test]
fn a_packet_leaves_at_the_end_of_its_serialisation_after_its_delay() {
    let spec = LinkSpec {
        delay_ns: 50 * MS,
        ..spec(12_000_000)
    };
    let (departures, _) = send(
        &spec,
        1,
        &[(Time(0), 1500), (Time(0), 1500), (Time(10 * MS), 1500)],
    );
    let dues: Vec<u64> = departures.iter().map(|d| d.due.0).collect();
    assert_eq!(dues, [51 * MS, 52 * MS, 61 * MS]);
}

#[test]
fn the_next_departure_is_foretold_through_an_idle_bottleneck() {
    let spec = LinkSpec {
        delay_ns: 50 * MS,
        ..spec(12_000_000)
    };
    let mut link = link(&spec, 1);
    link.push(Time(0), numbered(0, 1500));
    assert_eq!(link.next_due(), Some(Time(51 * MS)));
    assert_eq!(link.pop(Time(51 * MS - 1)), None);
    assert_eq!(link.next_due(), Some(Time(51 * MS)));
    assert_eq!(drain(&mut link, Time(51 * MS)).len(), 1);
}

#[test]
fn an_idle_second_is_no_credit() {
    let (departures, _) = send(
        &spec(8_000_000),
        1,
        &[
            (Time(0), 1000),
            (Time(1000 * MS), 1000),
            (Time(1000 * MS), 1000),
        ],
    );
    let dues: Vec<u64> = departures.iter().map(|d| d.due.0).collect();
    assert_eq!(dues, [MS, 1001 * MS, 1002 * MS]);
}
