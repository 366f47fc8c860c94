//! What begins a table's memory: its geometry and secret, the ends of its lists, counters and what all keys add to.

use bytemuck::{Pod, Zeroable};

use super::entry::{Entry, NONE};
use super::tally::Tally;
use crate::key;
use crate::sample::TcpControl;

/// The C ABI's version, which stands in a table's memory as well.
pub const ABI: u32 = 7;

/// "pronghor", in the host's order.
const MAGIC: u64 = u64::from_ne_bytes(*b"pronghor");
const LABEL: u8 = b's';

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Head {
    magic: u64,
    bytes: u64,
    /// A keyed hash of the geometry: whoever scribbles here isn't believed.
    seal: u64,
    pub(crate) secret: [u8; 16],
    abi: u32,
    entry_bytes: u32,
    pub(crate) capacity: u32,
    /// Not 0 while somebody works on the table.
    pub(crate) busy: u32,
    pub(crate) newest: u32,
    pub(crate) oldest: u32,
    pub(crate) free: u32,
    pub(crate) keys: u32,
    pub(crate) parents: u32,
    pub(crate) keys_on: u32,
    pub(crate) keys_blocked: u32,
    /// What was told last of TCP's congestion control.
    pub(crate) control: u8,
    /// Counts the holdouts that there have been: a key's part in one is none in the next.
    pub(crate) holdouts: u8,
    reserved: [u8; 2],
    /// The share that is pinned to each arm; below 0: whichever a question has.
    pub(crate) holdout: f32,
    /// From when on outcomes count, seconds of the clock.
    pub(crate) counts_from_s: u32,
    pub(crate) counters: Counters,
    pub(crate) epoch: u64,
    /// By arm.
    pub(crate) all: [Tally; 3],
    pub(crate) now: [Tally; 3],
}

/// Since the table was made.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Counters {
    pub(crate) evicted: u64,
    pub(crate) mended: u64,
    pub(crate) emptied: u64,
    pub(crate) refused: u64,
    pub(crate) samples: [u64; 2],
    pub(crate) stalls: [u64; 2],
    pub(crate) decisions: [u64; 3],
    pub(crate) offers: u64,
    pub(crate) upgrades: u64,
    pub(crate) downgrades: u64,
    pub(crate) blocks: u64,
}

impl Head {
    pub(crate) fn new(bytes: usize, capacity: u32, secret: [u8; 16]) -> Head {
        let mut head = Head {
            magic: MAGIC,
            bytes: bytes as u64,
            secret,
            abi: ABI,
            entry_bytes: size_of::<Entry>() as u32,
            capacity,
            newest: NONE,
            oldest: NONE,
            free: NONE,
            holdout: -1.0,
            ..Head::zeroed()
        };
        head.seal = head.sealed();
        head
    }

    /// The bytes of the whole table, where this is a head of this ABI.
    pub(crate) fn bytes(&self) -> Option<usize> {
        let is_one = self.magic == MAGIC
            && self.abi == ABI
            && self.entry_bytes == size_of::<Entry>() as u32
            && self.seal == self.sealed();
        is_one.then(|| usize::try_from(self.bytes).ok()).flatten()
    }

    /// The epoch at `now_ms`, where each lasts for `epoch_s`. A clock that is back by an instant doesn't begin the last one again.
    pub(crate) fn come_to(&mut self, epoch_s: u32, now_ms: u64) -> u64 {
        let epoch = now_ms / (u64::from(epoch_s) * 1000).max(1);
        if epoch > self.epoch || epoch.saturating_add(1) < self.epoch {
            self.epoch = epoch;
            self.now = [Tally::zeroed(); 3];
        }
        self.epoch
    }

    /// What a key's part in this epoch and holdout is known by.
    pub(crate) fn stamp(&self, epoch: u64) -> u32 {
        (u32::from(self.holdouts) << 24) | (epoch as u32 & 0x00ff_ffff)
    }

    /// What TCP connections of a key are controlled by: by the key's own word, else by what was told last of any.
    pub(crate) fn tcp_control(&self, entry: &Entry) -> TcpControl {
        match TcpControl::of(entry.control) {
            TcpControl::Unknown => TcpControl::of(self.control),
            known => known,
        }
    }

    /// A key was taken for blocked, or is now.
    pub(crate) fn count_blocked(&mut self, was: bool, is: bool) {
        self.keys_blocked = match (was, is) {
            (false, true) => self.keys_blocked.saturating_add(1),
            (true, false) => self.keys_blocked.saturating_sub(1),
            _ => self.keys_blocked,
        };
    }

    fn sealed(&self) -> u64 {
        let geometry = (u64::from(self.capacity) << 32)
            | (u64::from(self.entry_bytes) << 16)
            | u64::from(self.abi);
        key::hash(&self.secret, LABEL, [self.bytes, geometry])
    }
}
