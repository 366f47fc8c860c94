//! Which response sends next: RFC 9218 §10, the same rules for HTTP/2 and HTTP/3.
//!
//! Lower urgency values first. Within one urgency, responses that are of use only when whole
//! (non-incremental) go one after another in the order of their requests, then the incremental
//! ones share the rest in turn.

use pronghorn_http3::Priority;

/// The priority that a request asks for in its `priority` header; RFC 9218's default without one.
pub(crate) fn requested(headers: &http::HeaderMap) -> Priority {
    let mut values = headers.get_all("priority").iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Priority::parse(value.as_bytes()),
        (Some(first), Some(second)) => {
            let mut joined = [first.as_bytes(), b",", second.as_bytes()].concat();
            for value in values {
                joined.push(b',');
                joined.extend_from_slice(value.as_bytes());
            }
            Priority::parse(&joined)
        }
        _ => Priority::default(),
    }
}

/// The place of a response in the order above; the smallest sends first, equal ones in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u64);

/// Requests whose order within one urgency can be told apart: 2²⁶ a connection, then they share.
const ORDER_BITS: u32 = 26;

impl Rank {
    /// The rank of the `index`th request of its connection (from 0).
    pub(crate) fn new(priority: Priority, index: u64) -> Self {
        let last = (1 << ORDER_BITS) - 1;
        let order = if priority.incremental {
            last
        } else {
            index.min(last - 1)
        };
        Rank(u64::from(priority.urgency) << ORDER_BITS | order)
    }

    /// The same rank as quinn's stream priority, of which the largest sends first and equal ones
    /// share in turn.
    pub(crate) fn quinn_priority(self) -> i32 {
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
    fn quinn_sees_the_same_order_reversed() {
        let ranks = [
            rank(0, false, 0),
            rank(0, true, 0),
            rank(7, false, 5),
            rank(7, true, 5),
        ];
        for pair in ranks.windows(2) {
            assert!(pair[0].quinn_priority() > pair[1].quinn_priority());
        }
        assert!(ranks[3].quinn_priority() > 0);
    }
}
