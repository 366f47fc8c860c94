//! `pronghorn-engine generate`: one load from where this process stands.
//!
//! The specification is a JSON object on stdin; lines of JSON go to stdout: progress, and at the end the report or an error.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use nix::sys::signal::{SigSet, Signal};
use pronghorn_load::{Load, LoadReport, LoadSpec, Progress, Stop};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Fault;

/// Exit statuses, as for every command.
const INPUT: u8 = 2;
const HOST: u8 = 3;
const BENCH: u8 = 1;

/// A line of the mode `generate`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GenerateLine")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Line {
    /// How the load goes, every `progress_s`.
    Progress(Progress),
    /// The last line of a load that was made.
    Report(Box<LoadReport>),
    /// The last line of a load that could not be made.
    Error(Fault),
}

/// Reads, loads, tells. SIGINT and SIGTERM cut the load, which then tells what was; a second one ends the process. Where
/// nobody reads the progress any more, the load is over: it outlives no one who asked for it.
pub(crate) fn run() -> ExitCode {
    crate::panic::end_on_panic();
    let ending = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    // Where they can't be held back they end the process, as ever.
    let held = SigSet::thread_block(&ending).is_ok();
    match load(held.then_some(ending)) {
        Ok(report) => {
            tell(Line::Report(Box::new(report)));
            ExitCode::SUCCESS
        }
        Err(fault) => {
            let status = match fault.kind() {
                crate::answer::Kind::Input => INPUT,
                crate::answer::Kind::Host => HOST,
                crate::answer::Kind::Bench => BENCH,
            };
            tell(Line::Error(fault));
            ExitCode::from(status)
        }
    }
}

fn load(signals: Option<SigSet>) -> Result<LoadReport, Fault> {
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Fault::input(format!("stdin: {error}")))?;
    let spec: LoadSpec = serde_json::from_str(&text)
        .map_err(|error| Fault::input(format!("not a load's specification: {error}")))?;
    let load = Load::new(&spec).map_err(|error| Fault::load(&error))?;
    let stop = load.stop();
    if let Some(signals) = signals {
        let stop = stop.clone();
        std::thread::spawn(move || heed(&signals, &stop));
    }
    let told = |progress: &Progress| {
        if say(Line::Progress(*progress)).is_err() {
            stop.now();
        }
    };
    load.run(told).map_err(|error| Fault::load(&error))
}

fn heed(signals: &SigSet, stop: &Stop) {
    let mut struck = false;
    while let Ok(signal) = signals.wait() {
        if std::mem::replace(&mut struck, true) {
            std::process::exit(128 + signal as i32);
        }
        stop.now();
    }
}

/// Writes the last line. Whoever reads may be gone, and then nobody misses it.
fn tell(line: Line) {
    let _ = say(line);
}

/// Writes a line.
fn say(line: Line) -> io::Result<()> {
    let line = serde_json::to_value(line)?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}
