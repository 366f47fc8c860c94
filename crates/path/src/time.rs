//! A moment on the caller's clock.

use std::fmt;
use std::time::Duration;

/// A moment, in nanoseconds since an epoch that the caller chooses. It covers 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The epoch itself.
    pub const ZERO: Time = Time(0);
    /// The last moment that can be told; later ones saturate to it.
    pub const MAX: Time = Time(u64::MAX);

    /// The moment `later` after this one, or [`Time::MAX`] where that can't be told.
    #[must_use]
    pub fn saturating_add(self, later: Duration) -> Time {
        self.checked_add(later).unwrap_or(Time::MAX)
    }

    /// The moment `later` after this one; `None` where that can't be told.
    #[must_use]
    pub fn checked_add(self, later: Duration) -> Option<Time> {
        let nanos = u64::try_from(later.as_nanos()).ok()?;
        self.0.checked_add(nanos).map(Time)
    }

    /// The moment `earlier` before this one, or the epoch where that lies before it.
    #[must_use]
    pub fn saturating_sub(self, earlier: Duration) -> Time {
        self.checked_sub(earlier).unwrap_or(Time::ZERO)
    }

    /// The moment `earlier` before this one; `None` where that lies before the epoch.
    #[must_use]
    pub fn checked_sub(self, earlier: Duration) -> Option<Time> {
        let nanos = u64::try_from(earlier.as_nanos()).ok()?;
        self.0.checked_sub(nanos).map(Time)
    }

    /// How long after `earlier` this moment is; `None` where it is before.
    #[must_use]
    pub fn checked_since(self, earlier: Time) -> Option<Duration> {
        self.0.checked_sub(earlier.0).map(Duration::from_nanos)
    }

    /// How long after `earlier` this moment is; zero where it is before.
    #[must_use]
    pub fn saturating_since(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    pub(crate) fn plus_nanos(self, nanos: u64) -> Time {
        Time(self.0.saturating_add(nanos))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{:09} s",
            self.0 / 1_000_000_000,
            self.0 % 1_000_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn arithmetic_goes_there_and_back() {
        let later = Time(5).checked_add(SECOND);
        assert_eq!(later, Some(Time(1_000_000_005)));
        assert_eq!(Time(1_000_000_005).checked_sub(SECOND), Some(Time(5)));
        assert_eq!(Time(1_000_000_005).checked_since(Time(5)), Some(SECOND));
    }

    #[test]
    fn beyond_either_end_is_none_or_the_end() {
        assert_eq!(Time::MAX.checked_add(SECOND), None);
        assert_eq!(Time::MAX.saturating_add(SECOND), Time::MAX);
        assert_eq!(Time(3).saturating_add(Duration::MAX), Time::MAX);
        assert_eq!(Time(3).checked_sub(SECOND), None);
        assert_eq!(Time(3).saturating_sub(SECOND), Time::ZERO);
        assert_eq!(Time(3).checked_since(Time(4)), None);
        assert_eq!(Time(3).saturating_since(Time(4)), Duration::ZERO);
    }

    #[test]
    fn it_is_written_in_seconds() {
        assert_eq!(Time(1_500_000_000).to_string(), "1.500000000 s");
    }
}
