//! How a key is found, and which one is displaced: chains of a hash table, and a list from the newest to the oldest use.
//!
//! Nothing that stands in the memory is believed: an index out of range, an entry in the wrong chain or a link that isn't
//! returned is [`Damaged`], and no walk is longer than a chain may be.

use super::entry::{Entry, FREE, NONE, ON, OWN};
use super::table::Table;

/// Longer chains don't come about: with as many buckets as entries one of 64 has a chance of 10^-89.
pub(crate) const CHAIN_MOST: usize = 64;

/// The links don't make sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged;

impl Table<'_> {
    /// The entry of a key, made where there is none, now the newest.
    pub(crate) fn take(&mut self, key: u64, kind: u8, now_ms: u64) -> Result<u32, Damaged> {
        if let Some(index) = self.take_known(key, kind)? {
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

    /// The entry of a key where there is one, now the newest.
    pub(crate) fn take_known(&mut self, key: u64, kind: u8) -> Result<Option<u32>, Damaged> {
        let found = self.find(key, kind)?;
        if let Some(index) = found.filter(|index| *index != self.head.newest) {
            self.unlink(index)?;
            self.link_newest(index)?;
        }
        Ok(found)
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
                .saturating_sub(u32::from(entry.is_blocked()));
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

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::state::entry::PARENT;
    use crate::state::head::Head;
    use crate::state::table::EACH;

    /// Keys from the newest to the oldest.
    fn held(table: &Table<'_>) -> Vec<(u64, u8)> {
        let mut held = Vec::new();
        let mut index = table.head.newest;
        while index != NONE {
            let entry = table.at(index).expect("links lead to entries");
            held.push((entry.key, entry.kind));
            assert!(held.len() <= table.entries.len(), "the list has an end");
            index = entry.older;
        }
        held
    }

    proptest! {
        #[test]
        fn the_order_of_use_is_that_of_a_plain_list(
            uses in proptest::collection::vec((0u64..60, any::<bool>()), 0..400),
        ) {
            let mut memory = std::vec![0u64; (size_of::<Head>() + 24 * EACH) / 8];
            let mut table = Table::init(&mut memory, [1; 16]).expect("large enough");
            let capacity = table.entries.len();
            prop_assert!((16..40).contains(&capacity), "{}", capacity);
            let mut model: Vec<(u64, u8)> = Vec::new();
            let mut evicted = 0;
            for (key, own) in uses {
                // Half of the keys share their buckets' upper bits.
                let key = if key % 2 == 0 { key << 56 } else { key };
                let kind = if own { OWN } else { PARENT };
                let index = table.take(key, kind, 0).expect("sound");
                prop_assert_eq!(table.find(key, kind), Ok(Some(index)));
                model.retain(|held| *held != (key, kind));
                model.insert(0, (key, kind));
                if model.len() > capacity {
                    let (key, kind) = model.pop().expect("not empty");
                    prop_assert_eq!(table.find(key, kind), Ok(None));
                    evicted += 1;
                }
                prop_assert_eq!(&held(&table), &model);
                prop_assert_eq!(table.head.counters.evicted, evicted);
                let (own, parents) = (table.head.keys as usize, table.head.parents as usize);
                prop_assert_eq!(own + parents, model.len());
            }
        }
    }

    #[test]
    fn an_operation_touches_a_bounded_number_of_entries() {
        let mut memory = std::vec![0u64; 1 << 17];
        let mut table = Table::init(&mut memory, [1; 16]).expect("large enough");
        let mut key = 1u64;
        for _ in 0..3 * table.entries.len() {
            key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            table.take(key, OWN, 0).expect("sound");
        }
        let before: Vec<Entry> = table.entries.to_vec();
        table.take(!key, OWN, 0).expect("sound");
        let changed = table.entries.iter().zip(&before);
        let changed = changed
            .filter(|(now, then)| bytemuck::bytes_of(*now) != bytemuck::bytes_of(*then))
            .count();
        // The one displaced, its neighbour of use and of its chain, the newest until now.
        assert!((1..=4).contains(&changed), "{changed}");
    }
}
