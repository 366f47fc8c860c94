//! UDP sockets of QUIC endpoints, with room for what comes in bursts.

use std::fmt;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;

use nix::sys::socket::{setsockopt, sockopt};
use quinn::{AsyncUdpSocket, Endpoint, Runtime, TokioRuntime};
use socket2::SockRef;

use crate::TransportKnobs;

/// Bytes of receive buffer that our QUIC sockets ask for, at both ends, where nothing else is asked of them: what Chromium
/// asks for (`kQuicSocketReceiveBufferSize`, 1 MiB, net/quic/quic_context.h). Linux's default of 208 KiB, as it counts
/// memory, holds some 90 full datagrams, fewer than a window of a fast path.
pub const UDP_RECEIVE_BUFFER: usize = 1 << 20;

/// Why a UDP socket can't be had.
#[derive(Debug, thiserror::Error)]
pub enum UdpError {
    /// It can't be bound, or the kernel doesn't take its options.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Less buffer than was asked for.
    #[error("the kernel gives a UDP socket a {buffer} buffer of {given} bytes, not {asked}")]
    Buffer {
        /// Which one.
        buffer: Buffer,
        /// Half of what SO_RCVBUF or SO_SNDBUF tells, as it is asked for.
        given: usize,
        /// What was asked for.
        asked: usize,
    },
}

/// A socket's buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// What has come and wasn't read yet.
    Receive,
    /// What waits for the device.
    Send,
}

impl Buffer {
    /// The setting that bounds it where this process may not exceed that.
    pub fn limit(self) -> &'static str {
        match self {
            Buffer::Receive => "net.core.rmem_max",
            Buffer::Send => "net.core.wmem_max",
        }
    }

    /// Asks for so many bytes, as an administrator where that is possible: then the limit doesn't count. Gives what the
    /// kernel has then, which is twice as many or what the limit allows.
    fn ask(self, socket: &UdpSocket, bytes: usize) -> io::Result<usize> {
        let forced = match self {
            Buffer::Receive => setsockopt(socket, sockopt::RcvBufForce, &bytes),
            Buffer::Send => setsockopt(socket, sockopt::SndBufForce, &bytes),
        };
        let plain = SockRef::from(socket);
        if forced.is_err() {
            match self {
                Buffer::Receive => plain.set_recv_buffer_size(bytes)?,
                Buffer::Send => plain.set_send_buffer_size(bytes)?,
            }
        }
        self.of(socket)
    }

    /// Its bytes, as the kernel tells.
    pub(crate) fn of(self, socket: &UdpSocket) -> io::Result<usize> {
        let socket = SockRef::from(socket);
        match self {
            Buffer::Receive => socket.recv_buffer_size(),
            Buffer::Send => socket.send_buffer_size(),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Buffer::Receive => "receive",
            Buffer::Send => "send",
        })
    }
}

/// Binds a UDP socket that has the buffers which `knobs` ask for, and else asked for [`UDP_RECEIVE_BUFFER`].
pub fn bind_udp(
    address: impl Into<SocketAddr>,
    knobs: &TransportKnobs,
) -> Result<UdpSocket, UdpError> {
    let socket = UdpSocket::bind(address.into())?;
    if knobs.udp_receive_buffer.is_none() {
        Buffer::Receive.ask(&socket, UDP_RECEIVE_BUFFER)?;
    }
    for (buffer, asked) in [
        (Buffer::Receive, knobs.udp_receive_buffer),
        (Buffer::Send, knobs.udp_send_buffer),
    ] {
        let Some(asked) = asked.map(|bytes| bytes as usize) else {
            continue;
        };
        let given = buffer.ask(&socket, asked)? / 2;
        if given < asked {
            return Err(UdpError::Buffer {
                buffer,
                given,
                asked,
            });
        }
    }
    Ok(socket)
}

/// A bound socket as quinn uses it.
#[derive(Debug, Clone)]
pub struct QuicSocket {
    pub(crate) socket: Arc<dyn AsyncUdpSocket>,
    receive_buffer: usize,
    send_buffer: usize,
}

impl QuicSocket {
    /// Takes over a bound socket. Must be called inside a tokio runtime.
    pub fn new(socket: UdpSocket) -> io::Result<QuicSocket> {
        let [receive_buffer, send_buffer] =
            [Buffer::Receive.of(&socket)?, Buffer::Send.of(&socket)?];
        Ok(QuicSocket {
            socket: TokioRuntime.wrap_udp_socket(socket)?,
            receive_buffer,
            send_buffer,
        })
    }

    /// Has an endpoint use this socket instead of its own.
    pub fn replace(&self, endpoint: &Endpoint) -> io::Result<()> {
        endpoint.rebind_abstract(self.socket.clone())
    }

    /// The bytes of receive buffer that the kernel has given it, as SO_RCVBUF tells them: Linux's are twice those asked for,
    /// since its bookkeeping counts as well (socket(7)).
    #[must_use]
    pub fn receive_buffer(&self) -> usize {
        self.receive_buffer
    }

    /// Those of its send buffer, as SO_SNDBUF tells them.
    #[must_use]
    pub fn send_buffer(&self) -> usize {
        self.send_buffer
    }

    /// Whether it takes several datagrams at once. The kernel may prove not to while it is used.
    pub(crate) fn takes_several_at_once(&self) -> bool {
        self.socket.max_transmit_segments() > 1
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn limit(buffer: Buffer) -> usize {
        let file = format!("/proc/sys/{}", buffer.limit().replace('.', "/"));
        let text = std::fs::read_to_string(file).expect("the limit");
        text.trim().parse().expect("a number")
    }

    #[test]
    fn a_socket_has_all_that_was_asked_for_or_what_the_host_allows() {
        let socket = bind_udp((Ipv4Addr::LOCALHOST, 0), &TransportKnobs::default());
        let socket = socket.expect("a socket");
        let has = Buffer::Receive.of(&socket).expect("its buffer");
        assert!(has >= 2 * UDP_RECEIVE_BUFFER.min(limit(Buffer::Receive)));
    }

    #[test]
    fn buffers_are_as_the_knobs_ask() {
        let knobs = TransportKnobs {
            udp_receive_buffer: Some(64 << 10),
            udp_send_buffer: Some(48 << 10),
            ..TransportKnobs::default()
        };
        let socket = bind_udp((Ipv4Addr::LOCALHOST, 0), &knobs).expect("every host allows them");
        assert_eq!(Buffer::Receive.of(&socket).expect("its buffer"), 128 << 10);
        assert_eq!(Buffer::Send.of(&socket).expect("its buffer"), 96 << 10);
    }
}
