//! `pronghorn-engine path`: one command behind a path, with this process's own terminal.
//!
//! The request comes as a JSON object from one descriptor, the report goes to another; stdin, stdout
//! and stderr are the command's.
//!
//! | question | file |
//! |---|---|
//! | what is asked and what is told | `request.rs`, `report.rs` |
//! | which addresses, which congestion control, which uplink | `place.rs` |
//! | when is the far side's program ready, and what if it ends | `far_side.rs` |
//! | whom does a signal reach | `signals.rs` |
//! | how does the path fare over time | `series.rs` |

mod far_side;
mod place;
mod report;
mod request;
mod series;
mod signals;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use pronghorn_bench::{Attached, Isolation, Process, Program, Side, SpawnError, enter};

use far_side::FarSide;
use place::Place;

pub(crate) use report::{Failure, Report};
pub(crate) use request::Request as PathRequest;
use series::Series;
use signals::Signals;

use crate::answers::PathCounters;
use crate::foreign::visible;
use crate::secrets;

/// How deep a command is nested: the level of the path around it.
const LEVEL_VARIABLE: &str = "PRONGHORN_LEVEL";

/// Does what the arguments after `path` say: `--request-fd N --report-fd N`. The exit status is the
/// command's.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let (request, report) = match request::descriptors(arguments) {
        Ok(descriptors) => descriptors,
        Err(wrong) => {
            eprintln!("pronghorn-engine path: {wrong}");
            return ExitCode::from(2);
        }
    };
    signals::allow_all();
    let isolation = enter();
    crate::panic::end_on_panic();
    let signals = Signals::hold_back();
    let (answer, status) = match request::read(request)
        .map_err(Failure::input)
        .and_then(|request| perform(request, &isolation, signals))
    {
        Ok(report) => (serde_json::to_value(&report), report.status),
        Err(failure) => (serde_json::to_value(&failure), failure.status),
    };
    let written = answer
        .map_err(io::Error::from)
        .and_then(|answer| report::write(report, &answer));
    if let Err(error) = written {
        eprintln!("pronghorn-engine path: the report could not be written: {error}");
    }
    ExitCode::from(status)
}

fn perform(
    request: PathRequest,
    isolation: &Isolation,
    signals: Signals,
) -> Result<Report, Failure> {
    if let Isolation::None { reason, mend } = isolation {
        return Err(Failure::host(reason, Some(mend.clone())));
    }
    let valid = request.path.validate();
    valid.map_err(|error| Failure::path(&error))?;
    let mut place = Place::open(&request)?;
    for note in place.notes() {
        eprintln!("pronghorn: note: {}", visible(note));
    }
    let far_side = match request.server {
        Some(argv) => {
            let environment = environment(&mut place)?;
            let host = place.bench.host(Side::Server);
            Some(FarSide::start(host, argv, &environment)?)
        }
        None => None,
    };
    if let Some(signal) = signals.struck() {
        return Err(Failure::interrupted(signal));
    }
    let environment = environment(&mut place)?;
    let command = start(&place, &request.command, environment)?;
    signals.pass_on_to(command.clone());
    let series = Series::until_end_of(&command, &place.bench, request.sample_interval_s)
        .map_err(Failure::bench)?;
    let status = command
        .wait(None)
        .map_err(Failure::bench)?
        .map_or(0, shell_status);
    let server_status = far_side.as_ref().and_then(FarSide::over);
    let report = Report {
        status,
        seed: request.seed,
        level: place.level.number(),
        client_address: place.client().to_string(),
        server_address: place.server().to_string(),
        far_host_address: place.far_host().to_string(),
        uplink: place.uplink.as_ref().map(|uplink| uplink.way().name()),
        tcp_congestion_control: place.congestion_control.name().to_owned(),
        tcp_congestion_control_by: place.congestion_control_by(),
        notes: place.notes().to_vec(),
        server_status,
        series,
        counters: None,
    };
    let (path, capture) = place.close();
    let counters = Some(PathCounters { path, capture });
    Ok(Report { counters, ..report })
}

fn start(
    place: &Place,
    argv: &[String],
    env: Vec<(OsString, OsString)>,
) -> Result<Process, Failure> {
    let program = Program {
        argv: argv.iter().map(OsString::from).collect(),
        env,
        attached: Attached::Terminal,
        ..Program::default()
    };
    match place.bench.host(Side::Client).spawn(program) {
        Ok(process) => Ok(process),
        Err(SpawnError::Empty) => Err(Failure::input(SpawnError::Empty)),
        Err(error) => Err(Failure::not_started(&error)),
    }
}

/// What a program is told by its environment.
fn environment(place: &mut Place) -> Result<Vec<(OsString, OsString)>, Failure> {
    let secrets = place.recording.as_mut();
    let secrets = secrets
        .map(|recording| recording.instruct(secrets::named_by_ours()))
        .transpose()
        .map_err(Failure::bench)?;
    let addresses = [
        ("PRONGHORN_CLIENT", place.client().to_string()),
        ("PRONGHORN_SERVER", place.server().to_string()),
        (LEVEL_VARIABLE, place.level.number().to_string()),
    ]
    .into_iter()
    .map(|(name, value)| (name.into(), value.into()));
    Ok(addresses.chain(secrets).collect())
}

/// As a shell has it: the exit code, or 128 and the number of the signal.
fn shell_status(status: ExitStatus) -> u8 {
    let signal = || 128 + status.signal().unwrap_or(0);
    status.code().unwrap_or_else(signal).clamp(0, 255) as u8
}
