//! The clocks of recordings: the kernel's monotonic one for the axis, a thread's CPU time for the cost.

use std::ops::{Add, Sub};
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

/// Clocks that are read within this tell each other's time.
const TOGETHER: Duration = Duration::from_micros(1);

/// How often two clocks are read at most until they were read together.
const LOOKS: u32 = 64;

/// What `read` finds, and when by `clock`: halfway between two readings around it, of the shortest of at most `looks` looks, the last
/// of which took no longer than `soon`. Whoever is interrupted between a clock and what it is to time takes the pause for time that
/// passed there.
pub fn timed<C, T>(
    looks: u32,
    soon: Duration,
    mut clock: impl FnMut() -> C,
    mut read: impl FnMut() -> T,
) -> (C, T)
where
    C: Copy + Add<Duration, Output = C> + Sub<Output = Duration>,
{
    let mut look = || {
        let (before, found) = (clock(), read());
        let took = clock() - before;
        (took, before + took / 2, found)
    };
    let mut shortest = look();
    for _ in 1..looks {
        if shortest.0 <= soon {
            break;
        }
        let another = look();
        if another.0 < shortest.0 {
            shortest = another;
        }
    }
    (shortest.1, shortest.2)
}

/// What `other` shows at a time of `clock`, both of which were read at once.
pub fn together<C, T>(clock: impl FnMut() -> C, other: impl FnMut() -> T) -> (C, T)
where
    C: Copy + Add<Duration, Output = C> + Sub<Output = Duration>,
{
    timed(LOOKS, TOGETHER, clock, other)
}

/// Seconds of `CLOCK_MONOTONIC` at `instant`: the axis that programs on one machine share, also those that aren't ours.
#[must_use]
pub fn monotonic_s(instant: Instant) -> f64 {
    let (now, clock) = together(Instant::now, || read(ClockId::CLOCK_MONOTONIC));
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
    use std::cell::RefCell;
    use std::iter;

    use proptest::prelude::*;

    use super::*;

    const AHEAD: Duration = Duration::from_secs(1_700_000_000);

    /// How far another clock is found to be ahead, where the reader pauses so many nanoseconds before each reading.
    fn found(pauses_ns: &[u64]) -> Duration {
        let mut time = Duration::from_secs(5);
        let mut pauses = pauses_ns.iter().copied().chain(iter::repeat(20));
        let read = RefCell::new(move || {
            time += Duration::from_nanos(pauses.next().unwrap_or(0));
            time
        });
        let (at, other) = together(|| read.borrow_mut()(), || read.borrow_mut()() + AHEAD);
        other - at
    }

    proptest! {
        #[test]
        fn pauses_between_two_clocks_change_nothing(
            pauses in prop::collection::vec(0_u64..50_000_000, 0..(LOOKS as usize - 1) * 3),
        ) {
            prop_assert!(found(&pauses).abs_diff(AHEAD) <= TOGETHER);
        }
    }

    #[test]
    fn of_looks_none_of_which_is_short_the_shortest_counts() {
        let pauses: Vec<u64> = (0..u64::from(LOOKS))
            .flat_map(|look| [0, 12_000 - 100 * look, 0])
            .collect();
        let shortest = 12_000 - 100 * u64::from(LOOKS - 1);
        assert_eq!(found(&pauses), AHEAD + Duration::from_nanos(shortest / 2));
    }

    #[test]
    fn instants_keep_their_distance_on_the_axis() {
        let earlier = Instant::now();
        let later = earlier + Duration::from_millis(1500);
        let before = read(ClockId::CLOCK_MONOTONIC).as_secs_f64();
        let distance = monotonic_s(later) - monotonic_s(earlier) - 1.5;
        assert!(distance.abs() < 0.001, "{distance} s off");
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
