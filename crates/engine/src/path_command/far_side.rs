//! The far side's program.

use std::ffi::OsString;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pronghorn_bench::{Attached, Host, Process, Program};

use super::report::Failure;
use super::shell_status;
use crate::foreign::visible;

/// How long the command waits at most for the program's first socket.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// A program on the far host, whose end is told as it happens.
pub(crate) struct FarSide {
    process: Process,
    /// Whether its end is no news.
    over: Arc<AtomicBool>,
}

impl FarSide {
    /// Starts it and waits until it listens, ends, or has taken three seconds. What it writes goes to
    /// stderr.
    pub(crate) fn start(
        host: &Host,
        argv: Vec<String>,
        environment: &[(OsString, OsString)],
    ) -> Result<FarSide, Failure> {
        let before = host.within(listening);
        let name = argv.first().cloned().unwrap_or_default();
        let program = Program {
            argv: argv.into_iter().map(OsString::from).collect(),
            env: environment.to_vec(),
            attached: Attached::Stderr,
            ..Program::default()
        };
        let process = host
            .spawn(program)
            .map_err(|error| Failure::input(format!("the far side's program: {error}")))?;
        let deadline = Instant::now() + PATIENCE;
        while host.within(listening) <= before && Instant::now() < deadline {
            if !matches!(process.wait(Some(PAUSE)), Ok(None)) {
                break;
            }
        }
        let (watched, over) = (process.clone(), Arc::<AtomicBool>::default());
        let is_over = Arc::clone(&over);
        // Where no thread can be had, its end still stands in the report.
        let _ = thread::Builder::new()
            .name("far-side".into())
            .spawn(move || {
                let status = watched.wait(None);
                if let (Ok(Some(status)), false) = (status, is_over.load(Ordering::Relaxed)) {
                    let name = visible(&name);
                    eprintln!(
                        "pronghorn: note: the far side's program ({name}) ended early: {status}"
                    );
                }
            });
        Ok(FarSide { process, over })
    }

    /// The command has ended. How the program ended before that, if it has.
    pub(crate) fn over(&self) -> Option<u8> {
        self.over.store(true, Ordering::Relaxed);
        self.process
            .wait(Some(Duration::ZERO))
            .ok()
            .flatten()
            .map(shell_status)
    }
}

/// How many sockets of the calling thread's network namespace wait for what comes: TCP's that listen,
/// UDP's that are bound (`proc_net(5)`). Zero where that can't be read.
fn listening() -> usize {
    ["tcp", "tcp6", "udp", "udp6"]
        .iter()
        .map(|protocol| {
            let table = fs::read_to_string(format!("/proc/thread-self/net/{protocol}"));
            let table = table.unwrap_or_default();
            let state = |line: &str| line.split_ascii_whitespace().nth(3).map(str::to_owned);
            table
                .lines()
                .skip(1)
                .filter_map(state)
                .filter(|state| state == "0A" || protocol.starts_with("udp"))
                .count()
        })
        .sum()
}
