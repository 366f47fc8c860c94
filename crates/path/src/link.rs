//! One direction of a path: the stages, strung together.

use crate::bottleneck::Bottleneck;
use crate::counters::Counters;
use crate::delay::Delay;
use crate::entry::Entry;
use crate::fate::{Departure, DropCause, Dropped};
use crate::gate::Gate;
use crate::ledger::Ledger;
use crate::packet::Packet;
use crate::schedule::{BottleneckValues, Changes};
use crate::spec::{Direction, LinkSpec};
use crate::spec_error::SpecError;
use crate::time::Time;
use crate::timetable::Follower;
use crate::token_bucket::TokenBucket;
use crate::trace::Deliveries;

/// One direction of a path. Push packets in, ask when to look again, pop packets out.
///
/// Time goes forward only: a `now` before the latest one seen counts as the latest one.
#[derive(Debug)]
pub struct Link<P> {
    gate: Option<Gate>,
    entry: Entry,
    delay: Delay<P>,
    police: Option<TokenBucket>,
    bottleneck: Option<Bottleneck<P>>,
    /// What changes about the bottleneck. It is followed in the order of events, however late they are asked for.
    changes: Option<Follower<BottleneckValues>>,
    ledger: Ledger<P>,
    clock: Time,
    /// When the path started, once it has.
    start: Option<Time>,
}

impl<P: Packet> Link<P> {
    /// A link of this specification, empty. `seed` and `direction` settle every decision.
    ///
    /// # Errors
    /// The first value of the specification that isn't allowed.
    pub fn new(spec: &LinkSpec, seed: u64, direction: Direction) -> Result<Link<P>, SpecError> {
        spec.validate()?;
        let changes = Changes::of(spec)?;
        let deliveries = spec.trace.as_ref().map(Deliveries::parse).transpose()?;
        let rate = changes.first_rate_bit_per_s(spec);
        let bottleneck = (rate.is_some() || deliveries.is_some()).then(|| {
            let rate = rate.unwrap_or_default();
            Bottleneck::new(spec, rate, deliveries, seed, direction)
        });
        let mut link = Link {
            gate: Gate::new(spec, seed, direction),
            entry: Entry::new(spec, &changes, seed, direction),
            delay: Delay::new(spec, &changes, seed, direction)?,
            police: spec.police.map(TokenBucket::new),
            bottleneck,
            changes: changes.bottleneck().map(Follower::new),
            ledger: Ledger::new(),
            clock: Time::ZERO,
            start: None,
        };
        if let Some(values) = link.entry.first() {
            link.delay.set(&values);
        }
        if let Some(first) = link.changes.as_ref().map(Follower::first) {
            link.change_bottleneck(Time::ZERO, first);
        }
        Ok(link)
    }

    /// Sets the time from which every trace, schedule and outage of the link counts. The path starts
    /// with the first packet that enters either of its links, so whoever holds both tells each; a
    /// link that isn't told starts with its own first packet. Only the first call counts.
    pub fn start(&mut self, at: Time) {
        if self.start.is_none() {
            self.start = Some(at);
            if let Some(bottleneck) = &mut self.bottleneck {
                bottleneck.start(at);
            }
        }
    }

    /// From now on, keeps each packet that it drops for [`Link::take_dropped`], copies included.
    pub fn keep_dropped(&mut self) {
        self.ledger.keep_dropped();
    }

    /// The next packet that was dropped; always none without [`Link::keep_dropped`]. Ask after each push and pop. They
    /// come in the order in which they were dropped, but to a late caller those dropped inside after those kept out.
    pub fn take_dropped(&mut self) -> Option<Dropped<P>> {
        self.ledger.take_dropped()
    }

    /// A packet enters at `now`.
    ///
    /// What isn't kept out is decided on: duplication first, then loss. A lost packet that was duplicated
    /// leaves one copy, which goes on. Where both copies are left, the second one enters anew, without
    /// duplication, and before the first one goes on, as in netem.
    pub fn push(&mut self, now: Time, packet: P) {
        self.clock = self.clock.max(now);
        self.start(self.clock);
        let start = self.started();
        let counters = &mut self.ledger.counters;
        counters.packets_in += 1;
        counters.bytes_in += packet.len() as u64;
        if let Some(values) = self.entry.news(self.clock, start) {
            self.delay.set(&values);
        }
        if let Some(gate) = &mut self.gate {
            if let Some(cause) = gate.refuses(self.clock, start, &packet) {
                self.entry
                    .refuse(self.clock, cause, packet, &mut self.delay, &mut self.ledger);
                return;
            }
        }
        self.entry
            .admit(self.clock, packet, &mut self.delay, &mut self.ledger);
    }

    /// A packet comes at `now` that is kept out for this cause.
    pub(crate) fn refuse(&mut self, now: Time, cause: DropCause, packet: P) {
        self.clock = self.clock.max(now);
        self.start(self.clock);
        let counters = &mut self.ledger.counters;
        counters.packets_in += 1;
        counters.bytes_in += packet.len() as u64;
        self.entry
            .refuse(self.clock, cause, packet, &mut self.delay, &mut self.ledger);
    }

