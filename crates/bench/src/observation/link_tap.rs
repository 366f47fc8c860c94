//! A tap that hands each event of a link on to another thread, and never waits for it.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pronghorn_path::{Direction, PathSpec, Time};

use crate::driver::tap::{Dropping, Leaving, Tap};
use crate::observation::mailbox::{Event, Sender};

/// How many events of a link found no room on their way to the writer.
#[derive(Debug, Default)]
pub(crate) struct Missed {
    pub(crate) entered: AtomicU64,
    pub(crate) left: AtomicU64,
    pub(crate) dropped: AtomicU64,
}

impl Missed {
    pub(crate) fn total(&self) -> u64 {
        [&self.entered, &self.left, &self.dropped]
            .map(|count| count.load(Ordering::Relaxed))
            .iter()
            .sum()
    }
}

/// The tap of one link.
pub(crate) struct LinkTap {
    events: Sender,
    missed: Arc<Missed>,
    /// Packets leave by a trace: they wait for its next opportunity, not only for others.
    traced: bool,
    previous_due: Time,
}

impl LinkTap {
    pub(crate) fn new(
        path: &PathSpec,
        direction: Direction,
        events: Sender,
        missed: Arc<Missed>,
    ) -> LinkTap {
        let later = path.handover.as_ref().map(|handover| &handover.path);
        let mut paths = iter::once(path).chain(later);
        LinkTap {
            events,
            missed,
            traced: paths.any(|path| path.link(direction).trace.is_some()),
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
}

impl Tap for LinkTap {
    fn entered(&mut self, number: u64, at: Time, packet: &[u8]) {
        if !self.events.send(Event::Entered { number, at }, packet) {
            self.missed.entered.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn left(&mut self, facts: &Leaving, packet: &[u8]) {
        let event = Event::Left {
            facts: *facts,
            queued_ns: self.queued_ns(facts),
        };
        if !self.events.send(event, packet) {
            self.missed.left.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn dropped(&mut self, facts: &Dropping, _packet: &[u8]) {
        if !self.events.send(Event::Dropped(*facts), &[]) {
            self.missed.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use pronghorn_path::Marks;

    use super::*;
    use crate::driver::tap::Delivery;
    use crate::observation::mailbox::{Batch, mailbox};

    fn leaving(reached: u64, due: u64) -> Leaving {
        Leaving {
            number: 0,
            at: Time(due),
            arrived: Time(0),
            reached: Time(reached),
            due: Time(due),
            marks: Marks::default(),
            delivery: Delivery::Taken,
        }
    }

    #[test]
    fn a_packet_waits_from_its_arrival_until_the_one_before_has_left() {
        let (events, received) = mailbox();
        let mut tap = LinkTap::new(&PathSpec::default(), Direction::Up, events, Arc::default());
        for facts in [leaving(0, 10), leaving(5, 20), leaving(30, 40)] {
            tap.left(&facts, &[]);
        }
        let mut batch = Batch::spare();
        received.take_last(&mut batch);
        let waits: Vec<u64> = batch
            .iter()
            .map(|(event, _)| match event {
                Event::Left { queued_ns, .. } => queued_ns,
                other => unreachable!("only departures were told: {other:?}"),
            })
            .collect();
        assert_eq!(waits, [0, 5, 0]);
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let (events, _received) = mailbox();
        let missed = Arc::<Missed>::default();
        let mut tap = LinkTap::new(
            &PathSpec::default(),
            Direction::Up,
            events,
            Arc::clone(&missed),
        );
        let longest = [0; 65_535];
        while missed.total() == 0 {
            tap.entered(0, Time(0), &longest);
        }
        tap.left(&leaving(0, 0), &longest);
        assert_eq!(missed.entered.load(Ordering::Relaxed), 1);
        assert_eq!(missed.total(), 2);
    }
}
