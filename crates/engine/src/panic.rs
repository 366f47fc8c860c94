//! What of an engine that has a bug is told.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::Write;

use crate::foreign;

/// The exit status of an engine that has panicked.
const BUG: i32 = 70;

/// A thread that panics ends the engine: a measurement that waited for it would never know. What it says of itself
/// and its exit status tell that the fault is the engine's own.
pub(crate) fn end_on_panic() {
    std::panic::set_hook(Box::new(move |panic| {
        let told = foreign::visible(&panic.to_string());
        let mut stderr = std::io::stderr();
        let _ = writeln!(
            stderr,
            "pronghorn-engine: a bug in the engine itself: {told}"
        );
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(stderr, "{trace}");
        }
        // SAFETY: ends the process at once; destructors of a broken engine are not to be trusted.
        unsafe { libc::_exit(BUG) }
    }));
}
