//! The CPU time of the engine and of everything that it has started.

use std::fs;

use nix::unistd::{SysconfVar, sysconf};

use crate::isolation::{Isolation, entered};
use crate::proc::{numbers, proc_is_ours};

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
    let per_second = sysconf(SysconfVar::CLK_TCK).ok().flatten()?;
    let mut most = 0;
    let mut before = numbers();
    for _ in 0..ROUNDS {
        // One that ends between its parent's reading and its own is in neither.
        let ticks: u64 = before.iter().filter_map(|pid| ticks_of(*pid)).sum();
        most = most.max(ticks);
        let after = numbers();
        if after == before {
            break;
        }
        before = after;
    }
    Some(most as f64 / per_second as f64)
}

fn ticks_of(pid: i32) -> Option<u64> {
    ticks(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// User and system time of a process and of those it has waited for, in `/proc/PID/stat` (`proc_pid_stat(5)`, fields 14 to
/// 17).
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let fields: Vec<u64> = after_name
        .split_ascii_whitespace()
        .skip(11)
        .take(4)
        .map_while(|field| field.parse().ok())
        .collect();
    (fields.len() == 4).then(|| fields.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processes_time_has_that_of_its_ended_children() {
        let stat = "7 (a ) name) S 1 7 7 0 -1 4194560 9 9 0 0 3 20 100 4000 20 0 1 0 99 1 1";
        assert_eq!(ticks(stat), Some(4123));
        assert_eq!(ticks("7 (short) S 1 7"), None);
        assert_eq!(ticks(""), None);
    }
}
