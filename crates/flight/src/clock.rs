//! The clocks of recordings: the kernel's monotonic one for the axis, a thread's CPU time for the cost.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

/// Seconds of `CLOCK_MONOTONIC` at `instant`: the axis that programs on one machine share, also those that aren't ours.
#[must_use]
pub fn monotonic_s(instant: Instant) -> f64 {
    let (now, clock) = (Instant::now(), read(ClockId::CLOCK_MONOTONIC));
    let ahead = instant.saturating_duration_since(now).as_secs_f64();
    let behind = now.saturating_duration_since(instant).as_secs_f64();
    clock.as_secs_f64() + ahead - behind
}

/// The CPU time that the calling thread has used (`CLOCK_THREAD_CPUTIME_ID`).
#[must_use]
pub fn thread_cpu_time() -> Duration {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

fn read(clock: ClockId) -> Duration {
    // Every kernel has both clocks.
    clock_gettime(clock).map_or(Duration::ZERO, Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_keep_their_distance_on_the_axis() {
        let earlier = Instant::now();
        let later = earlier + Duration::from_millis(1500);
        let before = read(ClockId::CLOCK_MONOTONIC).as_secs_f64();
        let distances = (0..5).map(|_| monotonic_s(later) - monotonic_s(earlier) - 1.5);
        let smallest = distances.map(f64::abs).fold(f64::INFINITY, f64::min);
        assert!(smallest < 0.1, "{smallest} s off");
        assert!(monotonic_s(Instant::now()) >= before);
    }

    #[test]
    fn a_threads_time_rises_with_its_work() {
        let before = thread_cpu_time();
        while thread_cpu_time() == before {
            std::hint::black_box(before);
        }
        assert!(thread_cpu_time() > before);
    }
}
