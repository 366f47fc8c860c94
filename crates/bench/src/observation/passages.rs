//! Every packet's way over both links, kept in memory: what entered, when, and what became of it.
//!
//! Cross traffic is left out. The links' drivers never wait for who keeps it; what doesn't find room is counted.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, JoinHandle};
use std::time::Duration;

use pronghorn_path::{Direction, DropCause, PathSpec, Time};

use crate::clock::now;
use crate::driver::tap::{Delivery, Dropping, Leaving, Tap, Taps};
use crate::driver::wire::addresses;
use crate::network::addressing::Addressing;
use crate::network::level::Level;
use crate::observation::link_tap::{LinkTap, Missed};
use crate::observation::mailbox::{Batch, Event, Receiver, mailbox};
use crate::side::Side;

/// How long the keeper sleeps between two looks: the mailboxes hold a quarter of a second at 1 Gbit/s.
const PAUSE: Duration = Duration::from_millis(20);

/// The most bytes of packets that are kept of a link.
const MOST_BYTES: usize = 256 << 20;

/// A recording of a path's packets that goes on until it is dropped.
#[derive(Debug)]
pub struct Passages {
    start: Time,
    missed: [Arc<Missed>; 2],
    shared: Arc<Shared>,
    keeper: Option<JoinHandle<()>>,
}

/// What has been recorded at a time; nothing is kept anew while it is looked at, and the links' drivers go on.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// When the recording began, of `CLOCK_MONOTONIC`.
    pub start: Time,
    /// Events that found no room.
    pub missing: u64,
    store: MutexGuard<'a, Store>,
}

/// One packet's way, or that of the copy which the link made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage<'a> {
    /// Over which link.
    pub direction: Direction,
    /// When it, or a copy's original, entered.
    pub sent: Time,
    /// As it entered.
    pub bytes: &'a [u8],
    /// Whether it is the second one of a packet that the link duplicated.
    pub copy: bool,
    /// What became of it.
    pub outcome: Outcome,
}

/// How a packet's way ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It left the link.
    Left {
        /// When in fact.
        at: Time,
        /// How long it had waited behind others for the bottleneck, in nanoseconds.
        queued_ns: u64,
        /// A bit of it had flipped.
        corrupted: bool,
        /// What the far host made of it.
        delivery: Delivery,
    },
    /// It ended in the link.
    Dropped(DropCause),
    /// It was still in the link when the recording ended, or the record of its end is missing.
    Unknown,
}

impl Passages {
    /// Begins a recording of `path`, between hosts of `level`, and gives the taps that feed it.
    ///
    /// # Errors
    /// No thread can be had.
    pub fn start(path: &PathSpec, level: Level) -> io::Result<(Passages, Taps)> {
        let missed = [Arc::<Missed>::default(), Arc::<Missed>::default()];
        let cross = Addressing::of(path.family, level).address_of_cross(Side::Server);
        let tap = |direction, missed: &Arc<Missed>| {
            let (sender, receiver) = mailbox();
            let inner = LinkTap::new(path, direction, sender, Arc::clone(missed));
            let tap = PassageTap {
                inner,
                direction,
                cross,
            };
            (Box::new(tap), receiver)
        };
        let (down, down_mail) = tap(Direction::Down, &missed[0]);
        let (up, up_mail) = tap(Direction::Up, &missed[1]);
        let shared = Arc::new(Shared {
            stop: AtomicBool::new(false),
            store: Mutex::new(Store {
                mail: [down_mail, up_mail],
                kept: Default::default(),
                batch: Batch::spare(),
            }),
        });
        let keeping = Arc::clone(&shared);
        let keeper = Builder::new()
            .name("passages".into())
            .spawn(move || keeping.keep())?;
        let passages = Passages {
            start: now(),
            missed,
            shared,
            keeper: Some(keeper),
        };
        Ok((passages, Taps { down, up }))
    }

