//! The TCP connections of the calling thread's network namespace, as the kernel tells (`sock_diag(7)`).

use nix::errno::Errno;

use crate::network::connection_state::ConnectionState;
use crate::network::netlink::Socket;
use crate::network::sock_diag::{CONGESTION_CONTROL, Message, list};

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

/// All, whether their sockets are of IPv4 or of IPv6. The error is the kernel's.
pub(crate) fn connections_here() -> Result<Vec<Connection>, Errno> {
    let found = list(&Socket::of_sockets()?, &[CONGESTION_CONTROL])?;
    Ok(found.iter().filter_map(connection).collect())
}

fn connection(message: &Message) -> Option<Connection> {
    let ends = message.ends()?;
    Some(Connection {
        local_port: ends.local.port(),
        peer_port: ends.peer.port(),
        state: message.state()?,
        congestion_control: message.congestion_control()?.to_owned(),
    })
}
