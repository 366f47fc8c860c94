//! `pronghorn-engine`: the data plane as a process. JSON, one message a line, on stdin and stdout;
//! the contract is what `pronghorn-engine schema` prints, which `docs/engine-protocol.md` shows.
//!
//! | question | file |
//! |---|---|
//! | what can be asked, what is answered | `request.rs`, `answer.rs`, `answers/` |
//! | what is the protocol's JSON Schema | `schema.rs` |
//! | what does a request change | `session.rs` |
//! | where do origin, load and name server run | `origin.rs`, `load.rs`, `generate.rs`, `dns.rs` |
//! | what is recorded of a path | `recording.rs`, `arrivals.rs`, `secrets.rs`, `flight.rs` |
//! | what works without a session | `path_command/`, `generate_command.rs`, `awake_command.rs` |
//! | how does the clock become virtual | `guest.rs` |

mod answer;
mod answers;
mod arrivals;
mod awake_command;
mod cpu;
mod dns;
mod flight;
mod foreign;
mod generate;
mod generate_command;
mod guest;
mod hosts;
mod load;
mod open_files;
mod origin;
mod panic;
mod path_command;
mod policy;
mod processes;
mod recorded;
mod recording;
mod refusal;
mod request;
mod schema;
mod secrets;
mod session;
mod versions;

use std::io::{BufRead, Write};
use std::sync::mpsc;
use std::time::Duration;

fn main() -> std::process::ExitCode {
    if std::env::args().any(|argument| argument == "--version") {
        // Where nobody reads it, it is no fault.
        let _ = writeln!(
            std::io::stdout(),
            "pronghorn-engine {}",
            env!("CARGO_PKG_VERSION")
        );
        return std::process::ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    match words.next() {
        Some("path") => return path_command::run(&arguments[1..]),
        Some("generate") => {
            open_files::allow_all();
            return generate_command::run();
        }
        Some("schema") => return schema::print(),
        Some("awake") => return awake_command::run(&arguments[1..]),
        Some("guest") => return guest::run(&arguments[1..]),
        _ => {}
    }
    open_files::allow_all();
    let isolation = pronghorn_bench::enter();
    panic::end_on_panic();
    let mut session = session::Session::new(isolation);
    let mut stdout = std::io::stdout().lock();
    for line in requests() {
        let answer = session.answer(&line);
        if writeln!(stdout, "{answer}")
            .and_then(|()| stdout.flush())
            .is_err()
        {
            break;
        }
    }
    std::process::ExitCode::SUCCESS
}

/// How long what was asked before stdin closed may still take.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The lines of stdin, as they come. When it closes nobody waits for answers: the process ends soon
/// after, in the middle of a measurement if need be.
fn requests() -> mpsc::IntoIter<String> {
    let (lines, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
        drop(lines);
        std::thread::sleep(LAST_ANSWERS);
        std::process::exit(0);
    });
    requests.into_iter()
}
