//! How soon a driver gets a CPU when a packet is due.
//!
//! With every CPU busy, packets left at most 0.1 ms late (99th percentile) under `SCHED_RR`, but
//! milliseconds late under any nice value or time slice (`examples/costs.rs`; Linux 6.18, two CPUs).

/// What the kernel has granted a driver thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// `SCHED_RR` at its lowest priority: before every ordinary thread. Needs CAP_SYS_NICE outside
    /// of any user namespace, or a limit RLIMIT_RTPRIO above zero.
    RealTime,
    /// A negative nice value. Needs CAP_SYS_NICE, or RLIMIT_NICE.
    Nice,
    /// As any thread.
    Ordinary,
}

impl Priority {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Priority::RealTime => "real-time",
            Priority::Nice => "nice",
            Priority::Ordinary => "ordinary",
        }
    }
}

const NICE: i32 = -10;

/// Raises the calling thread as far as the host permits, and tells how far that was.
pub(crate) fn raise() -> Priority {
    let lowest = libc::sched_param { sched_priority: 1 };
    // SAFETY: plain system calls about the calling thread; the parameter outlives its call.
    unsafe {
        if libc::sched_setscheduler(0, libc::SCHED_RR, &raw const lowest) == 0 {
            Priority::RealTime
        } else if libc::setpriority(libc::PRIO_PROCESS, 0, NICE) == 0 {
            Priority::Nice
        } else {
            Priority::Ordinary
        }
    }
}