    /// What has been recorded. It is complete once the bench is closed; before, the very last events may not be in it.
    #[must_use]
    pub fn so_far(&self) -> Recorded<'_> {
        let mut store = self.shared.store();
        store.take();
        let unkept: u64 = store.kept.iter().map(|kept| kept.unkept).sum();
        Recorded {
            start: self.start,
            missing: self.missed.iter().map(|missed| missed.total()).sum::<u64>() + unkept,
            store,
        }
    }
}

impl Drop for Passages {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(keeper) = self.keeper.take() {
            keeper.thread().unpark();
            drop(keeper.join());
        }
    }
}

impl Recorded<'_> {
    /// Every packet in the order of its entry, copies behind their originals.
    #[must_use]
    pub fn passages(&self) -> Vec<Passage<'_>> {
        let [down, up] = &self.store.kept;
        let mut passages = down.passages(Direction::Down);
        passages.extend(up.passages(Direction::Up));
        passages.sort_by_key(|passage| passage.sent);
        passages
    }
}

#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    store: Mutex<Store>,
}

impl Shared {
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps events until it is to stop.
    fn keep(&self) {
        while !self.stop.load(Ordering::Acquire) {
            self.store().take();
            thread::park_timeout(PAUSE);
        }
    }
}

#[derive(Debug)]
struct Store {
    mail: [Receiver; 2],
    kept: [Kept; 2],
    batch: Batch,
}

impl Store {
    /// Takes what has come.
    fn take(&mut self) {
        for (mail, kept) in self.mail.iter().zip(&mut self.kept) {
            mail.take_last(&mut self.batch);
            kept.take(&self.batch);
            self.batch.clear();
        }
    }
}

/// What is kept of one link.
#[derive(Debug, Default)]
struct Kept {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// By the packets' numbers; of a copy and of an original.
    ends: HashMap<u64, [Option<Outcome>; 2]>,
    /// What there was no room for.
    unkept: u64,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    at: Time,
    start: usize,
    end: usize,
}

impl Kept {
    fn take(&mut self, batch: &Batch) {
        for (event, packet) in batch.iter() {
            match event {
                Event::Entered { number, at } => self.enter(number, at, packet),
                Event::Left { facts, queued_ns } => {
                    let outcome = Outcome::Left {
                        at: facts.at,
                        queued_ns,
                        corrupted: facts.marks.corrupted,
                        delivery: facts.delivery,
                    };
                    self.end(facts.number, facts.marks.copy, outcome);
                }
                Event::Dropped(facts) => {
                    self.end(
                        facts.number,
                        facts.marks.copy,
                        Outcome::Dropped(facts.cause),
                    );
                }
            }
        }
    }

    fn enter(&mut self, number: u64, at: Time, packet: &[u8]) {
        let start = self.bytes.len();
        if start + packet.len() > MOST_BYTES {
            self.unkept += 1;
            return;
        }
        self.bytes.extend_from_slice(packet);
        self.entries.push(Entry {
            number,
            at,
            start,
            end: self.bytes.len(),
        });
    }

    /// Only of what was kept: cross traffic ends as well, and what found no room. Packets enter in the order of their numbers.
    fn end(&mut self, number: u64, copy: bool, outcome: Outcome) {
        let known = self
            .entries
            .binary_search_by_key(&number, |entry| entry.number);
        if known.is_err() {
            return;
        }
        self.ends.entry(number).or_default()[usize::from(copy)] = Some(outcome);
    }

    fn passages(&self, direction: Direction) -> Vec<Passage<'_>> {
        let mut passages = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let [own, copys] = self.ends.get(&entry.number).copied().unwrap_or_default();
            let passage = Passage {
                direction,
                sent: entry.at,
                bytes: &self.bytes[entry.start..entry.end],
                copy: false,
                outcome: own.unwrap_or(Outcome::Unknown),
            };
            passages.push(passage);
            passages.extend(copys.map(|outcome| Passage {
                copy: true,
                outcome,
                ..passage
            }));
        }
        passages
    }
}

