//! Which response sends next: RFC 9218 §10, the same rules for HTTP/2 and HTTP/3 alike.
//!
//! Lower urgency values first. Within one urgency, responses that are of use only when whole
//! (non-incremental) go one after another in the order of their requests, then the incremental
//! ones share the rest in turn.

use super::Priority;

/// The place of a response in the order above; the smallest sends first, equal ones in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(u64);

/// Requests whose order within one urgency can be told apart: 2²⁶ a connection, then they share.
const ORDER_BITS: u32 = 26;

impl Rank {
    /// The rank of the `index`th request of its connection (from 0).
    #[must_use]
    pub fn new(priority: Priority, index: u64) -> Self {
        let last = (1 << ORDER_BITS) - 1;
        let order = if priority.incremental {
            last
        } else {
            index.min(last - 1)
        };
        Rank((u64::from(priority.urgency) << ORDER_BITS) | order)
    }

    /// The same rank as a positive number of which the largest sends first, as QUIC stacks (quinn)
    /// take their streams' priorities.
    #[must_use]
    pub fn falling(self) -> i32 {
        i32::MAX - self.0 as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(urgency: u8, incremental: bool, index: u64) -> Rank {
        Rank::new(
            Priority {
                urgency,
                incremental,
            },
            index,
        )
    }

    #[test]
    fn urgency_comes_before_order_and_order_before_sharing() {
        assert!(rank(0, true, 9) < rank(1, false, 0));
        assert!(rank(3, false, 1) < rank(3, false, 2));
        assert!(rank(3, false, u64::MAX) < rank(3, true, 0));
        assert_eq!(rank(3, true, 1), rank(3, true, 2));
    }

    #[test]
    fn falling_numbers_tell_the_same_order() {
        let ranks = [
            rank(0, false, 0),
            rank(0, true, 0),
            rank(7, false, 5),
            rank(7, true, 5),
        ];
        for pair in ranks.windows(2) {
            assert!(pair[0].falling() > pair[1].falling());
        }
        assert!(ranks[3].falling() > 0);
    }
}
