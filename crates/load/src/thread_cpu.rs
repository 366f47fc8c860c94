//! What the kernel says of CPU time and memory.

use std::fs::File;
use std::os::unix::fs::FileExt;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::report::CpuTime;

/// The calling thread's account. What it is read from stays open, since a host that runs out of files would hide it later.
#[derive(Debug, Default)]
pub(crate) struct ThreadCpu {
    schedstat: Option<File>,
}

impl ThreadCpu {
    /// Opens the account of the calling thread, which is the one to read it.
    pub(crate) fn of_this_thread() -> ThreadCpu {
        ThreadCpu {
            schedstat: File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// The thread's CPU time since it began; nothing where the kernel doesn't tell.
    pub(crate) fn read(&self) -> CpuTime {
        let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
        let waited = self.waited_s();
        getrusage(UsageWho::RUSAGE_THREAD)
            .map(|usage: Usage| CpuTime {
                user: seconds(usage.user_time()),
                system: seconds(usage.system_time()),
                waited,
            })
            .unwrap_or_default()
    }

    /// How long it has been ready to run without a CPU (`schedstat` of proc(5)).
    fn waited_s(&self) -> f64 {
        let mut text = [0; 64];
        self.schedstat
            .as_ref()
            .and_then(|file| file.read_at(&mut text, 0).ok())
            .and_then(|length| std::str::from_utf8(&text[..length]).ok())
            .and_then(|account| account.split_whitespace().nth(1)?.parse::<f64>().ok())
            .map_or(0.0, |nanoseconds| nanoseconds * 1e-9)
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
