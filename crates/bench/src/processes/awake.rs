//! CPUs that never halt. On a virtual machine an idle CPU is taken away, and comes back late: at light load a host was seen
//! to steal a tenth and more of the time, packets left milliseconds late, and none of it at full load. So one thread a CPU
//! spins there at idle priority, which yields to everything at once, and notes what it used, so that nobody takes it for
//! others' work.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use std::{env, hint, io, thread};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::time::ClockId;
use nix::unistd::Pid;

/// The environment variable that names the file in which the CPU time of the host's keeper stands.
pub const VARIABLE: &str = "PRONGHORN_AWAKE";

/// Bytes of a CPU's count: nanoseconds, little-endian.
const COUNT: usize = size_of::<u64>();

/// How much CPU time passes between two notes.
const BETWEEN_NOTES: Duration = Duration::from_micros(500);

/// Rounds of the loop between two looks at the clock: some tens of microseconds.
const ROUNDS: u32 = 20_000;

/// Keeps all CPUs awake that this process may run on, as long as it lives, and notes the CPU time that this takes in
/// `file`, which is made. Threads that can't have their CPU, or idle priority, aren't begun: an error.
pub fn keep(file: &Path) -> io::Result<()> {
    let file = File::create(file)?;
    let ours = sched_getaffinity(Pid::from_raw(0))?;
    let cpus = (0..CpuSet::count()).filter(|cpu| ours.is_set(*cpu).unwrap_or(false));
    let (tell, told) = std::sync::mpsc::channel();
    let mut begun = 0;
    for (place, cpu) in cpus.enumerate() {
        let (file, tell) = (file.try_clone()?, tell.clone());
        thread::Builder::new()
            .name(format!("awake-{cpu}"))
            .spawn(move || {
                let ready = bind(cpu);
                let begun = ready.is_ok();
                // Who started this waits for it.
                let _ = tell.send(ready);
                if begun {
                    spin(&file, place);
                }
            })?;
        begun += 1;
    }
    told.into_iter().take(begun).collect()
}

fn bind(cpu: usize) -> io::Result<()> {
    let mut only = CpuSet::new();
    only.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &only)?;
    let none = libc::sched_param { sched_priority: 0 };
    // SAFETY: a plain system call about the calling thread; the parameter outlives it.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const none) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Never returns. No instruction that a hypervisor takes for waiting (such as `pause`) is in the loop.
fn spin(file: &File, place: usize) {
    let mut noted = Duration::ZERO;
    let mut value = 1_u64;
    loop {
        for _ in 0..ROUNDS {
            value = hint::black_box(value.wrapping_mul(6_364_136_223_846_793_005));
        }
        let used = used();
        if used - noted >= BETWEEN_NOTES {
            noted = used;
            let nanoseconds = u64::try_from(used.as_nanos()).unwrap_or(u64::MAX);
            // A note that can't be written makes the keeper look like others' work, which is on the safe side.
            let _ = file.write_at(&nanoseconds.to_le_bytes(), (place * COUNT) as u64);
        }
    }
}

fn used() -> Duration {
    ClockId::CLOCK_THREAD_CPUTIME_ID
        .now()
        .map_or(Duration::ZERO, Duration::from)
}

/// The CPU time that the host's keeper has used so far, in seconds; 0 where [`VARIABLE`] names none. What was stolen while
/// it spun may be in it.
pub(crate) fn seconds() -> f64 {
    static NOTES: OnceLock<Option<File>> = OnceLock::new();
    let notes = NOTES.get_or_init(|| File::open(env::var_os(VARIABLE)?).ok());
    notes.as_ref().map_or(0.0, read)
}

fn read(notes: &File) -> f64 {
    let Ok(length) = notes.metadata().map(|metadata| metadata.len()) else {
        return 0.0;
    };
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0) / COUNT * COUNT];
    if notes.read_exact_at(&mut bytes, 0).is_err() {
        return 0.0;
    }
    let counts = bytes
        .chunks_exact(COUNT)
        .filter_map(|count| count.try_into().ok());
    counts.map(u64::from_le_bytes).sum::<u64>() as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_of_all_cpus_is_added_up() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let notes = file.as_file();
        assert_eq!(read(notes), 0.0, "nothing was noted yet");
        for (place, nanoseconds) in [2_000_000_000_u64, 500_000_000].into_iter().enumerate() {
            notes
                .write_at(&nanoseconds.to_le_bytes(), (place * COUNT) as u64)
                .expect("written");
        }
        assert_eq!(read(notes), 2.5);
    }
}