    /// All that is inside ends at `at`, since nobody is left at the link's end.
    pub(crate) fn end(&mut self, at: Time) {
        let mut inside: Vec<_> = self
            .bottleneck
            .as_mut()
            .map(Bottleneck::take_all)
            .unwrap_or_default();
        inside.extend(std::iter::from_fn(|| self.delay.pop()).map(|(_, transit)| transit));
        inside.sort_by_key(|transit| transit.sequence);
        for transit in inside {
            self.ledger.drop_held(at, DropCause::LeftBehind, transit);
        }
    }

    /// The time at which to pop, if nothing is pushed before; `None` where nothing will leave.
    ///
    /// It is never later than the next departure. It can be earlier where the packet next in line is one
    /// that will be dropped, or where the link changes; popping then gives `None`, and this a later time.
    #[must_use]
    pub fn next_due(&self) -> Option<Time> {
        let delayed = self.delay.peek();
        let Some(bottleneck) = &self.bottleneck else {
            return delayed.map(|(due, _)| due);
        };
        let change = self.next_change().unwrap_or(Time::MAX);
        match (bottleneck.next_event(), delayed) {
            (Some(event), _) => Some(event.min(change)),
            (None, Some((due, packet))) if bottleneck.is_idle() && self.police.is_none() => {
                let end = bottleneck.preview(due, packet.len());
                Some(end.min(change.max(due)))
            }
            (None, Some((due, _))) => Some(due),
            (None, None) => None,
        }
    }

    /// The next packet that leaves by `now`: in order of due time, ties in order of entry unless the queue says
    /// otherwise. Call it until it gives `None`.
    pub fn pop(&mut self, now: Time) -> Option<Departure<P>> {
        self.clock = self.clock.max(now);
        loop {
            let delayed = self.delay.peek().map(|(due, _)| due);
            let delayed = delayed.filter(|due| *due <= self.clock);
            let Some(bottleneck) = &mut self.bottleneck else {
                let (at, mut transit) = delayed.and_then(|_| self.delay.pop())?;
                transit.reached = at;
                let policed = self.police.as_mut();
                if policed.is_none_or(|bucket| bucket.passes(at, transit.packet.len())) {
                    return Some(self.ledger.depart(at, transit));
                }
                self.ledger.drop_held(at, DropCause::Policed, transit);
                continue;
            };
            let event = bottleneck.next_event().filter(|at| *at <= self.clock);
            let before = event.into_iter().chain(delayed).min().unwrap_or(self.clock);
            if self.changes.is_some() && self.follow(before, event) {
                continue;
            }
            let Some(bottleneck) = &mut self.bottleneck else {
                return None;
            };
            match (event, delayed) {
                (Some(event), due) if due.is_none_or(|due| event <= due) => {
                    if let Some((due, transit)) = bottleneck.step(&mut self.ledger) {
                        return Some(self.ledger.depart(due, transit));
                    }
                }
                (_, Some(_)) => self.reach_bottleneck(),
                _ => return None,
            }
        }
    }

    /// What has happened so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.ledger.counters
    }

    fn reach_bottleneck(&mut self) {
        let (Some(bottleneck), Some((at, mut transit))) = (&mut self.bottleneck, self.delay.pop())
        else {
            return;
        };
        transit.reached = at;
        let policed = self.police.as_mut();
        if policed.is_none_or(|bucket| bucket.passes(at, transit.packet.len())) {
            bottleneck.arrive(at, transit, &mut self.ledger);
        } else {
            self.ledger.drop_held(at, DropCause::Policed, transit);
        }
    }

    /// When the bottleneck changes next.
    fn next_change(&self) -> Option<Time> {
        let next_ns = self.changes.as_ref()?.next_ns()?;
        Some(self.started().plus_nanos(next_ns))
    }

    /// Lets the bottleneck change, if it does by `until`, before what happens next; where that is `event`, it happens
    /// before a change of the same moment. Changes of a bottleneck that is sending come one by one; otherwise only the
    /// last matters.
    fn follow(&mut self, until: Time, event: Option<Time>) -> bool {
        let Some(change) = self.next_change().filter(|change| *change <= until) else {
            return false;
        };
        if self.start.is_none() || event == Some(change) {
            return false;
        }
        let sending = self.bottleneck.as_ref().is_some_and(Bottleneck::is_sending);
        let at = if sending { change } else { until };
        let elapsed_ns = at.0.saturating_sub(self.started().0);
        let news = self
            .changes
            .as_mut()
            .and_then(|changes| changes.news(elapsed_ns));
        news.map(|values| self.change_bottleneck(at, values))
            .is_some()
    }

    fn change_bottleneck(&mut self, at: Time, values: BottleneckValues) {
        let Some(bottleneck) = &mut self.bottleneck else {
            return;
        };
        if let Some(rate) = values.rate_bit_per_s {
            bottleneck.set_rate(at, rate);
        }
        if let Some(bound) = values.queue {
            bottleneck.set_bound(bound);
        }
    }

    fn started(&self) -> Time {
        self.start.unwrap_or_default()
    }
}
