//! What the machine's CPUs have done since it started, as `/proc/stat` has it (`proc_stat(5)`).

use std::fs;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::{Pid, SysconfVar, sysconf};

/// The readings of one moment, in clock ticks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MachineTime {
    total: u64,
    stolen: u64,
    /// The CPUs that this process may run on.
    cpus: Vec<Cpu>,
    ticks_per_second: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cpu {
    number: usize,
    /// Idle, waiting for a disk, or stolen.
    spared: u64,
}

/// What some CPUs spent on nothing, in seconds of all of them together. What was stolen counts: no process of this
/// machine used it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spared {
    pub(super) cpus: u32,
    pub(super) seconds: f64,
}

impl MachineTime {
    /// Reads them; what can't be read counts as nothing.
    pub(super) fn now() -> MachineTime {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let ours = sched_getaffinity(Pid::from_raw(0)).unwrap_or_else(|_| CpuSet::new());
        let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
        MachineTime::parse(&stat, ticks as f64, |cpu| ours.is_set(cpu).unwrap_or(false))
    }

    /// Reads a `/proc/stat` of so many ticks a second, of whose CPUs `ours` are looked at one by one.
    pub(super) fn parse(
        stat: &str,
        ticks_per_second: f64,
        ours: impl Fn(usize) -> bool,
    ) -> MachineTime {
        let mut found = MachineTime {
            ticks_per_second,
            ..MachineTime::default()
        };
        for line in stat.lines() {
            let Some((name, ticks)) = line.split_once(' ') else {
                continue;
            };
            let Some(cpu) = name.strip_prefix("cpu") else {
                continue;
            };
            let Some(ticks) = Ticks::parse(ticks) else {
                continue;
            };
            match cpu.parse() {
                Ok(number) if ours(number) => found.cpus.push(Cpu {
                    number,
                    spared: ticks.idle + ticks.stolen,
                }),
                Ok(_) => {}
                Err(_) => (found.total, found.stolen) = (ticks.total, ticks.stolen),
            }
        }
        found
    }

    /// The share of the whole machine's time since `earlier` that was stolen; 0 where no tick has passed.
    pub(super) fn steal_share_since(&self, earlier: &MachineTime) -> f64 {
        let total = self.total.saturating_sub(earlier.total);
        let stolen = self.stolen.saturating_sub(earlier.stolen);
        if total == 0 {
            0.0
        } else {
            stolen as f64 / total as f64
        }
    }

    /// What the CPUs that this process may run on spared since `earlier`; `None` where they aren't the same as then, or none
    /// is known.
    ///
    /// Idle time is exact where ticks stop on idle CPUs, while busy time is that of whoever a tick finds at work.
    pub(super) fn spared_since(&self, earlier: &MachineTime) -> Option<Spared> {
        let numbers =
            |time: &MachineTime| -> Vec<usize> { time.cpus.iter().map(|cpu| cpu.number).collect() };
        if self.cpus.is_empty() || numbers(self) != numbers(earlier) {
            return None;
        }
        let both = self.cpus.iter().zip(&earlier.cpus);
        let ticks: u64 = both
            .map(|(later, earlier)| later.spared.saturating_sub(earlier.spared))
            .sum();
        Some(Spared {
            cpus: u32::try_from(self.cpus.len()).ok()?,
            seconds: ticks as f64 / self.ticks_per_second,
        })
    }
}

/// One line's numbers.
struct Ticks {
    total: u64,
    idle: u64,
    stolen: u64,
}

impl Ticks {
    fn parse(text: &str) -> Option<Ticks> {
        let ticks: Vec<u64> = text
            .split_ascii_whitespace()
            .take(8) // guest time, which follows, is contained in user time
            .map_while(|ticks| ticks.parse().ok())
            .collect();
        Some(Ticks {
            total: ticks.iter().sum(),
            idle: ticks.get(3)? + ticks.get(4)?,
            stolen: *ticks.get(7)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(stat: &str) -> MachineTime {
        MachineTime::parse(stat, 100.0, |number| number != 1)
    }

    #[test]
    fn steal_is_a_share_of_all_ticks_between_two_readings() {
        let earlier = parse("cpu  10 0 10 80 0 0 0 0 5 0\ncpu0 1\n");
        let later = parse("cpu  20 0 20 140 0 0 0 20 9 0\n");
        assert_eq!(later.steal_share_since(&earlier), 0.2);
        assert_eq!(later.steal_share_since(&later), 0.0);
    }

    #[test]
    fn idle_waiting_and_stolen_time_of_our_cpus_is_spared() {
        let earlier = parse(
            "cpu0 0 0 0 10 1 0 0 1 0 0\ncpu1 0 0 0 9 9 0 0 9 0 0\ncpu2 5 5 5 5 5 5 5 5 0 0\n",
        );
        let later = parse(
            "cpu0 7 7 7 30 4 7 7 3 7 7\ncpu1 9 9 9 99 9 9 9 9 0 0\ncpu2 6 6 6 5 5 6 6 5 6 6\n",
        );
        let spared = Spared {
            cpus: 2,
            seconds: 0.25,
        };
        assert_eq!(later.spared_since(&earlier), Some(spared));
    }

    #[test]
    fn other_cpus_than_before_tell_nothing() {
        let both = parse("cpu0 0 0 0 1 0 0 0 0\ncpu2 0 0 0 1 0 0 0 0\n");
        let one = parse("cpu0 0 0 0 2 0 0 0 0\n");
        assert_eq!(one.spared_since(&both), None);
        assert_eq!(
            parse("intr 1 2 3\n").spared_since(&parse("cpu0 1 2\n")),
            None
        );
    }
}
