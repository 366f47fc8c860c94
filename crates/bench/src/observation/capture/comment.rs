//! What a packet's comment says the link did to it.

use std::fmt::Write;

use pronghorn_path::{Direction, DropCause, PathSpec};

use crate::driver::tap::{Delivery, Leaving};

/// Lateness below this, in nanoseconds, is not worth a comment.
const NOTABLE_LATENESS_NS: u64 = 500_000;

/// What of a link's specification its comments need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    /// The constant delay around which the jitter lies, in nanoseconds; none where nothing varies it, or a schedule or a
    /// handover changes it.
    jitter_around_ns: Option<u64>,
}

impl Terms {
    pub(super) fn of(path: &PathSpec, direction: Direction) -> Terms {
        let spec = path.link(direction);
        let constant = spec.schedule.is_none() && path.handover.is_none();
        let varied = spec.jitter.is_some() && constant;
        Terms {
            jitter_around_ns: varied.then_some(spec.delay_ns),
        }
    }
}

/// What ended one copy of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) cause: DropCause,
    /// How long it had been in the link, in nanoseconds.
    pub(super) after_ns: u64,
    /// It was the second of two.
    pub(super) copy: bool,
    /// A bit of it had flipped before.
    pub(super) corrupted: bool,
}

/// The comment at the sending end: what became of the packet, unless it simply left.
pub(super) fn of_entry(duplicated: bool, ends: &[End]) -> String {
    let mut said = Parts::default();
    if duplicated {
        said.add("duplicated");
    }
    for end in ends {
        let cause = match end.cause {
            DropCause::TooBig => "longer than the MTU",
            DropCause::Udp => "UDP",
            DropCause::Outage => "outage",
            DropCause::Loss => "loss",
            DropCause::Policed => "policed",
            DropCause::QueueFull => "queue full",
            DropCause::Aqm => "queue management",
            DropCause::LeftBehind => "left behind by the handover",
        };
        let copy = if end.copy { "copy " } else { "" };
        let mut text = format!("{copy}dropped: {cause}");
        if end.after_ns > 0 {
            let _ = write!(text, " after {}", Millis(end.after_ns));
        }
        said.add(&text);
        if end.corrupted {
            said.add("corrupted before");
        }
    }
    said.0
}

/// The comment at the receiving end: what was done to the packet on its way. `queued_ns` is how long it
/// waited behind others.
pub(super) fn of_departure(terms: Terms, facts: &Leaving, queued_ns: u64) -> String {
    let mut said = Parts::default();
    let marks = facts.marks;
    for (holds, text) in [
        (marks.copy, "duplicate"),
        (marks.corrupted, "corrupted: one bit flipped"),
        (marks.hurried, "hurried: skipped the delay"),
        (marks.congestion, "marked: congestion experienced"),
    ] {
        if holds {
            said.add(text);
        }
    }
    if queued_ns > 0 {
        said.add(&format!("queued {}", Millis(queued_ns)));
    }
    if let Some(around) = terms.jitter_around_ns.filter(|_| !marks.hurried) {
        let delay = facts.reached.0.saturating_sub(facts.arrived.0);
        let sign = if delay < around { '-' } else { '+' };
        said.add(&format!("jitter {sign}{}", Millis(delay.abs_diff(around))));
    }
    match facts.delivery {
        Delivery::Taken => {}
        Delivery::Refused => said.add("not delivered: the device was full"),
        Delivery::Stale => said.add("not delivered: the NAT has no such address and port"),
        Delivery::Undeliverable => said.add("not delivered: damaged beyond what a kernel counts"),
    }
    let late_ns = facts.at.0.saturating_sub(facts.due.0);
    if late_ns >= NOTABLE_LATENESS_NS {
        said.add(&format!("late {}, by the emulator", Millis(late_ns)));
    }
    said.0
}

#[derive(Default)]
struct Parts(String);

impl Parts {
    fn add(&mut self, part: &str) {
        if !self.0.is_empty() {
            self.0.push_str("; ");
        }
        self.0.push_str(part);
    }
}

/// Nanoseconds, shown in milliseconds to the microsecond.
struct Millis(u64);

impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} ms", self.0 as f64 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use pronghorn_path::{Jitter, LinkSpec, Marks, Time};

    use super::*;

    const MS: u64 = 1_000_000;

    fn left(at: u64, arrived: u64, reached: u64, due: u64, marks: Marks) -> Leaving {
        Leaving {
            number: 0,
            at: Time(at),
            arrived: Time(arrived),
            reached: Time(reached),
            due: Time(due),
            marks,
            delivery: Delivery::Taken,
        }
    }

    fn jittery() -> Terms {
        let down = LinkSpec {
            delay_ns: 10 * MS,
            jitter: Some(Jitter::default()),
            ..LinkSpec::default()
        };
        let path = PathSpec {
            down,
            ..PathSpec::default()
        };
        Terms::of(&path, Direction::Down)
    }

    fn plain() -> Terms {
        Terms::of(&PathSpec::default(), Direction::Down)
    }

    #[test]
    fn what_simply_passes_has_no_comment() {
        let facts = left(10 * MS, 0, 10 * MS, 10 * MS, Marks::default());
        assert_eq!(of_departure(plain(), &facts, 0), "");
        assert_eq!(of_entry(false, &[]), "");
    }

    #[test]
    fn a_departure_tells_its_marks_its_wait_and_its_jitter() {
        let marks = Marks {
            copy: true,
            corrupted: true,
            congestion: true,
            ..Marks::default()
        };
        let facts = left(16 * MS, MS, 10 * MS, 15 * MS, marks);
        assert_eq!(
            of_departure(jittery(), &facts, 4 * MS),
            "duplicate; corrupted: one bit flipped; marked: congestion experienced; queued 4.000 ms; \
             jitter -1.000 ms; late 1.000 ms, by the emulator"
        );
    }

    #[test]
    fn what_the_far_host_never_got_says_why() {
        let facts = Leaving {
            delivery: Delivery::Stale,
            ..left(MS, 0, MS, MS, Marks::default())
        };
        assert_eq!(
            of_departure(plain(), &facts, 0),
            "not delivered: the NAT has no such address and port"
        );
    }

    #[test]
    fn a_hurried_packet_has_no_jitter() {
        let marks = Marks {
            hurried: true,
            ..Marks::default()
        };
        let facts = left(MS, MS, MS, MS, marks);
        assert_eq!(
            of_departure(jittery(), &facts, 0),
            "hurried: skipped the delay"
        );
    }

    #[test]
    fn an_entry_tells_how_each_copy_ended() {
        let end = |cause, after_ns, copy, corrupted| End {
            cause,
            after_ns,
            copy,
            corrupted,
        };
        let ends = [
            end(DropCause::Loss, 0, true, false),
            end(DropCause::QueueFull, 2_500_000, false, true),
        ];
        assert_eq!(
            of_entry(true, &ends),
            "duplicated; copy dropped: loss; dropped: queue full after 2.500 ms; corrupted before"
        );
    }
}
