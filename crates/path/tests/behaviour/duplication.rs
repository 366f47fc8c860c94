use std::collections::BTreeSet;

use pronghorn_path::{LinkSpec, Loss, Time};

use crate::harness::{drain, evenly, link, numbered, send};
use crate::statistics::assert_binomial;

const N: u64 = 200_000;

#[test]
fn packets_come_twice_as_often_as_asked() {
    let spec = LinkSpec {
        duplicate: 0.1,
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, 1, &evenly(N, 1, 100));
    assert_binomial(counters.duplicated, N, 0.1);
    assert_eq!(departures.len() as u64, N + counters.duplicated);
    assert_eq!(
        departures.iter().filter(|d| d.packet.is_copy).count() as u64,
        counters.duplicated
    );
}

#[test]
fn a_copy_goes_before_its_original_and_is_never_copied() {
    let spec = LinkSpec {
        duplicate: 1.0,
        delay_ns: 5,
        ..LinkSpec::default()
    };
    let mut link = link(&spec, 1);
    link.push(Time(0), numbered(7, 100));
    let copies: Vec<bool> = drain(&mut link, Time(5))
        .iter()
        .map(|d| d.packet.is_copy)
        .collect();
    assert_eq!(copies, [true, false]);
}

/// netem: a lost duplicate leaves one copy, so only packets that are lost without having been
/// duplicated never arrive.
#[test]
fn seventy_per_cent_duplication_with_thirty_loss_leaves_nine_undelivered() {
    let loss = Some(Loss::independent(0.3));
    let spec = LinkSpec {
        duplicate: 0.7,
        loss,
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, 2, &evenly(N, 1, 100));
    let delivered: BTreeSet<u64> = departures.iter().map(|d| d.packet.id).collect();
    assert_binomial(N - delivered.len() as u64, N, 0.3 * 0.3);
    assert_binomial(counters.duplicated, N, 0.7);
    let both = departures.iter().filter(|d| d.packet.is_copy).count() as u64;
    assert_binomial(both, N, 0.7 * 0.7 * 0.7);
}

#[test]
fn of_packets_always_duplicated_and_always_lost_one_copy_arrives() {
    let loss = Some(Loss::independent(1.0));
    let spec = LinkSpec {
        duplicate: 1.0,
        loss,
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, 3, &evenly(100, 1, 100));
    assert_eq!(departures.len(), 100);
    assert_eq!((counters.duplicated, counters.lost), (100, 100));
}
