//! The clock by which packets are carried.

use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};
use pronghorn_path::Time;

/// `CLOCK_MONOTONIC`, which `ppoll` sleeps by.
pub(crate) fn now() -> Time {
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map(|time| Time(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64))
        .unwrap_or_else(|errno: Errno| unreachable!("every kernel has this clock: {errno}"))
}
