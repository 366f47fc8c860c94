//! How much waits can have delayed what a thread did.
//!
//! A wait delays something by its own length, if it delays it at all. Two waits of one thread add up in two cases only:
//!
//! - The thread had work all the time between them. Then what it did after the second was delayed by both.
//! - What it did after the first caused what it was woken for at the second. The cause went to the other host and the effect
//!   came back, so a round trip lies between them.
//!
//! All other waits are side by side: packets that come within a round trip of each other don't wait for each other. So the
//! most that a load can have been delayed is the largest sum over any chain of waits of which each two neighbours add up.

use crate::log::Wait;

/// The most nanoseconds by which `waits` (in order) of one thread can have delayed something, where nothing goes to the other
/// host and comes back in less than `round_trip_ns`. Never more than their sum, which it is without a round trip.
#[must_use]
pub fn critical_ns(waits: &[Wait], round_trip_ns: u64) -> u64 {
    // The largest sum of a chain that ends with each wait, or before it.
    let mut until: Vec<u64> = Vec::with_capacity(waits.len());
    let mut latest = 0;
    let mut before = 0;
    for wait in waits {
        let answered =
            |earlier: &Wait| earlier.end_ns.saturating_add(round_trip_ns) <= wait.begin_ns;
        while before < until.len() && (round_trip_ns == 0 || answered(&waits[before])) {
            before += 1;
        }
        let caused = before.checked_sub(1).map_or(0, |index| until[index]);
        latest = wait.waited_ns
            + if wait.rested {
                caused
            } else {
                caused.max(latest)
            };
        until.push(latest.max(until.last().copied().unwrap_or(0)));
    }
    until.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of waits that end at and last for these times, each after a rest.
    fn rested(waits: &[(u64, u64)]) -> Vec<Wait> {
        waits
            .iter()
            .map(|&(end_ns, waited_ns)| Wait {
                begin_ns: end_ns - waited_ns,
                end_ns,
                waited_ns,
                rested: true,
            })
            .collect()
    }

    #[test]
    fn of_waits_within_a_round_trip_the_longest_counts() {
        let waits = rested(&[(110, 10), (150, 30), (190, 20)]);
        assert_eq!(critical_ns(&waits, 100), 30);
        assert_eq!(critical_ns(&[], 100), 0);
    }

    #[test]
    fn waits_a_round_trip_apart_add_up() {
        // From the end of one to the beginning of the next: 100 and 99.
        assert_eq!(critical_ns(&rested(&[(110, 10), (230, 20)]), 100), 30);
        assert_eq!(critical_ns(&rested(&[(110, 10), (229, 20)]), 100), 20);
    }

    #[test]
    fn the_costliest_chain_counts() {
        // The first and the third are 7, the second alone 6, the second and the fourth 8.
        let waits = rested(&[(100, 3), (150, 6), (210, 4), (260, 2)]);
        assert_eq!(critical_ns(&waits, 100), 8);
    }

    #[test]
    fn waits_of_a_thread_that_did_not_rest_add_up() {
        let mut waits = rested(&[(110, 10), (120, 5), (130, 5), (160, 8)]);
        waits[1].rested = false;
        waits[2].rested = false;
        assert_eq!(critical_ns(&waits, 100), 20);
    }

    #[test]
    fn a_chain_may_leave_a_busy_stretch_and_come_back() {
        let mut waits = rested(&[(10, 5), (400, 1), (405, 3), (520, 5)]);
        waits[2].rested = false;
        assert_eq!(critical_ns(&waits, 100), 5 + 1 + 3 + 5);
    }

    #[test]
    fn without_a_round_trip_all_of_them_add_up() {
        let waits = rested(&[(110, 10), (112, 1), (114, 2)]);
        assert_eq!(critical_ns(&waits, 0), 13);
    }

    #[test]
    fn many_short_waits_of_a_transfer_come_to_little() {
        // A packet each 0.24 ms for 3.2 s, after each a wait of 40 µs: 0.53 s in all, over 80 round trips of 40 ms.
        let waits: Vec<(u64, u64)> = (1..=13_333)
            .map(|packet| (packet * 240_000, 40_000))
            .collect();
        let critical = critical_ns(&rested(&waits), 40_000_000);
        assert_eq!(critical, 80 * 40_000);
    }
}
