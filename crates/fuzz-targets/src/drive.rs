//! Packets through a link of whatever specification, and what holds for every link.

use pronghorn_path::{Direction, Link, LinkSpec, Time};

use crate::probe::Probe;

const SEED: u64 = 1;
const PACKETS: u64 = 48;

/// Between packets, in nanoseconds: at once, and up to an hour.
const GAPS: [u64; 6] = [0, 1_000, 0, 700_000, 90_000_000, 3_600_000_000_000];

/// Wake-ups after the last packet; what is held after them stays inside.
const WAKE_UPS: usize = 2_000;

/// The number of a packet that left, and when, in nanoseconds.
type Left = (u64, u64);

/// Sends packets through a link, where the specification is allowed: once popped whenever one is due,
/// once only when the next packet comes. Both must let the same packets out at the same times.
pub(crate) fn drive(spec: &LinkSpec) {
    let allowed = spec.validate();
    for direction in [Direction::Down, Direction::Up] {
        let made = Link::<Probe>::new(spec, SEED, direction).map(drop);
        assert_eq!(
            made, allowed,
            "a link is made if and only if its specification is allowed"
        );
        if allowed.is_ok() {
            let punctual = run(spec, direction, true);
            let late = run(spec, direction, false);
            let shared = punctual.len().min(late.len());
            assert_eq!(
                punctual[..shared],
                late[..shared],
                "lateness changes nothing"
            );
        }
    }
}

fn run(spec: &LinkSpec, direction: Direction, punctual: bool) -> Vec<Left> {
    let Ok(mut link) = Link::new(spec, SEED, direction) else {
        return Vec::new();
    };
    link.keep_dropped();
    let mut left = Vec::new();
    let mut now = Time(1_000_000_000_000);
    for number in 0..PACKETS {
        link.push(now, Probe::new(number));
        check(&mut link);
        let next = Time(now.0 + GAPS[number as usize % GAPS.len()]);
        if punctual {
            wake(&mut link, now, next, &mut left);
        }
        now = next;
        pop(&mut link, now, &mut left);
    }
    wake(&mut link, now, Time(u64::MAX), &mut left);
    left
}

/// Pops at each deadline before `until`, at most so many times.
fn wake(link: &mut Link<Probe>, from: Time, until: Time, left: &mut Vec<Left>) {
    let mut now = from;
    pop(link, now, left);
    for _ in 0..WAKE_UPS {
        let Some(due) = link.next_due().filter(|due| *due < until) else {
            return;
        };
        assert!(
            due > now,
            "what was due by {now:?} was popped; there is a deadline at {due:?}"
        );
        now = due;
        pop(link, now, left);
    }
}

fn pop(link: &mut Link<Probe>, now: Time, left: &mut Vec<Left>) {
    while let Some(departure) = link.pop(now) {
        assert!(departure.arrived <= departure.reached, "{departure:?}");
        assert!(departure.reached <= departure.due, "{departure:?}");
        assert!(departure.due <= now, "{departure:?} by {now:?}");
        if let Some((_, before)) = left.last() {
            assert!(*before <= departure.due.0, "{departure:?} after {before}");
        }
        left.push((departure.number, departure.due.0));
    }
    check(link);
}

fn check(link: &mut Link<Probe>) {
    while let Some(dropped) = link.take_dropped() {
        assert!(dropped.arrived <= dropped.at, "{dropped:?}");
    }
    assert!(link.counters().balance(), "{:?}", link.counters());
}
