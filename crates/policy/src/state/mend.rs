//! Makes a table of whatever stands in the memory: entries that can be believed stay, all links are made anew.

use super::entry::{FREE, NONE, ON, OWN, PARENT};
use super::index::CHAIN_MOST;
use super::table::Table;

impl Table<'_> {
    /// Takes time in proportion to the capacity, and never more. The order of use stays as far as the old list still leads; what it
    /// doesn't reach counts as older.
    pub(crate) fn mend(&mut self) {
        let head = &mut *self.head;
        head.counters.mended = head.counters.mended.saturating_add(1);
        for tally in head.all.iter_mut().chain(&mut head.now) {
            tally.make_sound();
        }
        if !head.holdout.is_finite() {
            head.holdout = -1.0;
        }

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
                    blocked += u32::from(entry.is_blocked());
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

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::{Ask, Keys, Policy, Protocol, Sample};

    const NOW_MS: u64 = 1_728_043_200_000;

    fn policy() -> Policy {
        Policy::parse(include_str!("../../tests/data/small.toml")).expect("a policy")
    }

    fn keys(number: u64) -> Keys {
        Keys {
            own: (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            parent: (number / 8 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03),
            client: number,
        }
    }

    fn work(table: &mut Table<'_>, policy: &Policy, numbers: core::ops::Range<u64>) {
        let sample = Sample {
            bytes: 20_000,
            time_us: 90_000,
            min_rtt_us: 30_000,
            sent: 20,
            ..Sample::default()
        };
        for number in numbers {
            let protocol = if number % 2 == 0 {
                Protocol::Tcp
            } else {
                Protocol::Quic
            };
            let decision = table.decide(policy, keys(number), protocol, &Ask::default(), NOW_MS);
            assert!(
                decision.gain.is_finite() && decision.sd > 0.0,
                "{decision:?}"
            );
            table.observe(policy, keys(number), protocol, &sample, NOW_MS);
        }
    }

    /// All that has to hold of the links.
    fn is_whole(table: &Table<'_>) -> bool {
        let live = table
            .entries
            .iter()
            .filter(|entry| entry.kind != FREE)
            .count();
        let (mut reached, mut index, mut newer) = (0, table.head.newest, NONE);
        while let Some(entry) = table.entries.get(index as usize) {
            reached += 1;
            if entry.newer != newer
                || reached > live
                || table.find(entry.key, entry.kind) != Ok(Some(index))
            {
                return false;
            }
            (newer, index) = (index, entry.older);
        }
        let (mut free, mut index) = (0, table.head.free);
        while let Some(entry) = table.entries.get(index as usize) {
            free += 1;
            if entry.kind != FREE || free > table.entries.len() {
                return false;
            }
            index = entry.next;
        }
        reached == live
            && table.head.oldest == newer
            && free + live == table.entries.len()
            && (table.head.keys + table.head.parents) as usize == live
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// A process died inside and left whatever it likes: the next one finds a table that is whole again.
        #[test]
        fn whatever_an_interrupted_operation_leaves_is_mended(
            scribbles in proptest::collection::vec((any::<prop::sample::Index>(), scribble()), 0..60),
        ) {
            let policy = policy();
            let mut memory = std::vec![0u64; 4096];
            let mut table = Table::init(&mut memory, [3; 16]).expect("large enough");
            work(&mut table, &policy, 0..300);
            prop_assert!(is_whole(&table));
            table.head.busy = 1;
            {
                let entries: &mut [u32] = bytemuck::cast_slice_mut(table.entries);
                for (place, value) in &scribbles {
                    let place = place.index(entries.len());
                    entries[place] = *value;
                }
            }
            work(&mut table, &policy, 290..310);
            prop_assert!(is_whole(&table));
            prop_assert_eq!(table.head.busy, 0);
            prop_assert_eq!((table.head.counters.mended, table.head.counters.emptied), (1, 0));
        }

        /// Without a mark as well: links are checked where they are followed.
        #[test]
        fn random_bytes_anywhere_neither_panic_nor_hang(
            scribbles in proptest::collection::vec((any::<prop::sample::Index>(), scribble()), 0..200),
            everywhere in any::<bool>(),
            noise in any::<u64>(),
        ) {
            let policy = policy();
            let mut memory = std::vec![0u64; 4096];
            let mut table = Table::init(&mut memory, [3; 16]).expect("large enough");
            work(&mut table, &policy, 0..300);
            let words: &mut [u32] = bytemuck::cast_slice_mut(&mut memory);
            let mut state = noise;
            if everywhere {
                for word in words.iter_mut().skip(30) {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    *word = (state >> 32) as u32;
                }
            }
            for (place, value) in &scribbles {
                words[place.index(words.len())] = *value;
            }
            // Where the head was hit there is no table any more, and nothing is done.
            if let Ok(mut table) = Table::open(&mut memory) {
                let sample = Sample { bytes: 1, time_us: 1, sent: 1, ..Sample::default() };
                for number in 0..400 {
                    table.observe(&policy, keys(number), Protocol::Quic, &sample, NOW_MS);
                    table.decide(&policy, keys(number), Protocol::Tcp, &Ask::default(), NOW_MS);
                    table.snapshot(&policy, NOW_MS);
                }
                prop_assert_eq!(table.head.busy, 0);
                table.mend();
                prop_assert!(is_whole(&table));
                work(&mut table, &policy, 0..400);
                prop_assert!(is_whole(&table));
            }
        }
    }

    /// Numbers that are links as likely as not.
    fn scribble() -> impl Strategy<Value = u32> {
        prop_oneof![
            any::<u32>(),
            0u32..200,
            Just(NONE),
            Just(f32::NAN.to_bits())
        ]
    }

    #[test]
    fn mending_what_is_whole_changes_nothing_but_the_count() {
        let policy = policy();
        let mut memory = std::vec![0u64; 4096];
        let mut table = Table::init(&mut memory, [3; 16]).expect("large enough");
        work(&mut table, &policy, 0..300);
        let order = |table: &Table<'_>| -> Vec<u64> {
            let mut keys = Vec::new();
            let mut index = table.head.newest;
            while let Some(entry) = table.entries.get(index as usize) {
                keys.push(entry.key);
                index = entry.older;
            }
            keys
        };
        let before = (order(&table), *table.head);
        table.mend();
        assert_eq!(order(&table), before.0);
        let (now, then) = (&table.head, &before.1);
        assert_eq!(
            (now.keys, now.parents, now.keys_on),
            (then.keys, then.parents, then.keys_on)
        );
        assert!(is_whole(&table));
    }

    #[test]
    fn what_mending_cannot_help_is_emptied_and_counted() {
        let mut memory = std::vec![0u64; 4096];
        let mut table = Table::init(&mut memory, [3; 16]).expect("large enough");
        let answer = table.guarded(|table| {
            if table.head.counters.emptied == 0 {
                return Err(crate::state::index::Damaged);
            }
            Ok(7)
        });
        assert_eq!(answer, Some(7));
        let counters = table.head.counters;
        assert_eq!((counters.mended, counters.emptied), (1, 1));
        assert!(is_whole(&table));
    }
}
