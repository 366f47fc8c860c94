//! Datagrams that the server's socket dropped, where the server is on this host.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Tables of UDP sockets (proc(5)) of the network namespace of the calling thread.
const TABLES: [&str; 2] = ["/proc/thread-self/net/udp", "/proc/thread-self/net/udp6"];
/// The columns of the local address and, as the last, of dropped datagrams.
const LOCAL: usize = 1;
const DROPS: usize = 12;

/// What the sockets that receive what is sent to this address have dropped so far because their buffers were full; none
/// where the address isn't this host's, or no socket is at it. The tables don't tell zones apart (RFC 4007).
pub(crate) fn server_drops(server: SocketAddr) -> Option<u64> {
    UdpSocket::bind(at_any_port(server)).ok()?;
    in_tables(
        &TABLES.map(|table| fs::read_to_string(table).unwrap_or_default()),
        server,
    )
}

/// The same address, in its zone, at a port of the kernel's choice.
fn at_any_port(mut address: SocketAddr) -> SocketAddr {
    address.set_port(0);
    address
}

/// The same of these tables: of several kinds of sockets at the port, one kind receives all.
fn in_tables(tables: &[String], server: SocketAddr) -> Option<u64> {
    let sockets = tables
        .iter()
        .flat_map(|table| table.lines().skip(1))
        .filter_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let (address, port) = columns.get(LOCAL)?.split_once(':')?;
            let is_its = u16::from_str_radix(port, 16) == Ok(server.port());
            let match_ = Match::of(ip(address).filter(|_| is_its)?, server.ip().to_canonical())?;
            Some((match_, columns.get(DROPS)?.parse::<u64>().ok()?))
        });
    let sockets: Vec<(Match, u64)> = sockets.collect();
    let (closest, _) = sockets.iter().min()?;
    let its = sockets.iter().filter(|(found, _)| found == closest);
    Some(its.map(|(_, drops)| drops).sum())
}

/// How a socket comes to receive what is sent to an address, the kernel's choice first (`compute_score` in its
/// `net/ipv4/udp.c`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// It is bound to it.
    Address,
    /// It is of IPv6 and bound to the IPv4 address (RFC 4291 §2.5.5.2).
    Mapped,
    /// It is bound to any of the family.
    Any,
    /// It is of IPv6, bound to any, and takes IPv4 as well (RFC 3493 §5.3).
    DualStack,
}

impl Match {
    /// A socket that is bound to `bound`; none where it doesn't receive what is sent to `to`. One that is bound to `::`
    /// may be IPv6's alone, which the tables don't tell: then an IPv4 server has a socket of its own.
    fn of(bound: IpAddr, to: IpAddr) -> Option<Match> {
        match (bound, to) {
            _ if bound == to => Some(Match::Address),
            _ if bound.to_canonical() == to => Some(Match::Mapped),
            (IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V4(_))
            | (IpAddr::V6(Ipv6Addr::UNSPECIFIED), IpAddr::V6(_)) => Some(Match::Any),
            (IpAddr::V6(Ipv6Addr::UNSPECIFIED), IpAddr::V4(_)) => Some(Match::DualStack),
            _ => None,
        }
    }
}

/// An address as the kernel writes it: 32 bits at a time, each in this host's order.
fn ip(hexadecimal: &str) -> Option<IpAddr> {
    let words = hexadecimal.as_bytes().chunks(8).map(|word| {
        let word = std::str::from_utf8(word).ok()?;
        Some(u32::from_str_radix(word, 16).ok()?.to_ne_bytes())
    });
    let bytes: Vec<u8> = words.collect::<Option<Vec<_>>>()?.concat();
    if let Ok(bytes) = <[u8; 4]>::try_from(&bytes[..]) {
        return Some(Ipv4Addr::from(bytes).into());
    }
    let bytes = <[u8; 16]>::try_from(&bytes[..]).ok()?;
    Some(Ipv6Addr::from(bytes).into())
}

#[cfg(test)]
mod tests {
    use socket2::SockRef;

    use super::*;

