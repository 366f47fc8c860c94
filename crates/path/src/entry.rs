//! The stages that decide on a packet when it enters: duplicate, loss, corrupt.

use crate::corrupt::Corrupt;
use crate::delay::Delay;
use crate::draws::Instance;
use crate::duplicate::Duplicate;
use crate::fate::{DropCause, Dropped, Marks};
use crate::ledger::Ledger;
use crate::loss::Loss;
use crate::packet::Packet;
use crate::schedule::{Changes, EntryValues};
use crate::spec::{self, Direction, LinkSpec};
use crate::time::Time;
use crate::timetable::Follower;
use crate::transit::Transit;

/// The three stages, and what changes about them and about the delay.
#[derive(Debug)]
pub(crate) struct Entry {
    duplicate: Option<Duplicate>,
    loss: Option<Loss>,
    corrupt: Option<Corrupt>,
    changes: Option<Follower<EntryValues>>,
    next_sequence: u64,
}

/// A packet that enters, before it is held.
struct Entrant<'a, P> {
    at: Time,
    number: u64,
    delay: &'a mut Delay<P>,
    ledger: &'a mut Ledger<P>,
}

impl Entry {
    pub(crate) fn new(
        spec: &LinkSpec,
        changes: &Changes,
        seed: u64,
        direction: Direction,
    ) -> Entry {
        let never = spec::Loss::independent(0.0);
        let lossless = changes.sets(|values| values.loss).then_some(&never);
        let duplicate_varies = changes.sets(|values| values.duplicate);
        let corrupt_varies = changes.sets(|values| values.corrupt);
        Entry {
            duplicate: Duplicate::new(spec, duplicate_varies, seed, direction),
            loss: spec
                .loss
                .as_ref()
                .or(lossless)
                .map(|model| Loss::new(model, seed, direction)),
            corrupt: Corrupt::new(spec, corrupt_varies, seed, direction),
            changes: changes.entry().map(Follower::new),
            next_sequence: 0,
        }
    }

    /// Takes what holds at the start, and returns it for the delay.
    pub(crate) fn first(&mut self) -> Option<EntryValues> {
        let values = self.changes.as_ref().map(Follower::first)?;
        self.set(&values);
        Some(values)
    }

    /// Takes what holds at `at` where that is news, and returns it for the delay.
    pub(crate) fn news(&mut self, at: Time, start: Time) -> Option<EntryValues> {
        let elapsed_ns = at.0.saturating_sub(start.0);
        let values = self.changes.as_mut()?.news(elapsed_ns)?;
        self.set(&values);
        Some(values)
    }

    /// A packet is kept out. What would have been decided on it and on its copy counts for those after it.
    pub(crate) fn refuse<P: Packet>(
        &mut self,
        at: Time,
        cause: DropCause,
        packet: P,
        delay: &mut Delay<P>,
        ledger: &mut Ledger<P>,
    ) {
        let number = ledger.counters.packets_in - 1;
        let duplicated = self.duplicate.as_mut().is_some_and(Duplicate::decide);
        let lost = self.loss_decides(Instance::First);
        if duplicated {
            self.loss_decides_on_copy(lost);
            self.skip(Instance::Copy, delay);
        }
        self.skip(Instance::First, delay);
        ledger.refuse(cause, || Dropped {
            number,
            arrived: at,
            at,
            cause,
            marks: Marks::default(),
            packet,
        });
    }

    /// A packet comes in at `at`.
    pub(crate) fn admit<P: Packet>(
        &mut self,
        at: Time,
        packet: P,
        delay: &mut Delay<P>,
        ledger: &mut Ledger<P>,
    ) {
        let mut entrant = Entrant {
            at,
            number: ledger.counters.packets_in - 1,
            delay,
            ledger,
        };
        let duplicated = self.duplicate.as_mut().is_some_and(Duplicate::decide);
        let lost = self.loss_decides(Instance::First);
        if self.loss.is_some() {
            entrant.ledger.counters.loss_decisions += 1;
        }
        entrant.ledger.counters.lost += u64::from(lost);
        if duplicated {
            entrant.ledger.counters.duplicated += 1;
            self.admit_copy(&packet, lost, &mut entrant);
        } else if lost {
            self.skip(Instance::First, entrant.delay);
            entrant.lose(Marks::default(), || packet);
            return;
        }
        self.carry(packet, Instance::First, &mut entrant);
    }

    fn admit_copy<P: Packet>(
        &mut self,
        original: &P,
        original_lost: bool,
        entrant: &mut Entrant<'_, P>,
    ) {
        let copy_lost = self.loss_decides_on_copy(original_lost);
        if self.loss.is_some() && !original_lost {
            entrant.ledger.counters.loss_decisions += 1;
            entrant.ledger.counters.lost += u64::from(copy_lost);
        }
        if original_lost || copy_lost {
            self.skip(Instance::Copy, entrant.delay);
            let marks = Marks {
                copy: true,
                ..Marks::default()
            };
            entrant.lose(marks, || original.duplicate());
        } else {
            self.carry(original.duplicate(), Instance::Copy, entrant);
        }
    }

    fn loss_decides(&mut self, instance: Instance) -> bool {
        self.loss.as_mut().is_some_and(|loss| loss.decide(instance))
    }

    /// The loss stage decides on a copy only where its original wasn't lost.
    fn loss_decides_on_copy(&mut self, original_lost: bool) -> bool {
        match &mut self.loss {
            Some(loss) if original_lost => {
                loss.skip_copy();
                false
            }
            Some(loss) => loss.decide(Instance::Copy),
            None => false,
        }
    }

    fn carry<P: Packet>(
        &mut self,
        mut packet: P,
        instance: Instance,
        entrant: &mut Entrant<'_, P>,
    ) {
        let mut marks = Marks {
            copy: instance == Instance::Copy,
            ..Marks::default()
        };
        let counters = &mut entrant.ledger.counters;
        if let Some(corrupt) = &mut self.corrupt {
            marks.corrupted = corrupt.apply(&mut packet, instance);
            counters.corrupted += u64::from(marks.corrupted);
        }
        counters.held += 1;
        let transit = Transit {
            number: entrant.number,
            sequence: self.next_sequence,
            arrived: entrant.at,
            reached: entrant.at,
            marks,
            packet,
        };
        self.next_sequence += 1;
        entrant.delay.push(transit, instance);
    }

    /// Uses up, for a packet that is no more, the draws of the stages after loss.
    fn skip<P>(&mut self, instance: Instance, delay: &mut Delay<P>) {
        if let Some(corrupt) = &mut self.corrupt {
            corrupt.skip(instance);
        }
        delay.skip(instance);
    }

    fn set(&mut self, values: &EntryValues) {
        if let (Some(loss), Some(probability)) = (&mut self.loss, values.loss) {
            loss.set(probability);
        }
        if let (Some(duplicate), Some(probability)) = (&mut self.duplicate, values.duplicate) {
            duplicate.set(probability);
        }
        if let (Some(corrupt), Some(probability)) = (&mut self.corrupt, values.corrupt) {
            corrupt.set(probability);
        }
    }
}

impl<P: Packet> Entrant<'_, P> {
    fn lose(&mut self, marks: Marks, packet: impl FnOnce() -> P) {
        let (number, at) = (self.number, self.at);
        self.ledger.refuse(DropCause::Loss, || Dropped {
            number,
            arrived: at,
            at,
            cause: DropCause::Loss,
            marks,
            packet: packet(),
        });
    }
}
