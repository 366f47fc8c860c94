//! Programs on a host, and what is left of everything when a bench closes.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pronghorn_bench::{Bench, BenchError, BenchSpec, Program, Side, SpawnError};
use pronghorn_path::PathSpec;

use crate::open;

const LONG: Option<Duration> = Some(Duration::from_secs(20));

pub(crate) fn a_program_runs_on_its_host() {
    let bench = open(PathSpec::default(), 1);
    let out = file("out");
    let script = "echo $WORD; pwd; cat /proc/self/net/fib_trie; echo complaint >&2";
    let program = Program {
        env: vec![("WORD".into(), "hello".into())],
        stdout: Some(out.clone()),
        stderr: Some(out.clone()),
        directory: Some("/".into()),
        ..shell(script)
    };
    let process = bench
        .host(Side::Server)
        .spawn(program)
        .expect("every system has a shell");
    let status = process.wait(LONG).expect("it can be waited for");
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
    assert_eq!(process.wait(LONG).expect("again"), status);
    let said = fs::read_to_string(&out).expect("it has written");
    fs::remove_file(&out).expect("it is ours");
    assert!(
        said.starts_with("hello\n/\n") && said.ends_with("complaint\n"),
        "{said}"
    );
    assert!(
        said.contains("198.18.0.2") && !said.contains("198.18.0.1\n"),
        "{said}"
    );
}

pub(crate) fn is_waited_for_and_signalled() {
    let bench = open(PathSpec::default(), 1);
    let host = bench.host(Side::Client);
    let seven = host
        .spawn(shell("exit 7"))
        .expect("every system has a shell");
    assert_eq!(
        seven.wait(LONG).expect("its status").and_then(|s| s.code()),
        Some(7)
    );
    assert!(seven.signal(libc::SIGTERM).is_err(), "it has ended");
    let sleeper = host
        .spawn(shell("exec sleep 1000"))
        .expect("every system has a shell");
    assert_eq!(
        sleeper
            .wait(Some(Duration::from_millis(20)))
            .expect("it runs"),
        None
    );
    sleeper.signal(libc::SIGTERM).expect("it runs");
    let status = sleeper.wait(LONG).expect("its status");
    assert_eq!(status.and_then(|s| s.signal()), Some(libc::SIGTERM));
}

pub(crate) fn cannot_start_says_why() {
    let bench = open(PathSpec::default(), 1);
    let refused = |program| {
        bench
            .host(Side::Client)
            .spawn(program)
            .expect_err("it can't start")
    };
    assert!(matches!(refused(Program::default()), SpawnError::Empty));
    let missing = Program {
        argv: vec!["no-such-program".into()],
        ..Program::default()
    };
    assert!(
        refused(missing)
            .to_string()
            .starts_with("cannot start no-such-program: ")
    );
    let unwritable = Program {
        stdout: Some("/no/such/folder/out".into()),
        ..shell("true")
    };
    assert!(
        refused(unwritable)
            .to_string()
            .starts_with("cannot write /no/such/folder/out: ")
    );
}

pub(crate) fn closing_leaves_nothing() {
    let bench = open(PathSpec::default(), 1);
    let out = file("daemon");
    let script = "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; wait";
    let program = Program {
        stdout: Some(out.clone()),
        ..shell(script)
    };
    let parent = bench
        .host(Side::Client)
        .spawn(program)
        .expect("every system has a shell");
    let pids = until(|| {
        let said = fs::read_to_string(&out).unwrap_or_default();
        let pids: Vec<i32> = said.lines().filter_map(|pid| pid.parse().ok()).collect();
        (pids.len() == 2 && said.ends_with('\n')).then_some(pids)
    });
    assert!(pids.iter().all(|pid| runs(*pid)) && runs(parent.pid() as i32));
    // SAFETY: a plain system call.
    until(|| (unsafe { libc::getpgid(pids[1]) } == pids[1]).then_some(()));
    drop(bench);
    fs::remove_file(&out).expect("it is ours");
    assert!(
        !runs(parent.pid() as i32),
        "what was spawned is gone when closing returns"
    );
    let gone = || pids.iter().all(|pid| !runs(*pid)).then_some(());
    until(gone);
    until(|| bench_threads().is_empty().then_some(()));
}

pub(crate) fn opening_a_bad_path() {
    let mut path = PathSpec::default();
    path.down.duplicate = 1.5;
    let spec = BenchSpec {
        path,
        seed: 1,
        tcp_congestion_control: "cubic".into(),
        ..BenchSpec::default()
    };
    match Bench::open(spec) {
        Err(error @ BenchError::Path(_)) => {
            assert!(error.to_string().contains("duplicate"), "{error}");
        }
        other => panic!("a probability of 1.5 opened: {}", other.is_ok()),
    }
}

fn shell(script: &str) -> Program {
    Program {
        argv: ["/bin/sh", "-c", script].map(Into::into).into(),
        ..Program::default()
    }
}

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pronghorn-{}-{name}", std::process::id()))
}

/// Whether the process lives; a zombie that its parent hasn't reaped yet counts as living.
fn runs(pid: i32) -> bool {
    // SAFETY: signal 0 only asks.
    unsafe { libc::kill(pid, 0) == 0 }
}

/// The names of this process's threads that belong to a bench.
fn bench_threads() -> Vec<String> {
    fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("comm")).ok())
        .filter(|name| {
            [
                "path-",
                "client-host",
                "server-host",
                "host-names",
                "dismantle",
            ]
            .iter()
            .any(|n| name.starts_with(n))
        })
        .collect()
}

/// Asks again until there is an answer.
fn until<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let asked = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(
            asked.elapsed() < Duration::from_secs(60),
            "it takes forever"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}
