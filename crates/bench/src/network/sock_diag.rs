//! What the kernel tells of TCP sockets (`sock_diag(7)`): of all of a network namespace, for which it looks
//! through the machine's whole table, or of one whose ends are known, which costs a few microseconds.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use nix::errno::Errno;

use crate::network::connection_state::ConnectionState;
use crate::network::netlink::{Request, Socket, attribute};

/// Attributes of an answer (`INET_DIAG_*` of `include/uapi/linux/inet_diag.h`).
pub(crate) const INFO: u16 = 2;
pub(crate) const CONGESTION_CONTROL: u16 = 4;

// `struct inet_diag_req_v2` and `struct inet_diag_msg`, each with a `struct inet_diag_sockid`.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const REQUEST_BYTES: usize = 56;
const REQUEST_ID: usize = 8;
const MESSAGE_BYTES: usize = 72;
const MESSAGE_ID: usize = 4;
const FAMILY: usize = 0;
const STATE: usize = 1;
const LOCAL_PORT: usize = 0;
const PEER_PORT: usize = 2;
const LOCAL_ADDRESS: usize = 4;
const PEER_ADDRESS: usize = 20;
const COOKIE: usize = 40;
/// `INET_DIAG_NOCOOKIE`, twice.
const ANY_COOKIE: u64 = u64::MAX;

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
}

/// One socket, as the kernel tells of it.
pub(crate) struct Message(Vec<u8>);

/// All connections, whether their sockets are of IPv4 or of IPv6, with `attributes`. The error is the kernel's.
pub(crate) fn list(socket: &Socket, attributes: &[u16]) -> Result<Vec<Message>, Errno> {
    let mut found = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        let request = request(family, attributes, ConnectionState::all(), &[]);
        let messages = match socket.list(request) {
            // Kernels without IPv6 have none of its sockets.
            Err(Errno::ENOENT) if family == libc::AF_INET6 => continue,
            other => other?,
        };
        let messages = messages.into_iter().map(Message);
        found.extend(messages.filter(|message| message.ends().is_some()));
    }
    Ok(found)
}

/// The socket between these ends, which is the one with that `cookie` if there is one; none where there isn't any. The
/// kernel may find one that listens instead. The error is the kernel's.
pub(crate) fn look_up(
    socket: &Socket,
    ends: Ends,
    cookie: Option<u64>,
    attributes: &[u16],
) -> Result<Option<Message>, Errno> {
    let mut id = [0; COOKIE + 8];
    id[LOCAL_PORT..][..2].copy_from_slice(&ends.local.port().to_be_bytes());
    id[PEER_PORT..][..2].copy_from_slice(&ends.peer.port().to_be_bytes());
    let mut put = |at: usize, address: IpAddr| match address {
        IpAddr::V4(address) => id[at..][..4].copy_from_slice(&address.octets()),
        IpAddr::V6(address) => id[at..][..16].copy_from_slice(&address.octets()),
    };
    put(LOCAL_ADDRESS, ends.local.ip());
    put(PEER_ADDRESS, ends.peer.ip());
    id[COOKIE..].copy_from_slice(&cookie.unwrap_or(ANY_COOKIE).to_ne_bytes());
    let family = match ends.local {
        SocketAddr::V4(_) => libc::AF_INET,
        SocketAddr::V6(_) => libc::AF_INET6,
    };
    let request = request(family, attributes, u32::MAX, &id);
    match socket.get(request) {
        Ok(message) => Ok(Some(Message(message))),
        Err(Errno::ENOENT | Errno::ESTALE) => Ok(None),
        Err(error) => Err(error),
    }
}

fn request(family: i32, attributes: &[u16], states: u32, id: &[u8]) -> Request {
    let wanted = attributes.iter().map(|kind| 1_u8 << (kind - 1));
    let mut body = [0; REQUEST_BYTES];
    body[0] = family as u8;
    body[1] = libc::IPPROTO_TCP as u8;
    body[2] = wanted.sum();
    body[4..8].copy_from_slice(&states.to_ne_bytes());
    body[REQUEST_ID..][..id.len()].copy_from_slice(id);
    Request::new(SOCK_DIAG_BY_FAMILY, 0, &body)
}

impl Message {
    /// How far the connection is; none of a socket that is no connection yet or any more.
    pub(crate) fn state(&self) -> Option<ConnectionState> {
        ConnectionState::of_number(*self.0.get(STATE)?)
    }

