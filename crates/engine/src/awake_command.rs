//! `pronghorn-engine awake FILE`: keeps the host's CPUs from halting until stdin closes, as [`pronghorn_bench::awake`] says.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

/// Writes `awake` once all CPUs are. Exit status 1 where they can't be kept so.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let [file] = arguments else {
        eprintln!(
            "pronghorn-engine awake: wants a file in which to note the CPU time that it uses"
        );
        return ExitCode::from(2);
    };
    if let Err(error) = pronghorn_bench::awake::keep(Path::new(file)) {
        eprintln!(
            "pronghorn-engine awake: {}",
            crate::foreign::visible(&error.to_string())
        );
        return ExitCode::FAILURE;
    }
    println!("awake");
    // Whoever wants it holds the other end; nothing is ever said there.
    let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
    ExitCode::SUCCESS
}
