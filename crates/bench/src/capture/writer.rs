//! The thread that takes the links' events and spools them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use pronghorn_path::{Direction, PathSpec};

use super::comment::{End, Terms, of_departure};
use super::fates::Fates;
use super::spool::Spool;
use super::watch::Event;

/// How long the writer sleeps when there is nothing to do. The taps never wake it, which would cost the
/// path a system call a packet; their channel holds what comes meanwhile.
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
            terms: Terms::of(path.link(direction)),
        })
    }

    fn take(&mut self, event: Event) -> io::Result<u64> {
        match event {
            Event::Entered { number, at, packet } => {
                self.entries.add(number, at.0, "", &packet).map(|()| 1)
            }
            Event::Left {
                facts,
                queued_ns,
                packet,
            } => {
                if facts.marks.copy {
                    self.fates.tell_duplicated(facts.number)?;
                }
                let comment = of_departure(self.terms, &facts, queued_ns);
                self.departures
                    .add(facts.number, facts.at.0, &comment, &packet)
                    .map(|()| 1)
            }
            Event::Dropped(facts) => {
                let end = End {
                    cause: facts.cause,
                    after_ns: facts.at.0.saturating_sub(facts.arrived.0),
                    copy: facts.marks.copy,
                    corrupted: facts.marks.corrupted,
                };
                self.fates.tell_end(facts.number, end).map(|()| 0)
            }
        }
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

    /// Spools events until nobody is left to tell one, or `stop` is set and none is waiting. After a failure
    /// events are taken and forgotten, so that the taps don't count them as missed; the failure is what counts.
    pub(super) fn fill(
        mut self,
        events: &Receiver<(Direction, Event)>,
        stop: &AtomicBool,
        records: &Arc<AtomicU64>,
    ) -> io::Result<Spools> {
        let mut fault = None;
        loop {
            let stopping = stop.load(Ordering::Acquire);
            let gone = loop {
                match events.try_recv() {
                    Ok((direction, event)) if fault.is_none() => {
                        let link = match direction {
                            Direction::Down => &mut self.down,
                            Direction::Up => &mut self.up,
                        };
                        match link.take(event) {
                            Ok(more) => drop(records.fetch_add(more, Ordering::Relaxed)),
                            Err(error) => fault = Some(error),
                        }
                    }
                    Ok(_) => {}
                    Err(TryRecvError::Empty) => break false,
                    Err(TryRecvError::Disconnected) => break true,
                }
            };
            if gone || stopping {
                return fault.map_or(Ok(self), Err);
            }
            std::thread::sleep(PAUSE);
        }
    }
}