    /// Its ends; those of IPv4 as such where a socket of IPv6 has them (RFC 4291, section 2.5.5.2).
    pub(crate) fn ends(&self) -> Option<Ends> {
        let id = self.0.get(MESSAGE_ID..MESSAGE_BYTES)?;
        let end = |address: usize, port: usize| {
            let address: IpAddr = match i32::from(*self.0.get(FAMILY)?) {
                libc::AF_INET => IpAddr::from(*id.get(address..)?.first_chunk::<4>()?),
                _ => Ipv6Addr::from(*id.get(address..)?.first_chunk::<16>()?).to_canonical(),
            };
            let port = id.get(port..port + 2)?.try_into().ok()?;
            Some(SocketAddr::new(address, u16::from_be_bytes(port)))
        };
        Some(Ends {
            local: end(LOCAL_ADDRESS, LOCAL_PORT)?,
            peer: end(PEER_ADDRESS, PEER_PORT)?,
        })
    }

    /// The kernel's number of the socket, which no other one has or will have.
    pub(crate) fn cookie(&self) -> Option<u64> {
        let at = MESSAGE_ID + COOKIE;
        let bytes = self.0.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_ne_bytes(bytes))
    }

    /// The name of its congestion control, where that attribute was asked for.
    pub(crate) fn congestion_control(&self) -> Option<&str> {
        let name = self.attribute(CONGESTION_CONTROL)?;
        let name = name.split(|byte| *byte == 0).next()?;
        std::str::from_utf8(name).ok()
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, kind: u16) -> Option<&[u8]> {
        attribute(self.0.get(MESSAGE_BYTES..)?, kind)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn message(family: i32, local: &[u8], peer: &[u8]) -> Message {
        let mut bytes = vec![0; MESSAGE_BYTES];
        bytes[FAMILY] = family as u8;
        bytes[STATE] = 1;
        let id = &mut bytes[MESSAGE_ID..];
        id[LOCAL_PORT..][..2].copy_from_slice(&443_u16.to_be_bytes());
        id[PEER_PORT..][..2].copy_from_slice(&50_000_u16.to_be_bytes());
        id[LOCAL_ADDRESS..][..local.len()].copy_from_slice(local);
        id[PEER_ADDRESS..][..peer.len()].copy_from_slice(peer);
        id[COOKIE..][..8].copy_from_slice(&77_u64.to_ne_bytes());
        bytes.extend(10_u16.to_ne_bytes());
        bytes.extend(CONGESTION_CONTROL.to_ne_bytes());
        bytes.extend(b"cubic\0\0\0");
        Message(bytes)
    }

    #[test]
    fn an_ipv4_connection_is_told_by_sockets_of_both_families() {
        let ends = Ends {
            local: SocketAddr::from(([198, 18, 0, 2], 443)),
            peer: SocketAddr::from(([198, 18, 0, 1], 50_000)),
        };
        let four = message(libc::AF_INET, &[198, 18, 0, 2], &[198, 18, 0, 1]);
        let mapped = |host| Ipv4Addr::new(198, 18, 0, host).to_ipv6_mapped().octets();
        let six = message(libc::AF_INET6, &mapped(2), &mapped(1));
        for message in [four, six] {
            assert_eq!(message.ends(), Some(ends));
            assert_eq!(message.cookie(), Some(77));
            assert_eq!(message.state(), Some(ConnectionState::Established));
            assert_eq!(message.congestion_control(), Some("cubic"));
            assert_eq!(message.attribute(INFO), None);
        }
    }

    #[test]
    fn an_ipv6_connection_has_ends_and_cut_messages_have_none() {
        let ends = Ends {
            local: SocketAddr::from(([0x20; 16], 443)),
            peer: SocketAddr::from(([0x21; 16], 50_000)),
        };
        let six = message(libc::AF_INET6, &[0x20; 16], &[0x21; 16]);
        assert_eq!(six.ends(), Some(ends));
        for whole in [
            six.0,
            message(libc::AF_INET, &[198, 18, 0, 2], &[198, 18, 0, 1]).0,
        ] {
            for length in 0..MESSAGE_BYTES {
                let cut = Message(whole[..length].to_vec());
                assert_eq!((cut.ends(), cut.congestion_control()), (None, None));
            }
        }
    }
}
