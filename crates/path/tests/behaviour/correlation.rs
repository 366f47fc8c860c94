//! Duplication and corruption that depend on the packet before (loss and reordering are tested with their own stages).

use std::collections::BTreeSet;

use pronghorn_path::{LinkSpec, Loss};

use crate::harness::{evenly, send};
use crate::statistics::assert_correlated;

const N: u64 = 400_000;

#[test]
fn correlated_duplication_keeps_its_share() {
    for (seed, probability, correlation) in [(1, 0.02, 0.5), (2, 0.4, 0.25)] {
        let spec = LinkSpec {
            duplicate: probability,
            duplicate_correlation: correlation,
            ..LinkSpec::default()
        };
        let (departures, _) = send(&spec, seed, &evenly(N, 1, 100));
        let copied: BTreeSet<u64> = departures
            .iter()
            .filter(|d| d.packet.is_copy)
            .map(|d| d.packet.id)
            .collect();
        let hits: Vec<bool> = (0..N).map(|id| copied.contains(&id)).collect();
        assert_correlated(&hits, probability, correlation);
    }
}

#[test]
fn correlated_corruption_keeps_its_share_among_originals_and_among_copies() {
    let spec = LinkSpec {
        duplicate: 1.0,
        corrupt: 0.1,
        corrupt_correlation: 0.75,
        ..LinkSpec::default()
    };
    let (departures, _) = send(&spec, 3, &evenly(N, 1, 100));
    for copies in [false, true] {
        let hits: Vec<bool> = departures
            .iter()
            .filter(|d| d.packet.is_copy == copies)
            .map(|d| d.packet.flipped.is_some())
            .collect();
        assert_eq!(hits.len() as u64, N);
        assert_correlated(&hits, 0.1, 0.75);
    }
}

/// The packet before is the one that entered the link before: a lost one counts as what it would have met, so of
/// those that independent loss leaves over the share stays.
#[test]
fn lost_packets_belong_to_the_past_of_corruption() {
    let corrupt = LinkSpec {
        corrupt: 0.2,
        corrupt_correlation: 0.6,
        ..LinkSpec::default()
    };
    let lossy = LinkSpec {
        loss: Some(Loss::independent(0.5)),
        ..corrupt.clone()
    };
    let (all, _) = send(&corrupt, 4, &evenly(20_000, 1, 100));
    let (left, _) = send(&lossy, 4, &evenly(20_000, 1, 100));
    assert!(left.len() < 11_000);
    for departure in left {
        assert_eq!(departure.packet, all[departure.packet.id as usize].packet);
    }
}
