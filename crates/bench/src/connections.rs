//! The TCP connections of the calling thread's network namespace, as the kernel tells (`sock_diag(7)`).

use std::fmt;

use nix::errno::Errno;

use crate::netlink::{Request, Socket, attribute};

/// A TCP connection, whose congestion control is that of its sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The port at this end.
    pub local_port: u16,
    /// The port at the other end.
    pub peer_port: u16,
    /// How far it is.
    pub state: ConnectionState,
    /// The kernel's name of its congestion control.
    pub congestion_control: String,
}

/// The states of a connection between its handshake and its end (RFC 9293, section 3.3.2), but for those that have
/// nothing to send any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Both ends may send.
    Established,
    /// This end has closed; its FIN isn't acknowledged yet.
    FinWait1,
    /// This end has closed; the other may send.
    FinWait2,
    /// The other end has closed; this one may send.
    CloseWait,
    /// Both have closed; this end's FIN isn't acknowledged yet.
    LastAck,
    /// Both have closed at the same time.
    Closing,
}

/// Each state with its number in the kernel (`include/net/tcp_states.h`) and its name, as `ss(8)` has it.
const STATES: [(ConnectionState, u8, &str); 6] = [
    (ConnectionState::Established, 1, "established"),
    (ConnectionState::FinWait1, 4, "fin-wait-1"),
    (ConnectionState::FinWait2, 5, "fin-wait-2"),
    (ConnectionState::CloseWait, 8, "close-wait"),
    (ConnectionState::LastAck, 9, "last-ack"),
    (ConnectionState::Closing, 11, "closing"),
];

impl fmt::Display for ConnectionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = STATES.iter().find(|(state, ..)| state == self);
        f.write_str(name.map_or("", |(_, _, name)| name))
    }
}

// `struct inet_diag_req_v2` and `struct inet_diag_msg` (`include/uapi/linux/inet_diag.h`).
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const REQUEST_BYTES: usize = 56;
const MESSAGE_BYTES: usize = 72;
const STATE: usize = 1;
const LOCAL_PORT: usize = 4;
const PEER_PORT: usize = 6;
const LOCAL_ADDRESS: usize = 8;
const INET_DIAG_CONG: u16 = 4;

/// What an IPv4 address begins with where a socket of IPv6 has it (RFC 4291, section 2.5.5.2).
const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/// All of IPv4, whether their sockets are of IPv4 or of IPv6. The error is the kernel's.
pub(crate) fn connections_here() -> Result<Vec<Connection>, Errno> {
    let socket = Socket::of_sockets()?;
    let mut found = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        let messages = match socket.list(request(family)) {
            // Kernels without IPv6 have none of its sockets.
            Err(Errno::ENOENT) if family == libc::AF_INET6 => continue,
            other => other?,
        };
        let of_ipv4 = |message: &&Vec<u8>| {
            let address = message.get(LOCAL_ADDRESS..);
            family == libc::AF_INET || address.is_some_and(|address| address.starts_with(&MAPPED))
        };
        found.extend(messages.iter().filter(of_ipv4).filter_map(|m| parse(m)));
    }
    Ok(found)
}

fn request(family: i32) -> Request {
    let states = STATES
        .iter()
        .map(|(_, number, _)| 1u32 << number)
        .sum::<u32>();
    let mut body = [0; REQUEST_BYTES];
    body[0] = family as u8;
    body[1] = libc::IPPROTO_TCP as u8;
    body[2] = 1 << (INET_DIAG_CONG - 1);
    body[4..8].copy_from_slice(&states.to_ne_bytes());
    Request::new(SOCK_DIAG_BY_FAMILY, 0, &body)
}

fn parse(message: &[u8]) -> Option<Connection> {
    let port = |at: usize| {
        Some(u16::from_be_bytes(
            message.get(at..at + 2)?.try_into().ok()?,
        ))
    };
    let number = *message.get(STATE)?;
    let (state, ..) = STATES.iter().find(|(_, known, _)| *known == number)?;
    let name = attribute(message.get(MESSAGE_BYTES..)?, INET_DIAG_CONG)?;
    let name = name.split(|byte| *byte == 0).next()?;
    Some(Connection {
        local_port: port(LOCAL_PORT)?,
        peer_port: port(PEER_PORT)?,
        state: *state,
        congestion_control: String::from_utf8_lossy(name).into_owned(),
    })
}
