//! A clock for stacks that ask the system for the time: while a run is on, the system's monotonic clock is the run's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where the virtual clock begins: later than any machine has been up, so that nothing lies before zero.
const BEGIN_S: u64 = 1 << 40;

/// Nanoseconds of the run, and one; zero where none is on.
static VIRTUAL: AtomicU64 = AtomicU64::new(0);

/// Sets the virtual clock.
pub(crate) fn set(now: Duration) {
    let nanoseconds = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX - 1);
    VIRTUAL.store(nanoseconds + 1, Ordering::Relaxed);
}

/// Gives the system its clock back.
pub(crate) fn release() {
    VIRTUAL.store(0, Ordering::Relaxed);
}

/// The C library's function, which Rust's `Instant::now` calls.
///
/// # Safety
/// As `clock_gettime(3)`: `time` points to a `timespec`.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(
    clock: libc::clockid_t,
    time: *mut libc::timespec,
) -> libc::c_int {
    match VIRTUAL.load(Ordering::Relaxed).checked_sub(1) {
        Some(now) if clock == libc::CLOCK_MONOTONIC => {
            const SECOND: u64 = 1_000_000_000;
            // SAFETY: the caller's promise.
            unsafe {
                (*time).tv_sec = (BEGIN_S + now / SECOND) as libc::time_t;
                (*time).tv_nsec = (now % SECOND) as libc::c_long;
            }
            0
        }
        // SAFETY: the caller's promise.
        _ => unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as libc::c_int },
    }
}
