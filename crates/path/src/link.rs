//! One direction of a path: the stages, strung together.

use std::collections::VecDeque;

use crate::bottleneck::Bottleneck;
use crate::corrupt::Corrupt;
use crate::counters::Counters;
use crate::delay::Delay;
use crate::draws::Passage;
use crate::duplicate::Duplicate;
use crate::fate::{Departure, DropCause, Dropped, Marks};
use crate::loss::Loss;
use crate::packet::Packet;
use crate::spec::{Direction, LinkSpec, Queue};
use crate::time::Time;
use crate::transit::Transit;
use crate::validate::SpecError;

/// One direction of a path. Push packets in, ask when to look again, pop packets out.
///
/// Time goes forward only: a `now` before the latest one seen counts as the latest one.
#[derive(Debug)]
pub struct Link<P> {
    duplicate: Option<Duplicate>,
    loss: Option<Loss>,
    corrupt: Option<Corrupt>,
    delay: Delay<P>,
    bottleneck: Option<Bottleneck<P>>,
    counters: Counters,
    clock: Time,
    /// When the path started, once it has.
    start: Option<Time>,
    /// What was dropped and not yet asked for; none where nobody will ask.
    dropped: Option<VecDeque<Dropped<P>>>,
    next_sequence: u64,
    /// One more than the highest sequence number that has left.
    passed: u64,
}

impl<P: Packet> Link<P> {
    /// A link of this specification, empty. `seed` and `direction` settle every decision.
    ///
    /// # Errors
    /// The first value of the specification that isn't allowed.
    pub fn new(spec: &LinkSpec, seed: u64, direction: Direction) -> Result<Link<P>, SpecError> {
        spec.validate()?;
        let bound = spec.queue.unwrap_or(Queue::DEFAULT);
        Ok(Link {
            duplicate: Duplicate::new(spec, seed, direction),
            loss: spec
                .loss
                .as_ref()
                .map(|model| Loss::new(model, seed, direction)),
            corrupt: Corrupt::new(spec, seed, direction),
            delay: Delay::new(spec, seed, direction)?,
            bottleneck: spec.rate_bit_per_s.map(|rate| Bottleneck::new(rate, bound)),
            counters: Counters::default(),
            clock: Time::ZERO,
            start: None,
            dropped: None,
            next_sequence: 0,
            passed: 0,
        })
    }

    /// Sets the time from which every trace, schedule and outage of the link counts. The path starts
    /// with the first packet that enters either of its links, so whoever holds both tells each; a
    /// link that isn't told starts with its own first packet. Only the first call counts.
    pub fn start(&mut self, at: Time) {
        self.start.get_or_insert(at);
    }

    /// From now on, keeps each packet that it drops for [`Link::take_dropped`], copies included.
    pub fn keep_dropped(&mut self) {
        self.dropped.get_or_insert_with(VecDeque::new);
    }

    /// The next packet that was dropped, in the order in which that happened; always none without
    /// [`Link::keep_dropped`]. Ask after each push and pop.
    pub fn take_dropped(&mut self) -> Option<Dropped<P>> {
        self.dropped.as_mut()?.pop_front()
    }

    /// A packet enters at `now`.
    ///
    /// Duplication decides, then loss: a lost packet that was duplicated leaves one copy, which
    /// goes on. Where both copies are left, the second one enters anew, without duplication, and
    /// before the first one goes on, as in netem.
    pub fn push(&mut self, now: Time, packet: P) {
        self.clock = self.clock.max(now);
        self.start(self.clock);
        self.counters.packets_in += 1;
        self.counters.bytes_in += packet.len() as u64;
        let duplicated = self.duplicate.as_mut().is_some_and(Duplicate::decide);
        let lost = self.lose(Passage::First);
        if duplicated {
            self.counters.duplicated += 1;
            self.push_copy(&packet, lost);
        } else if lost {
            self.skip(Passage::First);
            self.drop_at_entry(DropCause::Loss, Marks::default(), || packet);
            return;
        }
        self.carry(packet, Passage::First);
    }

    /// The time of the next departure, if nothing is pushed before; `None` where nothing is held.
    ///
    /// It is never later than the next departure. It can be earlier where the packet next in line
    /// is one that the queue will drop; popping then gives `None`, and this a later time.
    #[must_use]
    pub fn next_due(&self) -> Option<Time> {
        let Some(bottleneck) = &self.bottleneck else {
            return self.delay.peek().map(|(due, _)| due);
        };
        bottleneck.end().or_else(|| {
            self.delay
                .peek()
                .map(|(due, packet)| bottleneck.preview(due, packet.len()))
        })
    }