    #[test]
    fn what_a_socket_of_this_host_has_no_room_for_is_counted() {
        let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
        SockRef::from(&server)
            .set_recv_buffer_size(1)
            .expect("the least");
        let address = server.local_addr().expect("it is bound");
        assert_eq!(server_drops(address), Some(0));
        let client = UdpSocket::bind("127.0.0.1:0").expect("a port");
        for _ in 0..100 {
            client.send_to(&[0; 1000], address).expect("it goes");
        }
        let mut taken = 0;
        server.set_nonblocking(true).expect("it doesn't wait");
        while server.recv(&mut [0; 1000]).is_ok() {
            taken += 1;
        }
        assert!(taken < 100);
        assert_eq!(server_drops(address), Some(100 - taken));
        // Documentation's (RFC 5737).
        assert_eq!(server_drops("192.0.2.1:443".parse().expect("one")), None);
    }

    #[test]
    fn addresses_are_read_as_the_kernel_writes_them() {
        for (written, address) in [
            ("0100007F", "127.0.0.1"),
            ("00000000", "0.0.0.0"),
            ("00000000000000000000000001000000", "::1"),
            ("0000000000000000FFFF00000100007F", "::ffff:127.0.0.1"),
        ] {
            let written = if cfg!(target_endian = "little") {
                ip(written)
            } else {
                continue;
            };
            assert_eq!(written, Some(address.parse().expect("an address")));
        }
    }

    /// A table of sockets, given the addresses as the kernel writes them, all at port 443.
    fn table(sockets: &[(&str, u64)]) -> String {
        let lines = sockets.iter().map(|(address, drops)| {
            format!("\n 1: {address}:01BB 00000000:0000 07 0:0 00:0 0 0 0 7 2 0 {drops}")
        });
        format!("the columns' names{}", lines.collect::<String>())
    }

    const ANY_4: &str = "00000000";
    const LOCALHOST_4: &str = "0100007F";
    const ANY_6: &str = "00000000000000000000000000000000";
    const LOCALHOST_6: &str = "00000000000000000000000001000000";
    const MAPPED: &str = "0000000000000000FFFF00000100007F";

    #[test]
    #[cfg(target_endian = "little")]
    fn only_the_sockets_count_that_the_kernel_gives_the_datagrams_to() {
        let (four, six) = ("127.0.0.1:443", "[::1]:443");
        for (of_four, of_six, server, expected) in [
            // Each family has its own.
            (&[(ANY_4, 1)][..], &[][..], four, Some(1)),
            (&[(ANY_4, 1)], &[], six, None),
            (&[(ANY_4, 1)], &[(ANY_6, 2)], four, Some(1)),
            (&[(ANY_4, 1)], &[(ANY_6, 2)], six, Some(2)),
            // Dual-stack.
            (&[], &[(ANY_6, 2)], four, Some(2)),
            (&[], &[(MAPPED, 4), (ANY_6, 2)], four, Some(4)),
            (&[], &[(MAPPED, 4)], six, None),
            (&[], &[(ANY_6, 2)], "[::ffff:127.0.0.1]:443", Some(2)),
            // Who is bound to the address comes first; several share (SO_REUSEPORT).
            (&[(ANY_4, 1), (LOCALHOST_4, 8)], &[], four, Some(8)),
            (&[], &[(LOCALHOST_6, 16), (ANY_6, 2)], six, Some(16)),
            (&[(ANY_4, 1), (ANY_4, 32)], &[], four, Some(33)),
            (&[(ANY_4, 1)], &[], "127.0.0.1:80", None),
        ] {
            let tables = [table(of_four), table(of_six)];
            let server = server.parse().expect("an address");
            assert_eq!(in_tables(&tables, server), expected, "{tables:?}, {server}");
        }
    }

    #[test]
    fn the_zone_of_an_address_is_kept() {
        let server = std::net::SocketAddrV6::new(Ipv6Addr::LOCALHOST, 443, 0, 7);
        let SocketAddr::V6(found) = at_any_port(server.into()) else {
            panic!("it is IPv6's");
        };
        assert_eq!((found.port(), found.scope_id()), (0, 7));
    }
}
