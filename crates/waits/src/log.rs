//! The waits of an event loop's thread, one by one.

use std::mem;

/// Shorter waits are not kept: of those that can have delayed a load there are too few for them to matter.
const SHORTEST_NS: u64 = 1_000;

/// A thread that slept for longer than this had nothing left to do. A shorter sleep is no more than the system call by which
/// a busy event loop looks for what came meanwhile.
const RESTED_NS: u64 = 20_000;

/// A sleep that was shorter can't have ended with a wait that matters, so the account isn't read after it.
const SLEEP_NS: u64 = 10_000;

/// A run that was shorter can't hold a wait that matters, so the account isn't read at its end. What these hold is in the
/// next wait.
const RUN_NS: u64 = 50_000;

/// So many waits are kept at most: 32 MB. Of what comes after them only the sum is.
const MOST: usize = 1 << 20;

/// One wait for a CPU. Times are nanoseconds of the clock that the log was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When it began at the latest.
    pub begin_ns: u64,
    /// When it ended at the earliest.
    pub end_ns: u64,
    /// How long it was.
    pub waited_ns: u64,
    /// Whether the thread had nothing to do at some time since the wait before.
    pub rested: bool,
}

/// What a thread's event loop notes each time it sleeps and wakes. The clock and the account are read by the caller.
#[derive(Debug, Default)]
pub struct Log {
    waits: Vec<Wait>,
    /// The sum of those for which there was no room.
    more_ns: u64,
    /// The account at the last reading.
    seen_ns: u64,
    /// When the thread last woke, or went to sleep.
    since_ns: u64,
    rested: bool,
}

impl Log {
    /// Begins at `now_ns`, in a thread that has waited for `waited_ns` since it began.
    #[must_use]
    pub fn new(now_ns: u64, waited_ns: u64) -> Log {
        Log {
            seen_ns: waited_ns,
            since_ns: now_ns,
            rested: true,
            ..Log::default()
        }
    }

    /// The thread woke at `now_ns`; `account` gives what it has waited for until now.
    pub fn woke(&mut self, now_ns: u64, account: impl FnOnce() -> Option<u64>) {
        let slept = now_ns.saturating_sub(mem::replace(&mut self.since_ns, now_ns));
        if slept < SLEEP_NS {
            return;
        }
        let Some(waited_ns) = account() else { return };
        let waited = self.take(waited_ns);
        self.rested |= slept.saturating_sub(waited) > RESTED_NS;
        self.keep(now_ns.saturating_sub(waited), now_ns, waited);
    }

    /// The thread goes to sleep at `now_ns`; `account` gives what it has waited for until now.
    pub fn sleeps(&mut self, now_ns: u64, account: impl FnOnce() -> Option<u64>) {
        let woke_ns = mem::replace(&mut self.since_ns, now_ns);
        if now_ns.saturating_sub(woke_ns) < RUN_NS {
            return;
        }
        let Some(waited_ns) = account() else { return };
        let waited = self.take(waited_ns);
        // Somewhere between.
        self.keep(now_ns.saturating_sub(waited), woke_ns + waited, waited);
    }

    /// The waits in order, and the sum in nanoseconds of those for which there was no room; the log goes on without them.
    pub fn drain(&mut self) -> (Vec<Wait>, u64) {
        self.rested = true;
        (mem::take(&mut self.waits), mem::take(&mut self.more_ns))
    }

    fn take(&mut self, waited_ns: u64) -> u64 {
        let seen_ns = mem::replace(&mut self.seen_ns, waited_ns);
        waited_ns.saturating_sub(seen_ns)
    }

    fn keep(&mut self, begin_ns: u64, end_ns: u64, waited_ns: u64) {
        if waited_ns < SHORTEST_NS {
            return;
        }
        if self.waits.len() >= MOST {
            self.more_ns += waited_ns;
            return;
        }
        self.waits.push(Wait {
            begin_ns,
            end_ns,
            waited_ns,
            rested: mem::take(&mut self.rested),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn unread() -> Option<u64> {
        unreachable!("after a short time the account isn't read")
    }

    #[test]
    fn a_wait_ends_when_the_thread_wakes() {
        let mut log = Log::new(0, 5 * MS);
        log.sleeps(1_000, unread);
        log.woke(10 * MS, || Some(8 * MS));
        let wait = Wait {
            begin_ns: 7 * MS,
            end_ns: 10 * MS,
            waited_ns: 3 * MS,
            rested: true,
        };
        assert_eq!(log.drain(), (vec![wait], 0));
        assert_eq!(log.drain(), (vec![], 0));
    }

    #[test]
    fn a_wait_within_a_run_is_somewhere_in_it() {
        let mut log = Log::new(0, 0);
        log.woke(10 * MS, || Some(0));
        log.sleeps(15 * MS, || Some(2 * MS));
        let (waits, _) = log.drain();
        assert_eq!((waits[0].end_ns, waits[0].begin_ns), (12 * MS, 13 * MS));
    }

    #[test]
    fn a_thread_rested_if_it_slept_longer_than_it_waited() {
        let mut log = Log::new(0, 0);
        log.sleeps(MS, || Some(0));
        // It had work at once, and waited for all of these milliseconds.
        log.woke(4 * MS, || Some(3 * MS));
        log.sleeps(4 * MS + 1_000, unread);
        log.woke(6 * MS, || Some(5 * MS - RESTED_NS / 2));
        log.sleeps(6 * MS + 1_000, unread);
        log.woke(9 * MS, || Some(6 * MS));
        let rested: Vec<bool> = log.drain().0.iter().map(|wait| wait.rested).collect();
        assert_eq!(rested, [true, false, true]);
    }

    #[test]
    fn a_rest_without_a_wait_is_remembered() {
        let mut log = Log::new(0, 0);
        log.sleeps(0, unread);
        log.woke(MS, || Some(MS));
        log.sleeps(MS, unread);
        log.woke(9 * MS, || Some(MS));
        log.sleeps(9 * MS, unread);
        log.woke(10 * MS, || Some(2 * MS));
        let rested: Vec<bool> = log.drain().0.iter().map(|wait| wait.rested).collect();
        assert_eq!(rested, [true, true]);
    }

    #[test]
    fn a_short_sleep_is_not_looked_at() {
        let mut log = Log::new(0, 0);
        log.sleeps(1_000, unread);
        log.woke(1_000 + SLEEP_NS - 1, unread);
        assert_eq!(log.drain(), (vec![], 0));
    }

    #[test]
    fn the_shortest_waits_are_left_out() {
        let mut log = Log::new(0, 0);
        log.woke(MS, || Some(SHORTEST_NS - 1));
        assert_eq!(log.drain(), (vec![], 0));
    }

    #[test]
    fn what_there_is_no_room_for_is_added_up() {
        let mut log = Log::new(0, 0);
        for turn in 1..=MOST as u64 + 3 {
            log.woke(turn * MS, || Some(turn * SHORTEST_NS));
        }
        let (waits, more_ns) = log.drain();
        assert_eq!((waits.len(), more_ns), (MOST, 3 * SHORTEST_NS));
    }
}
