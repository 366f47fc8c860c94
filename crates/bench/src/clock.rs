//! The clock by which packets are carried, and how far the time of day is from it.

use std::time::Duration;

use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};
use pronghorn_flight::together;
use pronghorn_path::Time;

/// `CLOCK_MONOTONIC`, which `ppoll` sleeps by.
pub(crate) fn now() -> Time {
    Time(read(ClockId::CLOCK_MONOTONIC).as_nanos() as u64)
}

/// What to add to `CLOCK_MONOTONIC` for `CLOCK_REALTIME`, in nanoseconds.
pub(crate) fn real_ahead_ns() -> u64 {
    let (at, real) = together(
        || read(ClockId::CLOCK_MONOTONIC),
        || read(ClockId::CLOCK_REALTIME),
    );
    real.saturating_sub(at).as_nanos() as u64
}

fn read(clock: ClockId) -> Duration {
    clock_gettime(clock)
        .map(Duration::from)
        .unwrap_or_else(|errno: Errno| unreachable!("every kernel has this clock: {errno}"))
}

/// Nanoseconds as seconds.
pub(crate) fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}