    /// The next packet that leaves by `now`: in order of due time, ties in order of entry. Call it
    /// until it gives `None`.
    pub fn pop(&mut self, now: Time) -> Option<Departure<P>> {
        self.clock = self.clock.max(now);
        loop {
            let delayed = self
                .delay
                .peek()
                .map(|(due, _)| due)
                .filter(|due| *due <= self.clock);
            let Some(bottleneck) = &mut self.bottleneck else {
                delayed?;
                let (due, mut transit) = self.delay.pop()?;
                transit.reached = due;
                return Some(self.depart(due, transit));
            };
            let ended = bottleneck.end().filter(|end| *end <= self.clock);
            match (ended, delayed) {
                (Some(end), due) if due.is_none_or(|due| end <= due) => {
                    let (due, transit) = bottleneck.pop()?;
                    return Some(self.depart(due, transit));
                }
                (_, Some(_)) => self.reach_bottleneck(),
                _ => return None,
            }
        }
    }

    /// What has happened so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    fn push_copy(&mut self, original: &P, original_lost: bool) {
        if original_lost {
            if let Some(loss) = &mut self.loss {
                loss.skip(Passage::Copy);
            }
            self.skip(Passage::Copy);
            self.drop_copy(original);
        } else if self.lose(Passage::Copy) {
            self.skip(Passage::Copy);
            self.drop_copy(original);
        } else {
            self.carry(original.duplicate(), Passage::Copy);
        }
    }

    fn lose(&mut self, passage: Passage) -> bool {
        let Some(loss) = &mut self.loss else {
            return false;
        };
        let lost = loss.decide(passage);
        self.counters.loss_decisions += 1;
        self.counters.lost += u64::from(lost);
        lost
    }

    /// Uses up, for a packet that is no more, the draws of the stages after loss.
    fn skip(&mut self, passage: Passage) {
        if let Some(corrupt) = &mut self.corrupt {
            corrupt.skip(passage);
        }
        self.delay.skip(passage);
    }

    fn carry(&mut self, mut packet: P, passage: Passage) {
        let mut marks = Marks {
            copy: passage == Passage::Copy,
            ..Marks::default()
        };
        if let Some(corrupt) = &mut self.corrupt {
            marks.corrupted = corrupt.apply(&mut packet, passage);
            self.counters.corrupted += u64::from(marks.corrupted);
        }
        let transit = Transit {
            number: self.number(),
            sequence: self.next_sequence,
            arrived: self.clock,
            reached: self.clock,
            marks,
            packet,
        };
        self.next_sequence += 1;
        self.counters.held += 1;
        self.delay.push(transit, passage);
    }

    fn reach_bottleneck(&mut self) {
        let (Some(bottleneck), Some((at, mut transit))) = (&mut self.bottleneck, self.delay.pop())
        else {
            return;
        };
        transit.reached = at;
        let counters = &mut self.counters;
        let Err(refused) = bottleneck.push(at, transit) else {
            let buffer = bottleneck.buffer();
            counters.queue_high_water_bytes = counters.queue_high_water_bytes.max(buffer.bytes());
            counters.queue_high_water_packets =
                counters.queue_high_water_packets.max(buffer.packets());
            return;
        };
        counters.queue_dropped += 1;
        counters.held -= 1;
        self.keep(|| Dropped {
            number: refused.number,
            arrived: refused.arrived,
            at,
            cause: DropCause::QueueFull,
            marks: refused.marks,
            packet: refused.packet,
        });
    }

    /// The number of the packet that was pushed last.
    fn number(&self) -> u64 {
        self.counters.packets_in - 1
    }

    /// One of two copies is lost.
    fn drop_copy(&mut self, original: &P) {
        let marks = Marks {
            copy: true,
            ..Marks::default()
        };
        self.drop_at_entry(DropCause::Loss, marks, || original.duplicate());
    }

    /// The packet that was pushed last, or its copy, doesn't enter.
    fn drop_at_entry(&mut self, cause: DropCause, marks: Marks, packet: impl FnOnce() -> P) {
        let (number, at) = (self.number(), self.clock);
        self.keep(|| Dropped {
            number,
            arrived: at,
            at,
            cause,
            marks,
            packet: packet(),
        });
    }

    /// Keeps a dropped packet where somebody will ask for it.
    fn keep(&mut self, dropped: impl FnOnce() -> Dropped<P>) {
        if let Some(kept) = &mut self.dropped {
            kept.push_back(dropped());
        }
    }

    fn depart(&mut self, due: Time, transit: Transit<P>) -> Departure<P> {
        self.counters.held -= 1;
        self.counters.packets_out += 1;
        self.counters.bytes_out += transit.packet.len() as u64;
        self.counters.reordered += u64::from(transit.sequence < self.passed);
        self.passed = self.passed.max(transit.sequence + 1);
        Departure {
            number: transit.number,
            arrived: transit.arrived,
            reached: transit.reached,
            due,
            marks: transit.marks,
            packet: transit.packet,
        }
    }
}
