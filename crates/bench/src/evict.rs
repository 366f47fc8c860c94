//! Ends the processes that still run in a network namespace when its bench closes: daemons that
//! have left their process group, children of children.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};

use crate::proc::{numbers, proc_is_ours};

const ROUNDS: usize = 20;
const PAUSE: Duration = Duration::from_micros(500);

/// Kills every other process in the calling thread's network namespace, again until none is left
/// (what is killed may just have forked). Does nothing where `/proc` shows another PID namespace's
/// numbers; there the end of the PID namespace ends them.
pub(crate) fn evict_strangers() {
    if !proc_is_ours() {
        return;
    }
    for _ in 0..ROUNDS {
        let found = strangers();
        if found.is_empty() {
            return;
        }
        for pid in found {
            let _ = kill(pid, Signal::SIGKILL);
        }
        thread::sleep(PAUSE);
    }
}

fn strangers() -> Vec<Pid> {
    let namespace = |path: &str| {
        fs::metadata(path)
            .ok()
            .map(|found| (found.dev(), found.ino()))
    };
    let Some(here) = namespace("/proc/thread-self/ns/net") else {
        return Vec::new();
    };
    numbers()
        .into_iter()
        .filter(|pid| *pid != getpid().as_raw())
        .filter(|pid| namespace(&format!("/proc/{pid}/ns/net")) == Some(here))
        .map(Pid::from_raw)
        .collect()
}
