//! UDP sockets of QUIC endpoints, with room for what comes in bursts.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use nix::sys::socket::{setsockopt, sockopt};
use socket2::SockRef;

/// Bytes of receive buffer that our QUIC sockets ask for, at both ends: what Chromium asks for
/// (`kQuicSocketReceiveBufferSize`, 1 MiB, net/quic/quic_context.h). Linux's default of 208 KiB, as it counts
/// memory, holds some 90 full datagrams, fewer than a window of a fast path.
pub const UDP_RECEIVE_BUFFER: usize = 1 << 20;

/// A bound UDP socket that has asked for [`UDP_RECEIVE_BUFFER`].
pub fn bind_udp(address: impl Into<SocketAddr>) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address.into())?;
    // SO_RCVBUFFORCE needs CAP_NET_ADMIN; without it SO_RCVBUF gives what net.core.rmem_max allows.
    if setsockopt(&socket, sockopt::RcvBufForce, &UDP_RECEIVE_BUFFER).is_err() {
        SockRef::from(&socket).set_recv_buffer_size(UDP_RECEIVE_BUFFER)?;
    }
    Ok(socket)
}

/// The bytes of receive buffer that the kernel has given a socket, as SO_RCVBUF tells them: Linux's are
/// twice those asked for, since its bookkeeping counts as well (socket(7)).
pub fn receive_buffer_of<'s>(socket: impl Into<SockRef<'s>>) -> io::Result<usize> {
    socket.into().recv_buffer_size()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_socket_has_all_that_was_asked_for_or_what_the_host_allows() {
        let socket = bind_udp((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
        let has = receive_buffer_of(&socket).expect("its buffer");
        let most = std::fs::read_to_string("/proc/sys/net/core/rmem_max").expect("the limit");
        let most: usize = most.trim().parse().expect("a number");
        assert!(has >= 2 * UDP_RECEIVE_BUFFER.min(most));
    }
}
