//! Switching one stage on leaves the other stages' decisions as they were.

use std::collections::BTreeMap;

use pronghorn_path::{Distribution, Jitter, LinkSpec, Loss, Order, Reorder};

use crate::harness::{evenly, send};

/// What the corrupt and delay stages did to a packet: the bit that flipped, the delay, whether it was skipped.
type Fate = (Option<usize>, u64, bool);

const N: u64 = 5_000;

fn base() -> LinkSpec {
    let jitter = Some(Jitter {
        distribution: Distribution::Normal,
        spread_ns: 1_000,
        correlation: 0.5,
        order: Order::Break,
        ..Jitter::default()
    });
    let reorder = Some(Reorder {
        probability: 0.1,
        correlation: 0.0,
        gap: 1,
    });
    LinkSpec {
        delay_ns: 10_000,
        jitter,
        reorder,
        corrupt: 0.2,
        corrupt_correlation: 0.5,
        ..LinkSpec::default()
    }
}

/// The fates of the packets that came through, copies apart.
fn fates(spec: &LinkSpec) -> BTreeMap<u64, Fate> {
    let (departures, _) = send(spec, 1, &evenly(N, 700, 100));
    departures
        .iter()
        .filter(|d| !d.packet.is_copy)
        .map(|d| {
            let delay_ns = d.due.0 - d.arrived.0;
            (d.packet.id, (d.packet.flipped, delay_ns, d.marks.hurried))
        })
        .collect()
}

fn by_packet() -> [Loss; 3] {
    [
        Loss::independent(0.4),
        Loss::Independent {
            probability: 0.4,
            correlation: 0.5,
            longest_burst: Some(4),
        },
        Loss::Packets {
            numbers: (1..N).step_by(3).collect(),
        },
    ]
}

fn chains() -> [Loss; 2] {
    [
        Loss::GilbertElliott {
            enter: 0.1,
            leave: 0.1,
            loss_bad: 0.9,
            loss_good: 0.1,
        },
        Loss::FourState {
            p13: 0.2,
            p31: 0.3,
            p32: 0.3,
            p23: 0.3,
            p14: 0.1,
        },
    ]
}

#[test]
fn loss_and_duplication_change_nothing_for_those_who_come_through() {
    let alone = fates(&base());
    assert_eq!(alone.len() as u64, N);
    for loss in by_packet().into_iter().chain(chains()) {
        for duplicate in [0.0, 0.5] {
            let through = fates(&LinkSpec {
                loss: Some(loss.clone()),
                duplicate,
                ..base()
            });
            assert!(through.len() > 100 && (through.len() as u64) < N);
            assert!(through.iter().all(|(id, fate)| alone[id] == *fate));
        }
    }
}

#[test]
fn what_stands_behind_loss_does_not_change_who_is_lost() {
    for loss in by_packet().into_iter().chain(chains()) {
        let loss = Some(loss);
        let alone = fates(&LinkSpec {
            loss: loss.clone(),
            ..LinkSpec::default()
        });
        assert!(fates(&LinkSpec { loss, ..base() }).keys().eq(alone.keys()));
    }
}

/// Copies move the chains of states; every other model decides on packets whatever the copies meet.
#[test]
fn duplication_does_not_change_whom_loss_hits_but_for_chains() {
    for loss in by_packet() {
        let lossy = LinkSpec {
            loss: Some(loss),
            ..LinkSpec::default()
        };
        let alone = fates(&lossy);
        let doubling = LinkSpec {
            duplicate: 0.5,
            ..lossy
        };
        let (departures, counters) = send(&doubling, 1, &evenly(N, 700, 100));
        let originals = departures.iter().filter(|d| !d.packet.is_copy);
        let rescued = originals
            .filter(|d| !alone.contains_key(&d.packet.id))
            .count();
        assert!(rescued > 0 && counters.duplicated > 0);
        let mut copies = departures.iter().filter(|d| d.packet.is_copy);
        assert!(copies.all(|d| alone.contains_key(&d.packet.id)));
    }
}
