//! Waiting until what was done on a bench before is over: closing connections, late acknowledgements.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Beyond the path's own round trip, how long an end may take to answer what has reached it: an acknowledgement waits
/// for at most 40 ms in Linux's TCP (`TCP_DELACK_MIN`), and 25 ms in QUIC (RFC 9000, section 18.2).
const ANSWERED_WITHIN: Duration = Duration::from_millis(50);

/// How long nothing may come before all is taken to be over, where a round trip takes at least so long.
pub(crate) fn pause_over(round_trip: Duration) -> Duration {
    round_trip + ANSWERED_WITHIN
}

/// How often the links are looked at.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// What the links of a path hold, and what has entered them so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) entered: u64,
    pub(crate) held: u64,
}

/// Waits until nothing has entered for `pause` and nothing is inside, at most `at_most`; whether it came to that.
pub(crate) fn wait(look: impl Fn() -> Load, pause: Duration, at_most: Duration) -> bool {
    let began = Instant::now();
    let (mut seen, mut since) = (look(), began);
    loop {
        if seen.held == 0 && since.elapsed() >= pause {
            return true;
        }
        if began.elapsed() >= at_most {
            return false;
        }
        sleep(BETWEEN_LOOKS);
        let now = look();
        if now.held > 0 || now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const PAUSE: Duration = Duration::from_millis(20);

    /// Looks at links into which packets come with the first so many looks, each of which stays for one look.
    fn busy_for(looks: u64, seen: &Cell<u64>) -> Load {
        let look = seen.replace(seen.get() + 1);
        Load {
            entered: look.min(looks),
            held: u64::from(look < looks),
        }
    }

    #[test]
    fn what_goes_on_is_waited_for() {
        let seen = Cell::new(0);
        assert!(wait(|| busy_for(10, &seen), PAUSE, Duration::from_secs(60)));
        assert!(seen.get() > 10);
    }

    #[test]
    fn what_never_ends_is_told() {
        let seen = Cell::new(0);
        assert!(!wait(|| busy_for(u64::MAX, &seen), PAUSE, PAUSE * 3));
        let held = || Load {
            entered: 7,
            held: 1,
        };
        assert!(!wait(held, PAUSE, PAUSE * 3));
    }
}
