//! Following the host to another network (RFC 9000 §9): what browsers do when they are told that its
//! addresses changed.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, socket,
};
use tokio::io::unix::AsyncFd;

/// Changes of addresses and of routes (rtnetlink(7)).
const GROUPS: i32 = libc::RTMGRP_IPV4_IFADDR
    | libc::RTMGRP_IPV4_ROUTE
    | libc::RTMGRP_IPV6_IFADDR
    | libc::RTMGRP_IPV6_ROUTE;

/// Tells when packets to a server would leave from another address than before.
pub(super) struct Watch {
    changes: AsyncFd<OwnedFd>,
    server: SocketAddr,
    local: Option<IpAddr>,
}

impl Watch {
    /// Asks the kernel of the calling thread's network namespace. Must be called inside a tokio runtime.
    pub(super) fn new(server: SocketAddr) -> io::Result<Watch> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let changes = socket(
            AddressFamily::Netlink,
            SockType::Raw,
            flags,
            SockProtocol::NetlinkRoute,
        )?;
        bind(
            changes.as_raw_fd(),
            &NetlinkAddr::new(0, GROUPS.unsigned_abs()),
        )?;
        // SAFETY: the AsyncFd owns the descriptor, which nobody else closes or replaces.
        let changes = unsafe { AsyncFd::register(changes) }.map_err(io::Error::from)?;
        Ok(Watch {
            changes,
            server,
            local: local_address(server),
        })
    }

    /// Waits for another address from which the server can be reached. Errors are the watch's end.
    pub(super) async fn changed(&mut self) -> io::Result<()> {
        loop {
            let mut ready = self.changes.readable().await?;
            // What the kernel could not tell for want of room (ENOBUFS) is a change as well.
            let told = ready.try_io(|changes| Ok(recv_any(changes.as_raw_fd())?));
            if told.is_err() {
                continue;
            }
            let local = local_address(self.server);
            if local.is_some() && local != self.local {
                self.local = local;
                return Ok(());
            }
        }
    }
}

/// Takes one message, whatever it says.
fn recv_any(socket: i32) -> nix::Result<usize> {
    let mut message = [0; 4096];
    match recv(socket, &mut message, MsgFlags::empty()) {
        Err(nix::errno::Errno::ENOBUFS) => Ok(0),
        other => other,
    }
}

/// The address from which packets to `server` leave; none where it can't be reached. Sends nothing.
pub(super) fn local_address(server: SocketAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind(pronghorn_http::any_local(server)).ok()?;
    socket.connect(server).ok()?;
    Some(socket.local_addr().ok()?.ip())
}
