//! Switching one stage on leaves the other stages' decisions as they were.

use std::collections::BTreeMap;

use pronghorn_path::{Distribution, Jitter, LinkSpec, Loss, Order};

use crate::harness::{evenly, send};

/// What the corrupt and delay stages did to a packet.
type Fate = (Option<usize>, u64);

const N: u64 = 5_000;

fn base() -> LinkSpec {
    let jitter = Some(Jitter {
        distribution: Distribution::Normal,
        spread_ns: 1_000,
        order: Order::Break,
        ..Jitter::default()
    });
    LinkSpec {
        delay_ns: 10_000,
        jitter,
        corrupt: 0.2,
        ..LinkSpec::default()
    }
}

/// The fates of the packets that came through, copies apart.
fn fates(spec: &LinkSpec) -> BTreeMap<u64, Fate> {
    let (departures, _) = send(spec, 1, &evenly(N, 700, 100));
    departures
        .iter()
        .filter(|d| !d.packet.is_copy)
        .map(|d| (d.packet.id, (d.packet.flipped, d.due.0 - d.arrived.0)))
        .collect()
}

fn models() -> [Loss; 2] {
    [
        Loss::independent(0.4),
        Loss::GilbertElliott {
            enter: 0.1,
            leave: 0.1,
            loss_bad: 0.9,
            loss_good: 0.1,
        },
    ]
}

#[test]
fn loss_and_duplication_change_nothing_for_those_who_come_through() {
    let alone = fates(&base());
    assert_eq!(alone.len() as u64, N);
    for loss in models() {
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
    for loss in models() {
        let loss = Some(loss);
        let alone = fates(&LinkSpec {
            loss: loss.clone(),
            ..LinkSpec::default()
        });
        assert!(fates(&LinkSpec { loss, ..base() }).keys().eq(alone.keys()));
    }
}

#[test]
fn duplication_does_not_change_whom_independent_loss_hits() {
    let loss = Some(Loss::independent(0.4));
    let alone = fates(&LinkSpec {
        loss: loss.clone(),
        ..LinkSpec::default()
    });
    let (departures, counters) = send(
        &LinkSpec {
            loss: loss.clone(),
            duplicate: 0.5,
            ..LinkSpec::default()
        },
        1,
        &evenly(N, 700, 100),
    );
    let originals = departures
        .iter()
        .filter(|d| !d.packet.is_copy)
        .map(|d| d.packet.id);
    let rescued = originals.filter(|id| !alone.contains_key(id)).count();
    assert!(rescued > 0 && counters.duplicated > 0);
    let copies = departures.iter().filter(|d| d.packet.is_copy);
    assert!(
        copies
            .map(|d| d.packet.id)
            .all(|id| alone.contains_key(&id))
    );
}
