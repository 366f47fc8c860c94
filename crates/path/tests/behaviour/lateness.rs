use proptest::prelude::*;

use pronghorn_path::{Counters, Departure, Dropped, Link, LinkSpec, Time};

use crate::harness::{Numbered, Sending, assorted, drain, link};
use crate::random_specs::{schedules, specs};

type Outcome = (Vec<Departure<Numbered>>, Vec<Dropped<Numbered>>, Counters);

/// What came out, with the drops in the order of their times.
fn outcome(mut link: Link<Numbered>, departures: Vec<Departure<Numbered>>) -> Outcome {
    let mut dropped: Vec<_> = std::iter::from_fn(|| link.take_dropped()).collect();
    dropped.sort_by_key(|one| (one.at, one.number, one.marks.copy));
    (departures, dropped, link.counters().clone())
}

/// Pops at every deadline that the link names up to `until`, and checks that none comes again.
fn keep_deadlines(
    link: &mut Link<Numbered>,
    until: Time,
    departures: &mut Vec<Departure<Numbered>>,
) {
    while let Some(due) = link.next_due().filter(|due| *due <= until) {
        while let Some(departure) = link.pop(due) {
            assert_eq!(departure.due, due, "a deadline was named too late");
            departures.push(departure);
        }
        assert_ne!(
            link.next_due(),
            Some(due),
            "a deadline passed and was named again"
        );
    }
}

fn punctual(spec: &LinkSpec, seed: u64, schedule: &[Sending]) -> Outcome {
    let mut link = link(spec, seed);
    link.keep_dropped();
    let mut departures = Vec::new();
    for (id, (at, len)) in (0..).zip(schedule) {
        keep_deadlines(&mut link, *at, &mut departures);
        link.push(*at, assorted(id, *len));
    }
    keep_deadlines(&mut link, Time::MAX, &mut departures);
    outcome(link, departures)
}

/// Pops only after those packets for which `looks` says so, everything that has come due since.
fn late(spec: &LinkSpec, seed: u64, schedule: &[Sending], looks: &[bool]) -> Outcome {
    let mut link = link(spec, seed);
    link.keep_dropped();
    let mut departures = Vec::new();
    for ((id, (at, len)), look) in (0..).zip(schedule).zip(looks) {
        link.push(*at, assorted(id, *len));
        if *look {
            departures.append(&mut drain(&mut link, *at));
        }
    }
    departures.append(&mut drain(&mut link, Time::MAX));
    outcome(link, departures)
}

proptest! {
    #[test]
    fn a_late_caller_gets_what_a_punctual_one_gets(
        spec in specs(),
        schedule in schedules(),
        seed: u64,
        looks in prop::collection::vec(prop::bool::weighted(0.1), 200),
    ) {
        let punctual = punctual(&spec, seed, &schedule);
        prop_assert_eq!(&late(&spec, seed, &schedule, &looks), &punctual);
        prop_assert_eq!(&late(&spec, seed, &schedule, &[false; 200]), &punctual);
    }
}
