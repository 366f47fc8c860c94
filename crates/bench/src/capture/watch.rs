//! The taps: they hand each event of a link on to the writer's thread, and never wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use pronghorn_path::{Direction, LinkSpec, Time};

use crate::tap::{Dropping, Leaving, Tap};

/// Something that happened on a link.
#[derive(Debug)]
pub(super) enum Event {
    /// A packet entered.
    Entered {
        number: u64,
        at: Time,
        packet: Box<[u8]>,
    },
    /// A packet left, after `queued_ns` behind others.
    Left {
        facts: Leaving,
        queued_ns: u64,
        packet: Box<[u8]>,
    },
    /// A packet ended.
    Dropped(Dropping),
}

/// How many events of a link found no room on their way to the writer.
#[derive(Debug, Default)]
pub(super) struct Missed {
    pub(super) entered: AtomicU64,
    pub(super) left: AtomicU64,
    pub(super) dropped: AtomicU64,
}

impl Missed {
    pub(super) fn total(&self) -> u64 {
        [&self.entered, &self.left, &self.dropped]
            .map(|count| count.load(Ordering::Relaxed))
            .iter()
            .sum()
    }
}

/// The tap of one link.
pub(super) struct LinkTap {
    direction: Direction,
    events: SyncSender<(Direction, Event)>,
    missed: Arc<Missed>,
    /// Packets leave by a trace: they wait for its next opportunity, not only for others.
    traced: bool,
    previous_due: Time,
}

impl LinkTap {
    pub(super) fn new(
        direction: Direction,
        spec: &LinkSpec,
        events: SyncSender<(Direction, Event)>,
        missed: Arc<Missed>,
    ) -> LinkTap {
        LinkTap {
            direction,
            events,
            missed,
            traced: spec.trace.is_some(),
            previous_due: Time::ZERO,
        }
    }

    /// How long a packet waited for the bottleneck, in nanoseconds. The wire is never idle while a packet waits,
    /// so its serialisation began when the one before it left, whatever the queue's discipline.
    fn queued_ns(&mut self, facts: &Leaving) -> u64 {
        let began = if self.traced {
            facts.due
        } else {
            self.previous_due.min(facts.due)
        };
        self.previous_due = facts.due;
        began.0.saturating_sub(facts.reached.0)
    }

    fn hand_on(&self, event: Event, missed: &AtomicU64) {
        if self.events.try_send((self.direction, event)).is_err() {
            missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Tap for LinkTap {
    fn entered(&mut self, number: u64, at: Time, packet: &[u8]) {
        let packet = packet.into();
        let event = Event::Entered { number, at, packet };
        self.hand_on(event, &self.missed.entered);
    }

    fn left(&mut self, facts: &Leaving, packet: &[u8]) {
        let event = Event::Left {
            facts: *facts,
            queued_ns: self.queued_ns(facts),
            packet: packet.into(),
        };
        self.hand_on(event, &self.missed.left);
    }

    fn dropped(&mut self, facts: &Dropping, _packet: &[u8]) {
        self.hand_on(Event::Dropped(*facts), &self.missed.dropped);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use pronghorn_path::Marks;

    use super::*;

    fn leaving(reached: u64, due: u64) -> Leaving {
        Leaving {
            number: 0,
            at: Time(due),
            arrived: Time(0),
            reached: Time(reached),
            due: Time(due),
            marks: Marks::default(),
        }
    }

    #[test]
    fn a_packet_waits_from_its_arrival_until_the_one_before_has_left() {
        let (events, received) = sync_channel(10);
        let spec = LinkSpec::default();
        let mut tap = LinkTap::new(Direction::Down, &spec, events, Arc::default());
        for facts in [leaving(0, 10), leaving(5, 20), leaving(30, 40)] {
            tap.left(&facts, &[]);
        }
        let waits: Vec<u64> = received
            .try_iter()
            .map(|(_, event)| match event {
                Event::Left { queued_ns, .. } => queued_ns,
                other => unreachable!("only departures were told: {other:?}"),
            })
            .collect();
        assert_eq!(waits, [0, 5, 0]);
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let (events, _received) = sync_channel(1);
        let missed = Arc::<Missed>::default();
        let spec = LinkSpec::default();
        let mut tap = LinkTap::new(Direction::Up, &spec, events, Arc::clone(&missed));
        tap.entered(0, Time(0), &[1]);
        tap.entered(1, Time(0), &[1]);
        tap.left(&leaving(0, 0), &[1]);
        assert_eq!(missed.entered.load(Ordering::Relaxed), 1);
        assert_eq!(missed.total(), 2);
    }
}
