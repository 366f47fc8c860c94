//! Slots in the order of a key that changes often.

/// Where nothing stands.
const NOWHERE: u32 = u32::MAX;

/// At most one key for each of so many slots; the least is at hand. A binary heap that knows where each slot stands.
#[derive(Debug)]
pub(crate) struct Ranked<K> {
    heap: Vec<(K, u32)>,
    places: Vec<u32>,
}

impl<K: Ord + Copy> Ranked<K> {
    pub(crate) fn new(slots: usize) -> Ranked<K> {
        Ranked {
            heap: Vec::with_capacity(slots),
            places: vec![NOWHERE; slots],
        }
    }

    /// The slot with the least key.
    pub(crate) fn first(&self) -> Option<(K, usize)> {
        self.heap.first().map(|&(key, slot)| (key, slot as usize))
    }

    /// Gives a slot its key, or none.
    pub(crate) fn set(&mut self, slot: usize, key: Option<K>) {
        let place = self.places[slot];
        match (place, key) {
            (NOWHERE, None) => {}
            (NOWHERE, Some(key)) => {
                self.heap.push((key, slot as u32));
                self.rise(self.heap.len() - 1);
            }
            (place, Some(key)) => {
                let place = place as usize;
                if self.heap[place].0 != key {
                    self.heap[place].0 = key;
                    self.mend(place);
                }
            }
            (place, None) => {
                let place = place as usize;
                self.heap.swap_remove(place);
                self.places[slot] = NOWHERE;
                if place < self.heap.len() {
                    self.mend(place);
                }
            }
        }
    }

    /// Moves what stands at a place to where it belongs.
    fn mend(&mut self, place: usize) {
        let place = self.rise(place);
        self.sink(place);
    }

    fn rise(&mut self, mut place: usize) -> usize {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent].0 <= self.heap[place].0 {
                break;
            }
            self.heap.swap(parent, place);
            self.note(place);
            place = parent;
        }
        self.note(place);
        place
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            let other = child + 1;
            let least = if other < self.heap.len() && self.heap[other].0 < self.heap[child].0 {
                other
            } else {
                child
            };
            if self.heap[place].0 <= self.heap[least].0 {
                break;
            }
            self.heap.swap(place, least);
            self.note(place);
            place = least;
        }
        self.note(place);
    }

    fn note(&mut self, place: usize) {
        let slot = self.heap[place].1 as usize;
        self.places[slot] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_least_key_is_first_whatever_changes(
            changes in prop::collection::vec((0_usize..12, prop::option::of(0_u8..20)), 0..200),
        ) {
            let mut ranked = Ranked::new(12);
            let mut keys = [None; 12];
            for (slot, key) in changes {
                ranked.set(slot, key);
                keys[slot] = key;
                let least = keys.iter().flatten().min().copied();
                prop_assert_eq!(ranked.first().map(|(key, _)| key), least);
                if let Some((key, slot)) = ranked.first() {
                    prop_assert_eq!(keys[slot], Some(key));
                }
            }
        }
    }
}
