//! TCP's congestion control algorithms in this kernel.

use std::{fs, io};

/// Which congestion control TCP's sockets on a bench's hosts use, by the kernel's name of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpCongestionControl {
    /// This one, whatever they ask for; the kernel refuses them any other (`ip-route(8)`, `congctl NAME lock`),
    /// and even this one by `setsockopt(2)`.
    Locked(String),
    /// This one where they don't ask for another. Where the kernel doesn't allow it as a namespace's default
    /// ([`TcpCongestionControl::is_default_here`]) the routes have it, and then what a program has asked for before
    /// it connects is overridden.
    Preferred(String),
}

impl TcpCongestionControl {
    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            TcpCongestionControl::Locked(name) | TcpCongestionControl::Preferred(name) => name,
        }
    }

    /// Whether sockets of the calling thread's network namespace use it where they don't ask for another.
    #[must_use]
    pub fn is_default_here(&self) -> bool {
        default_here().is_some_and(|name| name == self.name())
    }

    /// Makes it the default of the calling thread's network namespace, where it need not hold against what
    /// programs ask for, and the kernel allows it; whether that is enough and no route has to name it.
    pub(crate) fn settle(&self) -> bool {
        let TcpCongestionControl::Preferred(name) = self else {
            return false;
        };
        // The kernel's answer is in what it holds then.
        let _ = fs::write(DEFAULT, name);
        self.is_default_here()
    }
}

impl Default for TcpCongestionControl {
    /// None that a kernel has.
    fn default() -> Self {
        TcpCongestionControl::Locked(String::new())
    }
}

impl From<String> for TcpCongestionControl {
    fn from(name: String) -> Self {
        TcpCongestionControl::Locked(name)
    }
}

impl From<&str> for TcpCongestionControl {
    fn from(name: &str) -> Self {
        TcpCongestionControl::Locked(name.to_owned())
    }
}

const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// The default of the calling thread's network namespace; none where it can't be read.
pub(crate) fn default_here() -> Option<String> {
    let name = fs::read_to_string(DEFAULT).ok()?;
    Some(name.trim_end().to_owned())
}

/// The algorithms that the kernel has loaded, as `net.ipv4.tcp_available_congestion_control` lists
/// them. More may be loadable as modules by name.
pub fn available_congestion_controls() -> io::Result<Vec<String>> {
    let list = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
    Ok(list.split_ascii_whitespace().map(str::to_owned).collect())
}
