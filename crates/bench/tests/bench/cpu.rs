//! What counts as a bench's own CPU time.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pronghorn_bench::{Bench, Process, Program, Side};
use pronghorn_path::PathSpec;

use crate::open;

/// What an earlier bench's program uses: more than an idle bench does, however busy the host.
const EARLIER_S: f64 = 1.0;

/// How far two of the kernel's accounts may lie apart.
const APART_S: f64 = 0.1;

pub(crate) fn of_a_living_program() {
    let bench = open(PathSpec::default(), 1);
    let program = shell(&bench, "while :; do :; done");
    thread::sleep(Duration::from_millis(600));
    let account = fs::read_to_string(format!("/proc/{}/schedstat", program.pid()));
    let account = account.expect("it lives and the kernel keeps its account");
    let used_ns = account.split_ascii_whitespace().next().map(str::parse);
    let used_ns: f64 = used_ns.expect("a line of numbers").expect("a number");
    let own_s = own_s(&bench);
    assert!(own_s >= used_ns / 1e9 - APART_S, "{own_s} {used_ns}");
}

pub(crate) fn of_an_ended_orphan() {
    let bench = open(PathSpec::default(), 1);
    let told = std::env::temp_dir().join(format!("pronghorn-orphan-{}", std::process::id()));
    let burn = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
    let orphan = format!("{burn}; times > {0}.part; mv {0}.part {0}", told.display());
    let parent = shell(&bench, &format!("({orphan}) & exit 0"));
    let status = parent.wait(Some(Duration::from_secs(20)));
    assert!(status.expect("it can be waited for").is_some(), "it ends");
    let used_s = first_time(&told);
    thread::sleep(Duration::from_millis(100));
    let own_s = own_s(&bench);
    assert!(
        used_s > 0.0 && own_s >= used_s - APART_S,
        "{own_s} {used_s}"
    );
}

pub(crate) fn of_earlier_benches_is_not_this_ones() {
    let bench = open(PathSpec::default(), 1);
    let program = shell(&bench, "while :; do :; done");
    let asked = Instant::now();
    let earlier_s = loop {
        thread::sleep(Duration::from_millis(100));
        let used_s = own_s(&bench);
        if used_s >= EARLIER_S {
            break used_s;
        }
        assert!(asked.elapsed() < Duration::from_secs(60), "{used_s}");
    };
    program.signal(libc::SIGKILL).expect("it runs");
    drop(bench);
    let bench = open(PathSpec::default(), 1);
    thread::sleep(Duration::from_millis(150));
    let own_s = own_s(&bench);
    assert!(own_s < earlier_s, "{own_s} {earlier_s}");
}

fn shell(bench: &Bench, script: &str) -> Process {
    let program = Program {
        argv: ["sh", "-c", script].map(Into::into).to_vec(),
        ..Program::default()
    };
    let started = bench.host(Side::Client).spawn(program);
    started.expect("every system has a shell")
}

fn own_s(bench: &Bench) -> f64 {
    let share = bench.counters().host.cpu;
    share.expect("the engine's /proc is its own").own_s
}

/// The first of the times that a shell's `times` has written to `file`, once it is there: its own user time.
fn first_time(file: &Path) -> f64 {
    let asked = Instant::now();
    while !file.exists() {
        assert!(asked.elapsed() < Duration::from_secs(60), "it never ends");
        thread::sleep(Duration::from_millis(5));
    }
    let text = fs::read_to_string(file).expect("it is there");
    fs::remove_file(file).expect("it is ours");
    let (minutes, seconds) = text
        .split_ascii_whitespace()
        .next()
        .and_then(|time| time.trim_end_matches('s').split_once('m'))
        .expect("minutes and seconds");
    let number = |text: &str| -> f64 { text.parse().expect("a number") };
    60.0 * number(minutes) + number(seconds)
}
