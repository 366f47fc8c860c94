//! The thread that takes the links' events and spools them.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use pronghorn_path::{Direction, PathSpec};

use super::comment::{End, Terms, of_departure};
use super::fates::Fates;
use super::spool::Spool;
use crate::observation::mailbox::{Batch, Event, Receiver};

/// How long the writer sleeps between two looks. The taps never wake it, which would cost the path a system call a
/// packet; their mailboxes hold what comes meanwhile.
const PAUSE: Duration = Duration::from_millis(2);

/// What has been spooled of one link.
#[derive(Debug)]
pub(super) struct LinkSpools {
    /// The packets as they entered.
    pub(super) entries: Spool,
    /// The packets as they left, with their comments.
    pub(super) departures: Spool,
    /// What else became of them.
    pub(super) fates: Fates,
    terms: Terms,
}

impl LinkSpools {
    fn new(target: &Path, path: &PathSpec, direction: Direction) -> io::Result<LinkSpools> {
        let name = direction.name();
        Ok(LinkSpools {
            entries: Spool::new(target, &format!("{name}-in"))?,
            departures: Spool::new(target, &format!("{name}-out"))?,
            fates: Fates::new(target, &format!("{name}-fates"))?,
            terms: Terms::of(path, direction),
        })
    }

    /// Spools a link's events; counts the packets among them.
    fn take(&mut self, batch: &Batch, records: &AtomicU64) -> io::Result<()> {
        for (event, packet) in batch.iter() {
            let more = self.take_one(event, packet)?;
            records.fetch_add(more, Ordering::Relaxed);
        }
        Ok(())
    }

    fn take_one(&mut self, event: Event, packet: &[u8]) -> io::Result<u64> {
        match event {
            Event::Entered { number, at } => self.entries.add(number, at.0, "", packet)?,
            Event::Left { facts, queued_ns } => {
                if facts.marks.copy {
                    self.fates.tell_duplicated(facts.number)?;
                }
                let comment = of_departure(self.terms, &facts, queued_ns);
                self.departures
                    .add(facts.number, facts.at.0, &comment, packet)?;
            }
            Event::Dropped(facts) => {
                let end = End {
                    cause: facts.cause,
                    after_ns: facts.at.0.saturating_sub(facts.arrived.0),
                    copy: facts.marks.copy,
                    corrupted: facts.marks.corrupted,
                };
                self.fates.tell_end(facts.number, end)?;
                return Ok(0);
            }
        }
        Ok(1)
    }
}

/// Both links' spools.
#[derive(Debug)]
pub(super) struct Spools {
    pub(super) down: LinkSpools,
    pub(super) up: LinkSpools,
}

impl Spools {
    /// Empty ones, in the folder of `target`.
    pub(super) fn new(target: &Path, path: &PathSpec) -> io::Result<Spools> {
        Ok(Spools {
            down: LinkSpools::new(target, path, Direction::Down)?,
            up: LinkSpools::new(target, path, Direction::Up)?,
        })
    }

    /// Spools events until nobody is left to send one, or `stop` is set. After a failure events are taken and
    /// forgotten, so that the taps don't count them as missed; the failure is what counts.
    pub(super) fn fill(
        mut self,
        down: &Receiver,
        up: &Receiver,
        stop: &AtomicBool,
        records: &AtomicU64,
    ) -> io::Result<Spools> {
        let mut batch = Batch::spare();
        let mut fault = None;
        loop {
            let last = stop.load(Ordering::Acquire) || (down.is_closed() && up.is_closed());
            for (mail, link) in [(down, &mut self.down), (up, &mut self.up)] {
                if last {
                    mail.take_last(&mut batch);
                } else {
                    mail.take(&mut batch);
                }
                if fault.is_none() {
                    fault = link.take(&batch, records).err();
                }
                batch.clear();
            }
            if last {
                return fault.map_or(Ok(self), Err);
            }
            std::thread::sleep(PAUSE);
        }
    }
}
