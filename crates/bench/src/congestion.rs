//! TCP's congestion control algorithms in this kernel.

use std::{fs, io};

/// The algorithms that the kernel has loaded, as `net.ipv4.tcp_available_congestion_control` lists
/// them. More may be loadable as modules by name.
pub fn available_congestion_controls() -> io::Result<Vec<String>> {
    let list = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
    Ok(list.split_ascii_whitespace().map(str::to_owned).collect())
}
