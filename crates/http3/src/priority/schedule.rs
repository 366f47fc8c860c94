//! The order in which a server sends its responses, the same for HTTP/2 and HTTP/3.

use std::collections::{BTreeMap, HashMap};

use super::Priority;

/// Where a response stands among those that wait to be sent; the least goes first.
///
/// RFC 9218 §10 in its plainest form: the more urgent before the less; within one urgency those
/// that are not incremental first, one after the other in the order of their streams; then the
/// incremental ones, the least recently served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchedulingKey {
    urgency: u8,
    incremental: bool,
    turn: u64,
    stream: u64,
}

impl Priority {
    /// The place of the response on `stream`, which was last served at `turn`.
    ///
    /// `turn` is any count that grows with each piece sent, and only counts for incremental
    /// responses.
    #[must_use]
    pub fn key(self, stream: u64, turn: u64) -> SchedulingKey {
        SchedulingKey {
            urgency: self.urgency,
            incremental: self.incremental,
            turn: if self.incremental { turn } else { 0 },
            stream,
        }
    }
}

/// The responses that have something to send, in the order in which to send it.
///
/// A response that can't send now, for want of flow control or content, is removed and inserted
/// again when it can.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    order: BTreeMap<SchedulingKey, Priority>,
    keys: HashMap<u64, SchedulingKey>,
    turns: u64,
}

impl Schedule {
    /// No responses.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the response on `stream`, or changes its priority if it is there already.
    pub fn insert(&mut self, stream: u64, priority: Priority) {
        self.remove(stream);
        let key = priority.key(stream, self.turns);
        self.order.insert(key, priority);
        self.keys.insert(stream, key);
    }

    /// Changes the priority of the response on `stream`, if it is there; tells whether it is.
    pub fn reprioritize(&mut self, stream: u64, priority: Priority) -> bool {
        let present = self.keys.contains_key(&stream);
        if present {
            self.insert(stream, priority);
        }
        present
    }

    /// Takes the response on `stream` out; tells whether it was there.
    pub fn remove(&mut self, stream: u64) -> bool {
        match self.keys.remove(&stream) {
            Some(key) => self.order.remove(&key).is_some(),
            None => false,
        }
    }

    /// The stream whose response may send its next piece.
    ///
    /// It stays in the schedule: asked again, the same answer comes for a response that is not
    /// incremental, and the next in turn for one that is.
    pub fn next_stream(&mut self) -> Option<u64> {
        let (&key, &priority) = self.order.first_key_value()?;
        if key.incremental {
            self.turns += 1;
            self.insert(key.stream, priority);
        }
        Some(key.stream)
    }

    /// The number of responses that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn priority(urgency: u8, incremental: bool) -> Priority {
        Priority {
            urgency,
            incremental,
        }
    }

    fn turns(schedule: &mut Schedule, count: usize) -> Vec<u64> {
        (0..count).filter_map(|_| schedule.next_stream()).collect()
    }

    #[test]
    fn the_most_urgent_goes_first() {
        let mut schedule = Schedule::new();
        schedule.insert(0, priority(3, false));
        schedule.insert(4, priority(1, true));
        schedule.insert(8, priority(0, false));
        assert_eq!(schedule.next_stream(), Some(8));
        schedule.remove(8);
        assert_eq!(schedule.next_stream(), Some(4));
        schedule.remove(4);
        assert_eq!(schedule.next_stream(), Some(0));
    }

    #[test]
    fn what_is_not_incremental_goes_one_after_the_other_by_stream() {
        let mut schedule = Schedule::new();
        for stream in [8, 0, 4] {
            schedule.insert(stream, Priority::default());
        }
        assert_eq!(turns(&mut schedule, 3), [0, 0, 0]);
        schedule.remove(0);
        assert_eq!(turns(&mut schedule, 2), [4, 4]);
    }

    #[test]
    fn what_is_incremental_shares_by_turns() {
        let mut schedule = Schedule::new();
        for stream in [0, 4, 8] {
            schedule.insert(stream, priority(3, true));
        }
        assert_eq!(turns(&mut schedule, 7), [0, 4, 8, 0, 4, 8, 0]);
    }

    #[test]
    fn within_one_urgency_the_incremental_waits_for_the_other() {
        let mut schedule = Schedule::new();
        schedule.insert(0, priority(3, true));
        schedule.insert(4, priority(3, false));
        assert_eq!(turns(&mut schedule, 2), [4, 4]);
        schedule.remove(4);
        assert_eq!(turns(&mut schedule, 2), [0, 0]);
    }

    #[test]
    fn a_new_priority_counts_at_once() {
        let mut schedule = Schedule::new();
        schedule.insert(0, priority(3, false));
        schedule.insert(4, priority(3, false));
        assert!(schedule.reprioritize(4, priority(0, false)));
        assert!(!schedule.reprioritize(8, priority(0, false)));
        assert_eq!(schedule.next_stream(), Some(4));
        assert_eq!(schedule.len(), 2);
    }

    #[test]
    fn an_empty_schedule_has_no_next() {
        let mut schedule = Schedule::new();
        schedule.insert(0, priority(3, true));
        assert!(schedule.remove(0));
        assert!(!schedule.remove(0));
        assert!(schedule.is_empty());
        assert_eq!(schedule.next_stream(), None);
    }
}
