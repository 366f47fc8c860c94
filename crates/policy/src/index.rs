//! How a key is found, and which one is displaced: chains of a hash table, and a list from the newest to the oldest use.
//!
//! Nothing that stands in the memory is believed: an index out of range, an entry in the wrong chain or a link that isn't
//! returned is [`Damaged`], and no walk is longer than a chain may be.

use crate::entry::{BLOCKED, Entry, FREE, NONE, ON, OWN};
use crate::table::Table;

/// Longer chains don't come about: with as many buckets as entries one of 64 has a chance of 10^-89.
pub(crate) const CHAIN_MOST: usize = 64;

/// The links don't make sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

impl Table<'_> {
    /// The entry of a key, made where there is none, now the newest.
    pub(crate) fn take(&mut self, key: u64, kind: u8, now_ms: u64) -> Result<u32, Damaged> {
        if let Some(index) = self.find(key, kind)? {
            self.unlink(index)?;
            self.link_newest(index)?;
            return Ok(index);
        }
        if self.head.free == NONE {
            self.evict_oldest()?;
        }
        let index = self.head.free;
        let bucket = self.bucket(key);
        let first = *self.buckets.get(bucket).ok_or(Damaged)?;
        let entry = self.at_mut(index)?;
        if entry.kind != FREE {
            return Err(Damaged);
        }
        let free = entry.next;
        *entry = Entry::new(key, kind, now_ms);
        entry.next = first;
        self.head.free = free;
        *self.buckets.get_mut(bucket).ok_or(Damaged)? = index;
        self.link_newest(index)?;
        if kind == OWN {
            self.head.keys = self.head.keys.saturating_add(1);
        } else {
            self.head.parents = self.head.parents.saturating_add(1);
        }
        Ok(index)
    }

    /// The entry of a key.
    pub(crate) fn find(&self, key: u64, kind: u8) -> Result<Option<u32>, Damaged> {
        let mut index = *self.buckets.get(self.bucket(key)).ok_or(Damaged)?;
        for _ in 0..CHAIN_MOST {
            if index == NONE {
                return Ok(None);
            }
            let entry = self.at(index)?;
            if entry.kind == FREE {
                return Err(Damaged);
            }
            if entry.key == key && entry.kind == kind {
                return Ok(Some(index));
            }
            index = entry.next;
        }
        Err(Damaged)
    }

    pub(crate) fn at(&self, index: u32) -> Result<&Entry, Damaged> {
        self.entries.get(index as usize).ok_or(Damaged)
    }

    pub(crate) fn at_mut(&mut self, index: u32) -> Result<&mut Entry, Damaged> {
        self.entries.get_mut(index as usize).ok_or(Damaged)
    }

    pub(crate) fn bucket(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    fn evict_oldest(&mut self) -> Result<(), Damaged> {
        let index = self.head.oldest;
        let entry = *self.at(index)?;
        self.unlink(index)?;
        self.unchain(index, entry.key)?;
        let free = self.head.free;
        let place = self.at_mut(index)?;
        place.kind = FREE;
        place.next = free;
        let head = &mut *self.head;
        head.free = index;
        head.counters.evicted = head.counters.evicted.saturating_add(1);
        if entry.kind == OWN {
            head.keys = head.keys.saturating_sub(1);
            head.keys_on = head.keys_on.saturating_sub(u32::from(entry.is(ON)));
            head.keys_blocked = head
                .keys_blocked
                .saturating_sub(u32::from(entry.is(BLOCKED)));
        } else {
            head.parents = head.parents.saturating_sub(1);
        }
        Ok(())
    }

    fn unchain(&mut self, index: u32, key: u64) -> Result<(), Damaged> {
        let after = self.at(index)?.next;
        let bucket = self.bucket(key);
        let first = self.buckets.get_mut(bucket).ok_or(Damaged)?;
        if *first == index {
            *first = after;
            return Ok(());
        }
        let mut before = *first;
        for _ in 0..CHAIN_MOST {
            let entry = self.at_mut(before)?;
            if entry.next == index {
                entry.next = after;
                return Ok(());
            }
            before = entry.next;
        }
        Err(Damaged)
    }

    fn unlink(&mut self, index: u32) -> Result<(), Damaged> {
        let Entry { newer, older, .. } = *self.at(index)?;
        let to_here = match newer {
            NONE => &mut self.head.newest,
            newer => &mut self.at_mut(newer)?.older,
        };
        if *to_here != index {
            return Err(Damaged);
        }
        *to_here = older;
        let to_here = match older {
            NONE => &mut self.head.oldest,
            older => &mut self.at_mut(older)?.newer,
        };
        if *to_here != index {
            return Err(Damaged);
        }
        *to_here = newer;
        Ok(())
    }

    fn link_newest(&mut self, index: u32) -> Result<(), Damaged> {
        let second = self.head.newest;
        let entry = self.at_mut(index)?;
        (entry.newer, entry.older) = (NONE, second);
        match second {
            NONE => self.head.oldest = index,
            second => self.at_mut(second)?.newer = index,
        }
        self.head.newest = index;
        Ok(())
    }
}
