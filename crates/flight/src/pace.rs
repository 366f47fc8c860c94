//! When a sampler looks: at an even pace, of which late looks are left out, not made up for.

use std::time::{Duration, Instant};

/// The times of a sampler's looks.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    interval: Duration,
    due: Instant,
}

impl Pace {
    /// The first look is due at `first`, the others at multiples of `interval` after it.
    #[must_use]
    pub fn new(interval: Duration, first: Instant) -> Pace {
        Pace {
            interval,
            due: first,
        }
    }

    /// When the next look is due.
    #[must_use]
    pub fn due(&self) -> Instant {
        self.due
    }

    /// The look that was due happens `now`; the next one is due at the first multiple that is still to come. Whether it came
    /// so late that another one had been due meanwhile.
    pub fn look(&mut self, now: Instant) -> bool {
        let late = now.saturating_duration_since(self.due);
        let interval_ns = self.interval.as_nanos().max(1);
        let missed = u32::try_from(late.as_nanos() / interval_ns).unwrap_or(u32::MAX - 1);
        self.due += self.interval * (missed + 1);
        missed > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(10);

    #[test]
    fn looks_keep_to_their_multiples_however_late_they_come() {
        let first = Instant::now();
        let mut pace = Pace::new(INTERVAL, first);
        for (late_ms, missed, next_ms) in [(0, false, 10), (9, false, 20), (10, true, 40)] {
            assert_eq!(
                pace.look(pace.due() + Duration::from_millis(late_ms)),
                missed
            );
            assert_eq!(pace.due(), first + Duration::from_millis(next_ms));
        }
        assert!(pace.look(pace.due() + Duration::from_millis(305)));
        assert_eq!(pace.due(), first + Duration::from_millis(350));
    }

    #[test]
    fn a_look_before_its_time_is_not_late() {
        let first = Instant::now() + INTERVAL;
        let mut pace = Pace::new(INTERVAL, first);
        assert!(!pace.look(first - Duration::from_millis(1)));
        assert_eq!(pace.due(), first + INTERVAL);
    }
}
