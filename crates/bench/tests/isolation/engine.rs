//! The engine that the tests start and kill, and a parent for it.

use std::io::BufRead;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use pronghorn_bench::{Bench, BenchSpec, Host, Isolation, Program, Side, enter};
use pronghorn_path::PathSpec;

/// The argument that makes this program an engine.
pub(crate) const ROLE: &str = "--engine";
/// The argument that makes this program the parent of an engine, started by a thread that ends.
pub(crate) const PARENT_ROLE: &str = "--parent";

/// Enters its isolation, opens a bench where it can, starts a program that would run for long, and
/// says so. Then it obeys what comes over stdin: `exit N`, `abort`, `orphans`; it ends with stdin.
pub(crate) fn run() -> ExitCode {
    heed_signals();
    let isolation = enter();
    println!("isolation {}", isolation.name());
    let (_bench, _local);
    let opened = Bench::open(BenchSpec {
        path: PathSpec::default(),
        seed: 1,
        tcp_congestion_control: "cubic".into(),
        ..BenchSpec::default()
    });
    let host = match opened {
        Ok(bench) => {
            _bench = bench;
            _bench.host(Side::Server)
        }
        Err(error) => {
            println!("reason {error}\nmend {}", error.mend().unwrap_or_default());
            _local = Host::local().expect("a thread");
            &_local
        }
    };
    let program = match isolation {
        // Outside a PID namespace only what is spawned itself is sure to end with a killed engine.
        Isolation::None { .. } => shell("exec sleep 1000"),
        _ => shell("setsid sleep 1000 & exec sleep 1000"),
    };
    host.spawn(program).expect("every system has a shell");
    println!("ready");
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_once(' ') {
            Some(("exit", status)) => {
                return ExitCode::from(status.parse::<u8>().expect("a status"));
            }
            _ if line == "abort" => std::process::abort(),
            _ if line == "orphans" => println!("orphans {}", orphans(host)),
            _ => println!("unknown {line}"),
        }
    }
    ExitCode::SUCCESS
}

/// Lets the signals that ask an engine to end do so, also where the tests run in a background that ignores them.
fn heed_signals() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: a plain system call; the default disposition runs nothing of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Starts an engine from a thread that ends at once, passes on its output, and waits for it.
pub(crate) fn run_parent() -> ExitCode {
    let start = || {
        Command::new(std::env::current_exe().expect("this program has a file"))
            .arg(ROLE)
            .spawn()
    };
    let mut child: Child = std::thread::spawn(start)
        .join()
        .expect("it starts")
        .expect("it starts");
    let status = child.wait().expect("it can be waited for");
    ExitCode::from(status.code().map_or(1, |code| code as u8))
}

/// Makes orphans that end, and tells how many zombies there are and how many processes besides the
/// engine are shown in its `/proc`, in a PID namespace.
fn orphans(host: &Host) -> String {
    let process = host
        .spawn(shell("for i in 1 2 3; do (sleep 0.01 &) ; done"))
        .expect("a shell");
    process
        .wait(Some(Duration::from_secs(20)))
        .expect("it can be waited for");
    let shown = std::fs::read_link("/proc/self").ok();
    if shown != Some(std::process::id().to_string().into()) {
        return "unseen".to_owned();
    }
    let states = || -> Vec<String> {
        std::fs::read_dir("/proc")
            .expect("there is a /proc")
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
            .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
            .filter_map(|stat| Some(stat.rsplit_once(") ")?.1.get(..1)?.to_owned()))
            .collect()
    };
    let counted = || {
        let states = states();
        let zombies = states.iter().filter(|state| *state == "Z").count();
        format!("{zombies} of {}", states.len())
    };
    // Init, the engine, and the two that sleep for long, of which a busy host may be late to start one.
    for _ in 0..6000 {
        if counted() == "0 of 4" {
            return "0 of 4".to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    counted()
}

fn shell(script: &str) -> Program {
    Program {
        argv: ["/bin/sh", "-c", script].map(Into::into).into(),
        ..Program::default()
    }
}

/// Starts this program in a role, marked so that all that comes of it can be found.
pub(crate) fn start(role: &str, mode: &str, mark: &str) -> Child {
    Command::new(std::env::current_exe().expect("this program has a file"))
        .arg(role)
        .env("PRONGHORN_ISOLATION", mode)
        .env(crate::processes::MARK, mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program is executable")
}
