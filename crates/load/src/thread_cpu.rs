//! What the kernel says of CPU time and memory.

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;
use pronghorn_waits::Account;

use crate::report::CpuTime;

/// The calling thread's account.
#[derive(Debug, Default)]
pub(crate) struct ThreadCpu {
    account: Account,
}

impl ThreadCpu {
    /// Opens the account of the calling thread, which is the one to read it.
    pub(crate) fn of_this_thread() -> ThreadCpu {
        ThreadCpu {
            account: Account::of_this_thread(),
        }
    }

    /// The thread's CPU time since it began; nothing where the kernel doesn't tell.
    pub(crate) fn read(&self) -> CpuTime {
        let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
        let waited = self.waited_ns().map_or(0.0, |waited| waited as f64 * 1e-9);
        getrusage(UsageWho::RUSAGE_THREAD)
            .map(|usage: Usage| CpuTime {
                user: seconds(usage.user_time()),
                system: seconds(usage.system_time()),
                waited,
                critical: None,
            })
            .unwrap_or_default()
    }

    /// For how many nanoseconds it has been ready to run without a CPU; none where the kernel doesn't tell.
    pub(crate) fn waited_ns(&self) -> Option<u64> {
        self.account.read().map(|times| times.waited_ns)
    }
}

/// The process's largest resident set so far, in bytes: `VmHWM` of proc(5). getrusage(2) has whatever the process was before
/// its execve(2) as well, which is whoever started it.
pub(crate) fn max_rss_bytes() -> u64 {
    if let Some(bytes) = high_water_mark() {
        return bytes;
    }
    let usage = getrusage(UsageWho::RUSAGE_SELF);
    usage.map_or(0, |usage| {
        u64::try_from(usage.max_rss()).unwrap_or(0) * 1024
    })
}

fn high_water_mark() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_held_counts() {
        const HELD: usize = 96 << 20;
        let before = max_rss_bytes();
        let held = vec![1_u8; HELD];
        assert!(held.iter().step_by(4096).all(|&byte| byte == 1));
        let after = max_rss_bytes();
        assert!(after >= HELD as u64 && after >= before, "{before} {after}");
    }
}
