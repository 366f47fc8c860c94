//! A client that moves from one path to another.

use proptest::prelude::*;

use pronghorn_path::{
    Cross, Departure, Direction, DropCause, Handover, Lane, LinkSpec, Loss, PathSpec, Queue, Time,
    seed,
};

use crate::harness::{MS, Numbered, assorted, evenly, link, numbered};
use crate::random_specs::{schedules, specs};

fn moving(at_ns: u64, from: LinkSpec, to: LinkSpec) -> PathSpec {
    PathSpec {
        handover: Some(Box::new(Handover {
            at_ns,
            path: PathSpec {
                down: to,
                ..PathSpec::default()
            },
        })),
        down: from,
        ..PathSpec::default()
    }
}

fn lane(path: &PathSpec, seed: u64) -> Lane<Numbered> {
    Lane::new(path, seed, Direction::Down).expect("a valid specification")
}

fn delay(ms: u64) -> LinkSpec {
    LinkSpec {
        delay_ns: ms * MS,
        ..LinkSpec::default()
    }
}

fn drain(lane: &mut Lane<Numbered>, now: Time) -> Vec<Departure<Numbered>> {
    std::iter::from_fn(|| lane.pop(now)).collect()
}

#[test]
fn what_is_inside_as_the_client_leaves_is_left_behind_and_the_rest_takes_the_other_path() {
    let mut lane = lane(&moving(100 * MS, delay(30), delay(5)), 1);
    lane.keep_dropped();
    for (id, (at, len)) in (0..).zip(evenly(20, 10 * MS, 100)) {
        lane.push(Time(MS + at.0), numbered(id, len));
    }
    let departures = drain(&mut lane, Time::MAX);
    let due: Vec<_> = departures
        .iter()
        .map(|d| (d.packet.id, d.due.0 / MS))
        .collect();
    let expected: Vec<_> = (0..7)
        .map(|id| (id, 31 + id * 10))
        .chain((10..20).map(|id| (id, 6 + id * 10)))
        .collect();
    assert_eq!(due, expected);
    assert!(departures.iter().all(|d| d.number == d.packet.id));
    let left: Vec<_> = std::iter::from_fn(|| lane.take_dropped())
        .map(|dropped| (dropped.number, dropped.at.0, dropped.cause))
        .collect();
    let moved = 101 * MS;
    assert_eq!(left, [7, 8, 9].map(|n| (n, moved, DropCause::LeftBehind)));
    let counters = lane.counters();
    assert_eq!((counters.left_behind, counters.packets_out), (3, 17));
    assert!(counters.balance());
    assert_eq!(lane.moves_at(), Some(Time(moved)));
}

#[test]
fn what_waits_at_the_bottleneck_is_left_behind_too() {
    let slow = LinkSpec {
        rate_bit_per_s: Some(80_000),
        queue: Some(Queue::Bytes(10_000)),
        ..LinkSpec::default()
    };
    let mut lane = lane(&moving(25 * MS, slow, LinkSpec::default()), 1);
    for id in 0..10 {
        lane.push(Time(0), numbered(id, 100));
    }
    assert_eq!(lane.next_due(), Some(Time(10 * MS)));
    let before = drain(&mut lane, Time(24 * MS));
    assert_eq!(before.len(), 2);
    assert_eq!(
        lane.next_due(),
        Some(Time(25 * MS)),
        "no later than the handover"
    );
    assert_eq!(drain(&mut lane, Time(25 * MS)), []);
    assert_eq!((lane.counters().left_behind, lane.counters().held), (8, 0));
    assert_eq!(lane.next_due(), None);
}

#[test]
fn packets_of_the_address_before_end_and_are_counted() {
    let mut lane = lane(&moving(10 * MS, delay(1), delay(1)), 1);
    lane.push(Time(0), numbered(0, 100));
    assert!(!lane.has_moved_by(Time(9 * MS)));
    assert!(lane.has_moved_by(Time(10 * MS)));
    lane.leave_behind(Time(11 * MS), numbered(1, 60));
    assert_eq!(drain(&mut lane, Time::MAX).len(), 1);
    let counters = lane.counters();
    assert_eq!((counters.packets_in, counters.bytes_in), (2, 160));
    assert_eq!(counters.left_behind, 1);
    assert!(counters.balance());
}

#[test]
fn the_second_path_decides_by_a_seed_of_its_own() {
    let lossy = LinkSpec {
        loss: Some(Loss::independent(0.5)),
        ..LinkSpec::default()
    };
    let survivors = |packets: Vec<Departure<Numbered>>| -> Vec<u64> {
        packets.into_iter().map(|d| d.packet.id).collect()
    };
    let mut moved = lane(&moving(0, lossy.clone(), lossy.clone()), 5);
    let mut alone = link(&lossy, seed::derive(5, "handover"));
    for id in 0..200 {
        moved.push(Time(id), numbered(id, 100));
        alone.push(Time(id), numbered(id, 100));
    }
    let expected = crate::harness::drain(&mut alone, Time::MAX);
    assert_eq!(survivors(drain(&mut moved, Time::MAX)), survivors(expected));
}

#[test]
fn a_handover_stands_alone() {
    let refused = |path: PathSpec| path.validate().expect_err("it can't be").key().to_owned();
    let plain = moving(0, delay(1), delay(1));
    assert_eq!(plain.validate(), Ok(()));
    let nested = PathSpec {
        handover: Some(Box::new(Handover {
            at_ns: 0,
            path: plain.clone(),
        })),
        ..PathSpec::default()
    };
    assert_eq!(refused(nested), "handover.path.handover");
    let rebound = PathSpec {
        rebind_ns: vec![1],
        ..plain.clone()
    };
    assert_eq!(refused(rebound), "rebind_ns");
    let shared = PathSpec {
        cross: Some(Cross {
            flows: 1,
            tcp_congestion_control: "cubic".to_owned(),
            direction: Direction::Down,
            warmup_ns: 0,
        }),
        ..plain.clone()
    };
    assert_eq!(refused(shared), "cross");
    let wrong = moving(
        0,
        delay(1),
        LinkSpec {
            duplicate: 2.0,
            ..LinkSpec::default()
        },
    );
    assert_eq!(refused(wrong), "handover.path.down.duplicate");
}

proptest! {
    #[test]
    fn lateness_changes_nothing_and_every_packet_is_accounted_for(
        from in specs(),
        to in specs(),
        at_ns in 0..2_000_000_000_u64,
        schedule in schedules(),
        seed: u64,
    ) {
        let path = moving(at_ns, from, to);
        let (mut punctual, mut late) = (lane(&path, seed), lane(&path, seed));
        let mut seen = Vec::new();
        for (id, (at, len)) in (0..).zip(&schedule) {
            while let Some(due) = punctual.next_due().filter(|due| due <= at) {
                seen.append(&mut drain(&mut punctual, due));
                prop_assert!(punctual.counters().balance());
            }
            punctual.push(*at, assorted(id, *len));
            late.push(*at, assorted(id, *len));
            prop_assert!(punctual.counters().balance());
            prop_assert!(late.counters().balance());
        }
        while let Some(due) = punctual.next_due() {
            seen.append(&mut drain(&mut punctual, due));
        }
        prop_assert_eq!(seen, drain(&mut late, Time::MAX));
        prop_assert_eq!(late.counters(), punctual.counters());
        prop_assert_eq!(late.counters().held, 0);
        prop_assert_eq!(late.counters().packets_in, schedule.len() as u64);
    }
}
