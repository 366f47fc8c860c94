use pronghorn_path::{Direction, Link, LinkSpec, Loss, Time};

use crate::harness::{evenly, send};
use crate::statistics::{assert_binomial, assert_counts, assert_distributed};

#[test]
fn packets_are_corrupted_as_often_as_asked_anywhere_in_them() {
    let spec = LinkSpec {
        corrupt: 0.4,
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, 1, &evenly(200_000, 1, 1250));
    assert_binomial(counters.corrupted, 200_000, 0.4);
    let bits: Vec<f64> = departures
        .iter()
        .filter_map(|d| d.packet.flipped)
        .map(|bit| bit as f64)
        .collect();
    assert_eq!(bits.len() as u64, counters.corrupted);
    let bits: Vec<f64> = bits.into_iter().step_by(8).collect();
    // The midpoints of 10 000 equal steps stray from the even distribution by 1/20 000 at most.
    assert_distributed(
        bits.iter().map(|bit| (bit + 0.5) / 10_000.0).collect(),
        |x| x,
    );
}

/// Of one byte each bit flips, an eighth of the time.
#[test]
fn every_bit_of_a_short_packet_can_flip() {
    let spec = LinkSpec {
        corrupt: 1.0,
        ..LinkSpec::default()
    };
    let (departures, _) = send(&spec, 5, &evenly(10_000, 1, 1));
    let mut counts = [0; 8];
    let bits = departures.iter().filter_map(|d| d.packet.flipped);
    bits.for_each(|bit| counts[bit] += 1);
    assert_counts(&counts, &[0.125; 8]);
}

#[test]
fn the_stage_decides_on_what_loss_let_through_and_on_copies() {
    let loss = Some(Loss::independent(0.2));
    let spec = LinkSpec {
        corrupt: 0.3,
        duplicate: 0.3,
        loss,
        ..LinkSpec::default()
    };
    let (_, c) = send(&spec, 2, &evenly(100_000, 1, 100));
    assert_binomial(c.corrupted, c.packets_in + c.duplicated - c.lost, 0.3);
}

#[test]
fn exactly_one_bit_of_real_bytes_flips() {
    let spec = LinkSpec {
        corrupt: 1.0,
        ..LinkSpec::default()
    };
    let mut link = Link::new(&spec, 3, Direction::Up).expect("a valid specification");
    for _ in 0..1000 {
        link.push(Time(0), vec![0xa5_u8; 37]);
        let departure = link.pop(Time(0)).expect("no delay was asked for");
        let flipped: u32 = departure
            .packet
            .iter()
            .map(|byte| (byte ^ 0xa5).count_ones())
            .sum();
        assert_eq!(flipped, 1);
    }
}

#[test]
fn an_empty_packet_has_no_bit_to_flip() {
    let spec = LinkSpec {
        corrupt: 1.0,
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, 4, &evenly(10, 1, 0));
    assert_eq!((departures.len(), counters.corrupted), (10, 0));
}
