//! The deliveries of a trace, one after the other.

use crate::time::Time;
use crate::trace::{DELIVERY_BYTES, Deliveries};

/// A place in a trace.
#[derive(Debug)]
pub(crate) struct Opportunities {
    deliveries: Deliveries,
    origin: Time,
    /// How many times the trace was gone through, and which delivery comes next. None after a trace's end.
    place: Option<(u64, usize)>,
    /// The time of the open delivery, and its bytes that are left.
    open: Option<(Time, u64)>,
}

impl Opportunities {
    pub(crate) fn new(deliveries: Deliveries) -> Opportunities {
        Opportunities {
            deliveries,
            origin: Time::ZERO,
            place: Some((0, 0)),
            open: None,
        }
    }

    /// The time from which the trace counts.
    pub(crate) fn start(&mut self, at: Time) {
        self.origin = at;
    }

    /// The time of the open delivery, or of the next one. None after the trace's end.
    pub(crate) fn next(&self) -> Option<Time> {
        match self.open {
            Some((at, _)) => Some(at),
            None => self.place.map(|place| self.time(place)),
        }
    }

    /// The first delivery later than `at`.
    pub(crate) fn after(&self, at: Time) -> Option<Time> {
        self.place_after(at).map(|place| self.time(place))
    }

    /// Passes over all deliveries up to `at`.
    pub(crate) fn skip(&mut self, at: Time) {
        self.open = None;
        self.place = self.place_after(at);
    }

    /// Opens the next delivery, unless one is open; returns its time.
    pub(crate) fn open(&mut self) -> Option<Time> {
        if let Some((at, _)) = self.open {
            return Some(at);
        }
        let (cycle, index) = self.place?;
        let at = self.time((cycle, index));
        self.open = Some((at, DELIVERY_BYTES));
        self.place = if index + 1 < self.deliveries.millis().len() {
            Some((cycle, index + 1))
        } else if self.deliveries.repeats() {
            Some((cycle.saturating_add(1), 0))
        } else {
            None
        };
        Some(at)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Ends the open delivery.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }

    /// Takes up to `wanted` bytes of the open delivery, which ends when it has none left.
    pub(crate) fn take(&mut self, wanted: u64) -> u64 {
        let Some((at, left)) = self.open else {
            return 0;
        };
        let taken = wanted.min(left);
        self.open = (taken < left).then_some((at, left - taken));
        taken
    }

    fn place_after(&self, at: Time) -> Option<(u64, usize)> {
        let Some(elapsed_ns) = at.0.checked_sub(self.origin.0) else {
            return Some((0, 0));
        };
        let elapsed = elapsed_ns / 1_000_000;
        let period = self.deliveries.period_ms();
        let (cycle, offset) = if self.deliveries.repeats() {
            (elapsed / period, elapsed % period)
        } else {
            (0, elapsed)
        };
        let millis = self.deliveries.millis();
        let index = millis.partition_point(|ms| u64::from(*ms) <= offset);
        (index < millis.len()).then_some((cycle, index))
    }

    fn time(&self, (cycle, index): (u64, usize)) -> Time {
        let ms = self.deliveries.millis().get(index).copied().unwrap_or(0);
        let elapsed_ms = cycle
            .saturating_mul(self.deliveries.period_ms())
            .saturating_add(ms.into());
        self.origin.plus_nanos(elapsed_ms.saturating_mul(1_000_000))
    }
}
