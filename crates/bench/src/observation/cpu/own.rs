//! The CPU time of the engine and of everything that it has started.

use std::fs;

use nix::time::ClockId;
use nix::unistd::{Pid, SysconfVar, sysconf};

use crate::processes::isolation::{Isolation, entered};
use crate::processes::proc::{numbers, proc_is_ours};

/// How often processes are counted anew that came or went under the counting.
const ROUNDS: usize = 4;

/// CPU time of all processes of the engine's PID namespace, living and ended, in seconds; `None` where there is no such
/// namespace, or `/proc` doesn't show it.
///
/// Whoever has ended is in the time of who waited for it; the namespace's init waits for orphans. A process that
/// ends without being waited for (its parent ignores SIGCHLD) is lost.
pub(super) fn seconds() -> Option<f64> {
    let apart = matches!(entered(), Some(Isolation::Root | Isolation::UserNamespace));
    if !apart || !proc_is_ours() {
        return None;
    }
    let per_second = sysconf(SysconfVar::CLK_TCK).ok().flatten()? as f64;
    let mut most = 0.0_f64;
    let mut before = numbers();
    for _ in 0..ROUNDS {
        // One that ends between its parent's reading and its own is in neither.
        let found = before.iter().map(|pid| {
            let ended = ended_ticks(*pid).unwrap_or_default() as f64 / per_second;
            ended + living_s(*pid).unwrap_or_default()
        });
        most = most.max(found.sum());
        let after = numbers();
        if after == before {
            break;
        }
        before = after;
    }
    Some(most)
}

/// CPU time of a process that nobody has waited for yet, with all of its threads.
fn living_s(pid: i32) -> Option<f64> {
    let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(pid)).ok()?;
    let time = clock.now().ok()?;
    Some(time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

fn ended_ticks(pid: i32) -> Option<u64> {
    waited_for(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// User and system time, in ticks, of the processes that one has waited for, in its `/proc/PID/stat`
/// (`proc_pid_stat(5)`, fields 16 and 17).
fn waited_for(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(ticks()? + ticks()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processes_account_has_its_ended_children() {
        let stat = "7 (a ) name) S 1 7 7 0 -1 4194560 9 9 0 0 3 20 100 4000 20 0 1 0 99 1 1";
        assert_eq!(waited_for(stat), Some(4100));
        assert_eq!(waited_for("7 (short) S 1 7"), None);
        assert_eq!(waited_for(""), None);
    }

    #[test]
    fn a_living_process_has_used_some_time() {
        assert!(living_s(std::process::id() as i32).is_some_and(|time| time > 0.0));
        assert_eq!(living_s(0x7fff_fff0), None, "there is none of this number");
    }
}
