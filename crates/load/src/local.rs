//! What this host itself refuses, which says nothing of the server.

use std::io;

use nix::errno::Errno;

use crate::connection::{ConnectionFailure, ConnectionFailureKind};

/// Why this host makes no connection, and what mends that. To be asked of an error that a system call came back with at once: what a socket tells
/// later may be the answer of the network. None: it isn't this host that refuses.
pub(crate) fn refusal(error: &io::Error) -> Option<ConnectionFailure> {
    let mend = match Errno::from_raw(error.raw_os_error()?) {
        Errno::EMFILE => {
            "its processes may open no more files: raise `ulimit -n`, or use fewer connections"
        }
        Errno::ENFILE => "it may open no more files: raise the sysctl fs.file-max",
        // connect(2): "all port numbers in the ephemeral port range are currently in use".
        Errno::EADDRNOTAVAIL | Errno::EADDRINUSE | Errno::EAGAIN => {
            "it has no address or no free port left for that: widen the sysctl net.ipv4.ip_local_port_range, keep connections, or use fewer"
        }
        Errno::ENOBUFS | Errno::ENOMEM => "it has no memory left for that: use fewer connections",
        Errno::EPERM | Errno::EACCES => {
            "it doesn't allow that: look at its firewall (nft list ruleset)"
        }
        _ => return None,
    };
    let detail = format!("this host refuses it ({error}); {mend}");
    Some(ConnectionFailure::new(ConnectionFailureKind::Local, detail))
}

/// Why a request's content can't be read any more.
pub(crate) fn unreadable(error: &io::Error) -> ConnectionFailure {
    let detail = format!(
        "this host refuses it (a body's file can't be read: {error}); leave the file as it is during the load"
    );
    ConnectionFailure::new(ConnectionFailureKind::Local, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_host_lacks_is_its_own_with_a_mend_and_what_the_network_answers_is_not() {
        for (errno, mend) in [
            (Errno::EMFILE, "ulimit -n"),
            (Errno::ENFILE, "fs.file-max"),
            (Errno::EADDRNOTAVAIL, "ip_local_port_range"),
            (Errno::EADDRINUSE, "ip_local_port_range"),
            (Errno::ENOBUFS, "memory"),
            (Errno::EPERM, "firewall"),
            (Errno::EACCES, "firewall"),
        ] {
            let failure = refusal(&errno.into()).expect("its own");
            assert_eq!(failure.kind, ConnectionFailureKind::Local, "{errno}");
            assert!(failure.detail.contains(mend), "{}", failure.detail);
        }
        for errno in [
            Errno::ECONNREFUSED,
            Errno::ENETUNREACH,
            Errno::EHOSTUNREACH,
            Errno::ETIMEDOUT,
            Errno::ECONNRESET,
        ] {
            assert!(refusal(&errno.into()).is_none(), "{errno}");
        }
    }
}
