//! The CPU time that a thread used, and the time for which it was ready to run and had none.

use pronghorn_bench::in_guest;
use schemars::JsonSchema;
use serde::Serialize;

/// A thread of this process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thread(libc::pid_t);

/// CPU time of a thread (`schedstat` of proc(5)).
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
pub(crate) struct Cpu {
    /// Seconds on a CPU.
    pub(crate) used_s: f64,
    /// Seconds on a run queue, waiting for a CPU.
    pub(crate) waited_s: f64,
}

impl Thread {
    /// The calling thread.
    pub(crate) fn current() -> Thread {
        // SAFETY: gettid takes nothing and can't fail.
        Thread(unsafe { libc::gettid() })
    }

    /// Reads its account; none where the kernel keeps none (no CONFIG_SCHED_INFO) or the thread ended.
    pub(crate) fn cpu(self) -> Option<Cpu> {
        if in_guest() {
            return None;
        }
        let account =
            std::fs::read_to_string(format!("/proc/self/task/{}/schedstat", self.0)).ok()?;
        let mut nanoseconds = account.split_ascii_whitespace().map(str::parse::<u64>);
        let mut next = || Some(nanoseconds.next()?.ok()? as f64 / 1e9);
        Some(Cpu {
            used_s: next()?,
            waited_s: next()?,
        })
    }
}

impl Cpu {
    /// What came since an earlier reading.
    pub(crate) fn since(self, earlier: Cpu) -> Cpu {
        Cpu {
            used_s: self.used_s - earlier.used_s,
            waited_s: self.waited_s - earlier.waited_s,
        }
    }

    /// The difference of two readings, where both could be had.
    pub(crate) fn between(earlier: Option<Cpu>, later: Option<Cpu>) -> Option<Cpu> {
        Some(later?.since(earlier?))
    }
}
