//! What an engine may do in each mode, and what it says where it may not.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::engine::ROLE;
use crate::processes::{Engine, MARK, fresh_mark};

const NOBODY: u32 = 65534;

pub(crate) fn orphans() {
    for mode in ["", "user"] {
        let mut engine = Engine::ready(ROLE, mode);
        if said(&engine, "isolation") == "none" {
            continue;
        }
        engine.tell("orphans");
        let line = engine.line();
        // A container whose /proc is masked lets no other be mounted.
        assert!(
            ["orphans 0 of 4", "orphans unseen"].contains(&line.as_str()),
            "{mode}: {line}"
        );
    }
}

pub(crate) fn none() {
    let engine = Engine::ready(ROLE, "none");
    assert_eq!(said(&engine, "isolation"), "none");
    assert_eq!(said(&engine, "reason"), "PRONGHORN_ISOLATION=none is set");
    assert_eq!(said(&engine, "mend"), "unset PRONGHORN_ISOLATION");
}

pub(crate) fn user_namespace() {
    let engine = Engine::ready(ROLE, "user");
    assert_bench_or_mend(&engine);
}

/// As root this is tried as `nobody`, who may not open the usual `/dev/net/tun`.
pub(crate) fn ordinary_user() {
    let mark = fresh_mark();
    let program = std::env::temp_dir().join(format!("pronghorn-{mark}"));
    fs::copy(
        std::env::current_exe().expect("this program has a file"),
        &program,
    )
    .expect("space");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut command = Command::new(&program);
    // SAFETY: a plain system call.
    if unsafe { libc::geteuid() } == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
        .arg(ROLE)
        .env(MARK, &mark)
        .env_remove("PRONGHORN_ISOLATION")
        .current_dir("/");
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let engine = Engine::of(child, mark).until_ready();
    fs::remove_file(&program).expect("it is ours");
    assert_bench_or_mend(&engine);
}

fn assert_bench_or_mend(engine: &Engine) {
    match said(engine, "isolation") {
        "user-namespace" => assert_eq!(engine.said.len(), 1, "a bench opens: {:?}", engine.said),
        "none" => {
            let (reason, mend) = (said(engine, "reason"), said(engine, "mend"));
            assert!(
                reason.contains("namespaces") || reason.contains("/dev/net/tun"),
                "{reason}"
            );
            assert!(
                mend.contains("run as root") || mend.contains("--cap-add"),
                "{mend}"
            );
        }
        other => panic!("isolation {other}"),
    }
}

fn said<'a>(engine: &'a Engine, key: &str) -> &'a str {
    let line = engine
        .said
        .iter()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {key} in {:?}", engine.said))
}
