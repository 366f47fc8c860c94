//! The uplink as a pair of virtual Ethernet devices.

use std::net::UdpSocket;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;

use super::{ask, configure, open};
use crate::error::BenchError;
use crate::network::congestion::TcpCongestionControl;
use crate::network::device::DEVICE;
use crate::network::level::Level;
use crate::network::netlink::Socket;
use crate::network::rtnetlink::{forwarding, new_pair, new_route, no_link};
use crate::network::setup::add_route;

/// `SIOCGSKNS` of linux/sockios.h: a descriptor of a socket's network namespace.
const NAMESPACE_OF: libc::c_int = 0x894c;

/// A descriptor of the calling thread's network namespace; works where `/proc` shows other processes.
pub(super) fn own_namespace() -> Result<OwnedFd, Errno> {
    let failed = |error: std::io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO));
    let socket = UdpSocket::bind("0.0.0.0:0").map_err(failed)?;
    // SAFETY: the socket is open; the descriptor that comes back is ours alone.
    unsafe {
        let fd = Errno::result(libc::ioctl(socket.as_raw_fd(), NAMESPACE_OF as _))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Makes the pair: one device in the calling thread's namespace, `peer` in another. `EEXIST` where
/// another bench has the level here, `EPERM` where this namespace isn't ours to change.
pub(super) fn pair(level: Level, peer: &str, elsewhere: &OwnedFd) -> Result<(), Errno> {
    Socket::open()?.ask(new_pair(&name(level), peer, elsewhere.as_fd()))
}

/// Sets up this end, in the calling thread's namespace. Where that is a client behind another path,
/// packets are passed on between the two; elsewhere that is as the host has it. `untranslated`: the
/// server's client comes with its own address.
pub(super) fn set_up_around(
    level: Level,
    congestion_control: &TcpCongestionControl,
    untranslated: bool,
) -> Result<(), BenchError> {
    let name = name(level);
    let (socket, index) = open(&name)?;
    let (here, there) = (level.uplink().into(), level.uplink_here().into());
    configure(&socket, index, &name, here)?;
    let add = |network, gateway| {
        let metrics = Some(congestion_control).into();
        let route = new_route(index, network, gateway, here, metrics);
        add_route(&socket, route, congestion_control)
    };
    add((there, 32), None)?;
    if untranslated {
        add(
            (level.address(crate::side::Side::Client).into(), 32),
            Some(there),
        )?;
    }
    if if_nametoindex(DEVICE).is_ok() {
        ask(&socket, "allow forwarding", forwarding(index))?;
    }
    Ok(())
}

/// Removes the pair; otherwise the kernel does it, a little after the server's namespace is gone.
pub(super) fn remove(level: Level) {
    if let Ok((socket, index)) = open(&name(level)) {
        let _ = socket.ask(no_link(index));
    }
}

fn name(level: Level) -> String {
    format!("pronghorn{}", level.number())
}
