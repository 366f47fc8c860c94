//! The processes that `/proc` shows.

use std::fs;

use nix::unistd::getpid;

/// Whether `/proc` shows the numbers of this process's own PID namespace. It doesn't where an outer one had to stay
/// mounted.
pub(crate) fn proc_is_ours() -> bool {
    let shown = fs::read_link("/proc/self").ok();
    shown.as_deref().and_then(|pid| pid.to_str()) == Some(&getpid().to_string())
}

/// The numbers of all processes that `/proc` shows, in its order; none where it can't be read.
pub(crate) fn numbers() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
