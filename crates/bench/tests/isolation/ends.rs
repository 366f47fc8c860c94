//! How an engine ends by itself, or is asked to.

use std::os::unix::process::ExitStatusExt;

use crate::engine::{PARENT_ROLE, ROLE};
use crate::processes::Engine;

/// With what the host allows, through a user namespace where it allows that, and denied.
pub(crate) const MODES: [&str; 3] = ["", "user", "none"];

pub(crate) fn exit_status() {
    for mode in MODES {
        let mut engine = Engine::ready(ROLE, mode);
        engine.tell("exit 7");
        let status = engine.child.wait().expect("it can be waited for");
        assert_eq!(status.code(), Some(7), "{mode}");
        engine.assert_gone();
    }
}

pub(crate) fn fatal_signal() {
    for mode in MODES {
        let mut engine = Engine::ready(ROLE, mode);
        engine.tell("abort");
        let status = engine.child.wait().expect("it can be waited for");
        assert_eq!(status.signal(), Some(libc::SIGABRT), "{mode}");
        engine.assert_gone();
    }
}

pub(crate) fn forwarded_signals() {
    for mode in MODES {
        for signal in [libc::SIGTERM, libc::SIGINT] {
            let mut engine = Engine::ready(ROLE, mode);
            send(engine.child.id() as i32, signal);
            let status = engine.child.wait().expect("it can be waited for");
            assert_eq!(status.signal(), Some(signal), "{mode}");
            engine.assert_gone();
        }
    }
}

pub(crate) fn closed_stdin() {
    for mode in MODES {
        let mut engine = Engine::ready(ROLE, mode);
        engine.input = None;
        let status = engine.child.wait().expect("it can be waited for");
        assert_eq!(status.code(), Some(0), "{mode}");
        engine.assert_gone();
    }
}

pub(crate) fn parents_thread() {
    for mode in MODES {
        let mut parent = Engine::ready(PARENT_ROLE, mode);
        parent.tell("still there?");
        assert_eq!(parent.line(), "unknown still there?", "{mode}");
    }
}

pub(crate) fn send(pid: i32, signal: i32) {
    // SAFETY: a plain system call.
    assert_eq!(
        unsafe { libc::kill(pid, signal) },
        0,
        "{pid} is there and ours"
    );
}
