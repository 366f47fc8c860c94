//! Who used the CPUs while a bench measured: the engine with everything inside its hosts, or others.

mod machine;
mod own;

use std::time::{Duration, Instant};

use pronghorn_flight::timed;
use schemars::JsonSchema;
use serde::Serialize;

use machine::MachineTime;

use crate::processes::awake;
use crate::processes::isolation::in_guest;

/// The shortest time about which something is said: the kernel counts in hundredths of a second.
const LEAST: Duration = Duration::from_millis(50);

/// What is read at once is read again, so often at most, where reading took longer than [`SOON`]: what was done meanwhile would
/// be nobody's, or the others'.
const LOOKS: u32 = 3;

const SOON: Duration = Duration::from_millis(5);

/// Who used the CPUs. What a quota on the container's CPU time withholds is not seen.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub struct CpuShare {
    /// CPU time (user and system) of the engine and of everything it started, living and ended, in seconds. Exact to a
    /// hundredth of a second or two.
    pub own_s: f64,
    /// The share (0–1) that `own_s` is of the capacity: the CPUs that the engine may run on, times the time.
    pub own_share: f64,
    /// The share (0–1) of the capacity that everything else on this machine had: neither idle, waiting for a disk, stolen, own,
    /// nor spent on keeping the CPUs awake. Interrupts that the kernel charges to no process, other engines and the control
    /// plane are in it.
    pub others_share: f64,
}

/// What the CPUs had done at one moment.
#[derive(Clone, Debug)]
pub(crate) struct CpuReading {
    at: Instant,
    machine: MachineTime,
    own_s: Option<f64>,
    /// What it took to keep the CPUs awake.
    awake_s: f64,
}

impl CpuReading {
    pub(crate) fn now() -> CpuReading {
        let (at, (own_s, awake_s, machine)) = timed(LOOKS, SOON, Instant::now, || {
            (own::seconds(), awake::seconds(), MachineTime::now())
        });
        CpuReading {
            at,
            machine,
            own_s,
            awake_s,
        }
    }

    /// The share (0–1) of the machine's CPU time since `earlier` that was stolen; 0 where no tick has passed.
    pub(crate) fn steal_share_since(&self, earlier: &CpuReading) -> f64 {
        self.machine.steal_share_since(&earlier.machine)
    }

    /// Who used the CPUs since `earlier`; `None` where the kernel doesn't tell, other CPUs are there than before, or the time
    /// was too short.
    pub(crate) fn since(&self, earlier: &CpuReading) -> Option<CpuShare> {
        let passed = self.at.saturating_duration_since(earlier.at);
        if passed < LEAST || in_guest() {
            return None;
        }
        let own_s = (self.own_s? - earlier.own_s?).max(0.0);
        let spared = self.machine.spared_since(&earlier.machine)?;
        let capacity_s = f64::from(spared.cpus) * passed.as_secs_f64();
        let awake_s = (self.awake_s - earlier.awake_s).max(0.0);
        let others_s = capacity_s - spared.seconds - own_s - awake_s;
        Some(CpuShare {
            own_s,
            own_share: (own_s / capacity_s).min(1.0),
            others_share: (others_s / capacity_s).clamp(0.0, 1.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(at: Instant, idle_ticks: u64, own_s: Option<f64>) -> CpuReading {
        let stat = format!(
            "cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 {idle_ticks} 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n"
        );
        CpuReading {
            at,
            machine: MachineTime::parse(&stat, 100.0, |_| true),
            own_s,
            awake_s: 0.0,
        }
    }

    #[test]
    fn what_keeps_the_cpus_awake_is_nobodys_work() {
        let start = Instant::now();
        let earlier = reading(start, 1000, Some(3.0));
        let later = CpuReading {
            awake_s: 0.75,
            ..reading(start + Duration::from_secs(1), 1050, Some(3.5))
        };
        let share = later.since(&earlier).map(|share| share.others_share);
        assert_eq!(share, Some(0.125));
    }

    #[test]
    fn what_is_neither_idle_nor_own_is_the_others() {
        let start = Instant::now();
        let earlier = reading(start, 1000, Some(3.0));
        let later = reading(start + Duration::from_secs(1), 1050, Some(3.5));
        let share = later.since(&earlier);
        assert_eq!(
            share,
            Some(CpuShare {
                own_s: 0.5,
                own_share: 0.25,
                others_share: 0.5
            })
        );
    }

    #[test]
    fn ticks_that_are_counted_twice_make_no_negative_share() {
        let start = Instant::now();
        let later = reading(start + Duration::from_secs(1), 1150, Some(3.6));
        let share = later.since(&reading(start, 1000, Some(3.0)));
        assert_eq!(share.map(|share| share.others_share), Some(0.0));
    }

    #[test]
    fn nothing_is_said_of_what_is_not_known() {
        let start = Instant::now();
        let later = start + Duration::from_secs(1);
        let known = reading(start, 0, Some(0.0));
        assert_eq!(reading(later, 10, None).since(&known), None);
        let shortly = start + Duration::from_millis(49);
        assert_eq!(reading(shortly, 1, Some(0.0)).since(&known), None);
    }
}
