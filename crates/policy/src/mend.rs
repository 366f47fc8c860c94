//! Makes a table of whatever stands in the memory: entries that can be believed stay, all links are made anew.

use crate::entry::{BLOCKED, FREE, NONE, ON, OWN, PARENT};
use crate::index::CHAIN_MOST;
use crate::table::Table;

impl Table<'_> {
    /// Takes time in proportion to the capacity, and never more. The order of use stays as far as the old list still leads; what it
    /// doesn't reach counts as older.
    pub(crate) fn mend(&mut self) {
        let head = &mut *self.head;
        head.counters.mended = head.counters.mended.saturating_add(1);
        for tally in head.all.iter_mut().chain(&mut head.now) {
            tally.make_sound();
        }
        head.correction.make_sound();

        self.rebuild_chains();
        self.rebuild_order();
        self.count();
    }

    /// Drops entries of no kind, those that stand there twice, and those that would make a chain too long.
    fn rebuild_chains(&mut self) {
        self.buckets.fill(NONE);
        for index in 0..self.entries.len() {
            let Some(entry) = self.entries.get_mut(index) else {
                return;
            };
            entry.make_sound();
            let (key, kind) = (entry.key, entry.kind);
            let bucket = self.bucket(key);
            let first = self.buckets.get(bucket).copied().unwrap_or(NONE);
            let keep = matches!(kind, OWN | PARENT) && self.has_room(first, key, kind);
            let Some(entry) = self.entries.get_mut(index) else {
                return;
            };
            if !keep {
                entry.kind = FREE;
                continue;
            }
            entry.next = first;
            if let Some(place) = self.buckets.get_mut(bucket) {
                *place = index as u32;
            }
        }
    }

    fn has_room(&self, first: u32, key: u64, kind: u8) -> bool {
        let mut index = first;
        for _ in 0..CHAIN_MOST - 1 {
            let Ok(entry) = self.at(index) else {
                return true;
            };
            if entry.key == key && entry.kind == kind {
                return false;
            }
            index = entry.next;
        }
        false
    }

    fn rebuild_order(&mut self) {
        let mut old = self.head.newest;
        let mut last = NONE;
        self.head.newest = NONE;
        while let Some(entry) = self.entries.get(old as usize) {
            if entry.kind == FREE || entry.mark != 0 {
                break;
            }
            let next = entry.older;
            last = self.append(old, last);
            old = next;
        }
        self.head.free = NONE;
        for index in (0..self.entries.len() as u32).rev() {
            let Some(entry) = self.entries.get_mut(index as usize) else {
                return;
            };
            if entry.kind == FREE {
                entry.next = self.head.free;
                self.head.free = index;
            } else if entry.mark == 0 {
                last = self.append(index, last);
            }
        }
        self.head.oldest = last;
    }

    /// Puts `index` behind `last` and returns it as the new last one.
    fn append(&mut self, index: u32, last: u32) -> u32 {
        match self.entries.get_mut(last as usize) {
            None => self.head.newest = index,
            Some(before) => before.older = index,
        }
        if let Some(entry) = self.entries.get_mut(index as usize) {
            (entry.newer, entry.older, entry.mark) = (last, NONE, 1);
        }
        index
    }

    fn count(&mut self) {
        let mut kinds = [0u32; 2];
        let (mut on, mut blocked) = (0, 0);
        for entry in self.entries.iter() {
            match entry.kind {
                OWN => {
                    kinds[0] += 1;
                    on += u32::from(entry.is(ON));
                    blocked += u32::from(entry.is(BLOCKED));
                }
                PARENT => kinds[1] += 1,
                _ => {}
            }
        }
        let head = &mut *self.head;
        [head.keys, head.parents] = kinds;
        (head.keys_on, head.keys_blocked) = (on, blocked);
    }
}
