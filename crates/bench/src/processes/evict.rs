//! Ends the processes that still run in a network namespace when its bench closes: daemons that
//! have left their process group, children of children.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid, getppid};

use crate::processes::isolation::{Isolation, entered};
use crate::processes::proc::{numbers, proc_is_ours};

const ROUNDS: usize = 20;
const PAUSE: Duration = Duration::from_micros(500);

/// Kills every other process in the calling thread's network namespace, again until none is left
/// (what is killed may just have forked). Does nothing where `/proc` shows another PID namespace's
/// numbers; there the end of the PID namespace ends them.
pub(crate) fn evict_strangers() {
    if proc_is_ours() {
        end_all(strangers);
    }
}

/// Kills every other process of an engine that is isolated, and so alone with its init and with what it has started:
/// also what has left its host for a network of its own, as a container does. For an engine that has no bench
/// open. Does nothing where `/proc` shows another PID namespace's numbers; there that namespace's end ends them.
pub fn evict_descendants() {
    let isolated = matches!(entered(), Some(Isolation::Root | Isolation::UserNamespace));
    if isolated && getppid() == INIT && proc_is_ours() {
        end_all(others);
    }
}

/// The first process of a PID namespace (`pid_namespaces(7)`).
const INIT: Pid = Pid::from_raw(1);

fn others() -> Vec<Pid> {
    let all = numbers().into_iter().map(Pid::from_raw);
    all.filter(|pid| *pid != INIT && *pid != getpid()).collect()
}

fn end_all(find: fn() -> Vec<Pid>) {
    for _ in 0..ROUNDS {
        let found = find();
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
