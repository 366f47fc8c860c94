//! Finds the processes that have come of a test, by a mark in their environment.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::engine;

/// The variable that holds the mark.
pub(crate) const MARK: &str = "PRONGHORN_TEST_MARK";

/// What is promised: so long after a kill nothing is left.
const PROMISE: Duration = Duration::from_secs(2);

/// What counts of it at most between two looks: a host that lets nobody run delays the end, too.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// An engine, with its processes.
pub(crate) struct Engine {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    mark: String,
    /// What it has said before it was ready.
    pub(crate) said: Vec<String>,
}

/// One process.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) pid: i32,
    pub(crate) name: String,
    pub(crate) parent: i32,
}

impl Engine {
    /// Starts an engine and waits until it is ready.
    pub(crate) fn ready(role: &str, mode: &str) -> Engine {
        Engine::started(role, mode).until_ready()
    }

    /// Waits until it is ready, and keeps what it says before.
    pub(crate) fn until_ready(mut self) -> Engine {
        loop {
            let line = self.line();
            if line == "ready" {
                return self;
            }
            assert!(!line.is_empty(), "the engine ended after {:?}", self.said);
            self.said.push(line);
        }
    }

    /// Starts an engine.
    pub(crate) fn started(role: &str, mode: &str) -> Engine {
        let mark = fresh_mark();
        Engine::of(engine::start(role, mode, &mark), mark)
    }

    /// An engine that has been started otherwise, with this mark.
    pub(crate) fn of(mut child: Child, mark: String) -> Engine {
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Engine {
            child,
            input,
            output,
            mark,
            said: Vec::new(),
        }
    }

    /// Its next line; empty where it has closed its stdout.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it writes text");
        line.trim_end().to_owned()
    }

    /// Sends it a line.
    pub(crate) fn tell(&mut self, line: &str) {
        let input = self.input.as_mut().expect("its stdin is open");
        writeln!(input, "{line}").expect("it reads");
    }

    /// All processes that have come of it.
    pub(crate) fn processes(&self) -> Vec<Found> {
        marked(&self.mark)
    }

    /// The supervisor, init (where there is one) and the engine, from the outside in.
    pub(crate) fn chain(&self) -> Vec<Found> {
        let found = self.processes();
        let outermost = self.child.id() as i32;
        let mut chain: Vec<Found> = found
            .iter()
            .filter(|f| f.pid == outermost)
            .cloned()
            .collect();
        while let Some(below) = found.iter().find(|f| {
            Some(f.parent) == chain.last().map(|f| f.pid) && f.name != "sleep" && f.name != "sh"
        }) {
            chain.push(below.clone());
        }
        chain
    }

    /// Asserts that two seconds after now no process of it is left, and so no network namespace and
    /// no device, which nothing else can hold.
    pub(crate) fn assert_gone(&mut self) {
        let (mut left, mut looked) = (PROMISE, Instant::now());
        while self.is_there() {
            assert!(!left.is_zero(), "still there: {:?}", self.processes());
            std::thread::sleep(Duration::from_millis(2));
            left = left.saturating_sub(looked.elapsed().min(BETWEEN_LOOKS));
            looked = Instant::now();
        }
    }

    /// Whether any process of it is left. Reaps an ended child as any parent would: it is a zombie until then.
    fn is_there(&mut self) -> bool {
        let ended = self.child.try_wait().expect("it can be waited for");
        ended.is_none() || !self.processes().is_empty()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A mark that no other process has.
pub(crate) fn fresh_mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!(
        "{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

fn marked(mark: &str) -> Vec<Found> {
    let wanted = format!("{MARK}={mark}");
    let entries = fs::read_dir("/proc").expect("there is a /proc");
    let pids = entries
        .flatten()
        .filter_map(|e| e.file_name().to_string_lossy().parse().ok());
    pids.filter_map(|pid: i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        environment
            .split(|byte| *byte == 0)
            .find(|variable| *variable == wanted.as_bytes())?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let fields: BTreeMap<&str, &str> =
            status.lines().filter_map(|l| l.split_once(":\t")).collect();
        Some(Found {
            pid,
            name: (*fields.get("Name")?).to_owned(),
            parent: fields.get("PPid")?.parse().ok()?,
        })
    })
    .collect()
}
