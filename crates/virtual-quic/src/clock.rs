//! The link's time and quinn's.

use std::time::{Duration, Instant};

use pronghorn_path::Time;

/// Virtual time, which begins at zero. quinn wants `Instant`s, of which there is no first one; so the moment at which
/// the clock was made stands for zero. Nothing depends on which moment that was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    zero: Instant,
}

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock {
            zero: Instant::now(),
        }
    }

    pub(crate) fn instant(self, at: Time) -> Instant {
        self.zero + Duration::from_nanos(at.0)
    }

    /// Time since zero; none before.
    pub(crate) fn since_zero(self, at: Instant) -> Duration {
        at.saturating_duration_since(self.zero)
    }

    pub(crate) fn time(self, at: Instant) -> Time {
        Time::ZERO.saturating_add(self.since_zero(at))
    }
}
