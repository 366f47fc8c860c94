//! How many files the engine may open, of which each connection is one.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises the soft limit to the hard one, which needs no privilege (getrlimit(2)): the soft one is as low as 1024 for the sake of programs that use
/// select(2). Programs that the engine starts inherit it. Where the kernel refuses, it stays, and what it is too low for is told then.
pub(crate) fn allow_all() {
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
