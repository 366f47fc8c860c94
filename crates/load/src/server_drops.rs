//! Datagrams that the server's socket dropped, where the server is on this host.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Tables of UDP sockets (proc(5)) of the network namespace of the calling thread.
const TABLES: [&str; 2] = ["/proc/thread-self/net/udp", "/proc/thread-self/net/udp6"];
/// The columns of the local address and, as the last, of dropped datagrams.
const LOCAL: usize = 1;
const DROPS: usize = 12;

/// What the sockets at this address have dropped so far because their buffers were full; none where the address isn't this
/// host's, or no socket is at it.
pub(crate) fn server_drops(server: SocketAddr) -> Option<u64> {
    UdpSocket::bind((server.ip(), 0)).ok()?;
    let tables = TABLES.map(|table| fs::read_to_string(table).unwrap_or_default());
    let drops = tables.iter().filter_map(|table| in_table(table, server));
    drops.reduce(|one, other| one + other)
}

fn in_table(table: &str, server: SocketAddr) -> Option<u64> {
    let lines = table.lines().skip(1);
    let drops = lines.filter_map(|line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let (address, port) = columns.get(LOCAL)?.split_once(':')?;
        let is_its =
            u16::from_str_radix(port, 16) == Ok(server.port()) && takes(ip(address)?, server.ip());
        columns.get(DROPS).filter(|_| is_its)?.parse().ok()
    });
    drops.reduce(|one: u64, other| one + other)
}

/// Whether a socket that is bound to `bound` receives what is sent to `to`.
fn takes(bound: IpAddr, to: IpAddr) -> bool {
    bound == to || bound.is_unspecified()
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
    Some(Ipv6Addr::from(bytes).to_canonical())
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
            ("0000000000000000FFFF00000100007F", "127.0.0.1"),
        ] {
            let written = if cfg!(target_endian = "little") {
                ip(written)
            } else {
                continue;
            };
            assert_eq!(written, Some(address.parse().expect("an address")));
        }
    }
}