/// Leaves cross traffic out, and the bytes of what leaves.
struct PassageTap {
    inner: LinkTap,
    direction: Direction,
    /// The server's address for cross traffic.
    cross: IpAddr,
}

impl PassageTap {
    fn is_cross(&self, packet: &[u8]) -> bool {
        let ends = addresses(packet);
        let own = ends.map(|(source, destination)| match self.direction {
            Direction::Down => source,
            Direction::Up => destination,
        });
        own == Some(self.cross)
    }
}

impl Tap for PassageTap {
    fn entered(&mut self, number: u64, at: Time, packet: &[u8]) {
        if !self.is_cross(packet) {
            self.inner.entered(number, at, packet);
        }
    }

    fn reads_departures(&self) -> bool {
        false
    }

    fn left(&mut self, facts: &Leaving, _packet: &[u8]) {
        self.inner.left(facts, &[]);
    }

    fn dropped(&mut self, facts: &Dropping, packet: &[u8]) {
        self.inner.dropped(facts, packet);
    }
}

#[cfg(test)]
mod tests {
    use pronghorn_path::Marks;

    use super::*;

    fn packet(source: u8, destination: u8) -> [u8; 20] {
        let mut packet = [0; 20];
        packet[0] = 0x45;
        packet[12..16].copy_from_slice(&[198, 18, 0, source]);
        packet[16..20].copy_from_slice(&[198, 18, 0, destination]);
        packet
    }

    fn leaving(number: u64, at: u64, copy: bool) -> Leaving {
        Leaving {
            number,
            at: Time(at),
            arrived: Time(0),
            reached: Time(at),
            due: Time(at),
            marks: Marks {
                copy,
                ..Marks::default()
            },
            delivery: Delivery::Taken,
        }
    }

    #[test]
    fn each_packet_has_its_outcome_its_copy_stands_behind_it_and_cross_traffic_is_left_out()
    -> io::Result<()> {
        let (passages, mut taps) = Passages::start(&PathSpec::default(), Level::default())?;
        taps.down.entered(0, Time(10), &packet(2, 1));
        taps.down.entered(1, Time(11), &packet(4, 3));
        taps.down.entered(2, Time(13), &packet(2, 1));
        taps.up.entered(0, Time(12), &packet(1, 2));
        taps.down.left(&leaving(0, 20, true), &[]);
        taps.down.left(&leaving(0, 21, false), &[]);
        taps.down.left(&leaving(1, 22, false), &[]);
        taps.up.dropped(
            &Dropping {
                number: 0,
                arrived: Time(12),
                at: Time(12),
                cause: DropCause::Loss,
                marks: Marks::default(),
            },
            &[],
        );
        drop(taps);
        let recorded = passages.so_far();
        let ends = recorded.store.kept.iter().map(|kept| kept.ends.len());
        assert_eq!(
            ends.collect::<Vec<_>>(),
            [1, 1],
            "of cross traffic nothing is kept"
        );
        let told: Vec<_> = recorded
            .passages()
            .iter()
            .map(|passage| {
                let at = match passage.outcome {
                    Outcome::Left { at, .. } => Some(at.0),
                    _ => None,
                };
                (passage.direction, passage.sent.0, passage.copy, at)
            })
            .collect();
        let expected = [
            (Direction::Down, 10, false, Some(21)),
            (Direction::Down, 10, true, Some(20)),
            (Direction::Up, 12, false, None),
            (Direction::Down, 13, false, None),
        ];
        assert_eq!((told, recorded.missing), (expected.to_vec(), 0));
        assert_eq!(
            recorded.passages()[2].outcome,
            Outcome::Dropped(DropCause::Loss)
        );
        assert_eq!(recorded.passages()[3].outcome, Outcome::Unknown);
        Ok(())
    }
}
