//! How soon a driver gets a CPU when a packet is due.

use nix::errno::Errno;

/// What the kernel has granted a driver thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// `SCHED_RR` at its lowest priority: before every ordinary thread.
    RealTime,
    /// A negative nice value.
    Nice,
    /// Ordinary, but with a short time slice, by which EEVDF lets it preempt others (Linux 6.12).
    ShortSlice,
    /// As any thread.
    Ordinary,
}

impl Priority {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Priority::RealTime => "real-time",
            Priority::Nice => "nice",
            Priority::ShortSlice => "short-slice",
            Priority::Ordinary => "ordinary",
        }
    }
}

const NICE: i32 = -10;
const SLICE_NS: u64 = 100_000;

/// `struct sched_attr` of `linux/sched/types.h`, first version (`sched_setattr(2)`).
#[repr(C)]
#[derive(Default)]
struct SchedAttr {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// Raises the calling thread as far as the host permits, and tells how far that was.
pub(crate) fn raise() -> Priority {
    let size = size_of::<SchedAttr>() as u32;
    let ordinary = SchedAttr {
        size,
        runtime: SLICE_NS,
        ..SchedAttr::default()
    };
    let real_time = SchedAttr {
        size,
        policy: libc::SCHED_RR as u32,
        priority: 1,
        ..SchedAttr::default()
    };
    if set(&real_time).is_ok() {
        return Priority::RealTime;
    }
    if set(&SchedAttr {
        nice: NICE,
        ..ordinary
    })
    .is_ok()
    {
        return Priority::Nice;
    }
    // Before Linux 6.12 a slice is ignored for ordinary threads, without an error.
    match (set(&ordinary), slice()) {
        (Ok(()), Some(SLICE_NS)) => Priority::ShortSlice,
        _ => Priority::Ordinary,
    }
}

fn set(attributes: &SchedAttr) -> Result<(), Errno> {
    // SAFETY: the kernel reads `size` bytes of the structure.
    let done = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, attributes, 0) };
    Errno::result(done).map(drop)
}

fn slice() -> Option<u64> {
    let mut attributes = SchedAttr::default();
    let size = size_of::<SchedAttr>();
    // SAFETY: the kernel writes at most `size` bytes of the structure.
    let done = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    (done == 0).then_some(attributes.runtime)
}
