//! The uplink of a process that may not change the network around it: `pasta` moves the data between a
//! tap device at the server and ordinary sockets around (passt(1)).

use std::ffi::OsString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::net::if_::if_nametoindex;

use super::UplinkError;
use crate::error::SpawnError;
use crate::network::level::Level;
use crate::processes::host::Host;
use crate::processes::process::{Process, Program};

/// How long `pasta` may take to make its device.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(2);

/// Starts `pasta` around here for the namespace `far` of `server`, and waits until `device` is there.
/// The host that comes back holds it.
pub(super) fn connect(
    level: Level,
    server: &Host,
    far: &OwnedFd,
    device: &'static str,
) -> Result<Host, UplinkError> {
    let around = Host::local().map_err(UplinkError::Threads)?;
    fcntl(far, FcntlArg::F_SETFD(FdFlag::empty())).map_err(|e| UplinkError::Threads(e.into()))?;
    let number = far.as_raw_fd();
    // Versions before 2023-05 drop the right to look into other processes before they open the
    // namespace; those from 2024 on close what they inherit.
    let paths = [
        format!("/proc/self/fd/{number}"),
        format!("/proc/{}/fd/{number}", std::process::id()),
    ];
    let mut last = String::new();
    for path in paths {
        let pasta = match around.spawn(program(level, &path, device)) {
            Ok(pasta) => pasta,
            Err(SpawnError::Start { source, .. })
                if source.raw_os_error() == Some(Errno::ENOENT as i32) =>
            {
                return Err(UplinkError::NoPasta);
            }
            Err(error) => return Err(error.into()),
        };
        match appears(server, &pasta, device) {
            Ok(()) => {
                // Nothing else that is started is to hold the namespace.
                let _ = fcntl(far, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC));
                return Ok(around);
            }
            Err(reason) => last = reason,
        }
    }
    Err(UplinkError::Pasta(last))
}

/// No ports of the far host are offered around here, and no address of its is configured by `pasta`;
/// its gateway stands for this machine's loopback.
fn program(level: Level, namespace: &str, device: &str) -> Program {
    let (address, gateway) = (level.uplink_here().to_string(), level.uplink().to_string());
    let words = [
        "pasta",
        "--foreground",
        "--quiet",
        "--ipv4-only",
        "--no-dhcp",
        "--address",
        &address,
        "--netmask",
        "30",
        "--gateway",
        &gateway,
        "--ns-ifname",
        device,
        "--tcp-ports",
        "none",
        "--udp-ports",
        "none",
        "--tcp-ns",
        "none",
        "--udp-ns",
        "none",
        "--netns-only",
        "--netns",
        namespace,
    ];
    Program {
        argv: words.iter().map(OsString::from).collect(),
        ..Program::default()
    }
}

fn appears(server: &Host, pasta: &Process, device: &'static str) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if server.within(move || if_nametoindex(device).is_ok()) {
            return Ok(());
        }
        if let Ok(Some(status)) = pasta.wait(Some(PAUSE)) {
            return Err(format!("it ended with {status}"));
        }
        if Instant::now() > deadline {
            let _ = pasta.signal(libc::SIGKILL);
            return Err("it made no device".into());
        }
    }
}
