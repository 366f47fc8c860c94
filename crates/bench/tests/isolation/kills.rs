//! `kill -9` of each process around an engine.

use std::time::Duration;

use crate::ends::{MODES, send};
use crate::engine::{PARENT_ROLE, ROLE};
use crate::processes::{Engine, Found};

pub(crate) fn supervisor() {
    kill_each(ROLE, |chain| chain.first().map(|found| found.pid));
}

pub(crate) fn engine() {
    kill_each(ROLE, |chain| chain.last().map(|found| found.pid));
}

pub(crate) fn init() {
    // Where there is no PID namespace there is no init.
    kill_each(ROLE, |chain| match chain {
        [_, init, _] => Some(init.pid),
        _ => None,
    });
}

pub(crate) fn parent() {
    for mode in MODES {
        let mut parent = Engine::ready(PARENT_ROLE, mode);
        assert!(
            parent.processes().len() >= 3,
            "{mode}: {:?}",
            parent.processes()
        );
        send(parent.child.id() as i32, libc::SIGKILL);
        parent.assert_gone();
    }
}

/// From before the engine has entered its isolation to after it is ready.
pub(crate) fn random_moments() {
    for moment in 0..20 {
        let mode = MODES[moment % MODES.len()];
        let mut engine = Engine::started(ROLE, mode);
        std::thread::sleep(Duration::from_millis((moment * 7919 % 101) as u64));
        send(engine.child.id() as i32, libc::SIGKILL);
        engine.assert_gone();
    }
}

fn kill_each(role: &str, whom: impl Fn(&[Found]) -> Option<i32>) {
    for mode in MODES {
        let mut engine = Engine::ready(role, mode);
        let chain = engine.chain();
        let denied = engine.said.iter().any(|line| line == "isolation none");
        assert_eq!(
            chain.len(),
            if denied { 2 } else { 3 },
            "{mode}: {:?}",
            engine.processes()
        );
        if let Some(pid) = whom(&chain) {
            send(pid, libc::SIGKILL);
            engine.assert_gone();
        }
    }
}
