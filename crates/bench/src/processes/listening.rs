//! What is bound to a port of the calling thread's network namespace, as `/proc/net` tells (`proc_net(5)`).

use std::{fs, io};

/// A port, and the protocols by which something is to be bound to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its number.
    pub number: u16,
    /// Whether a TCP socket is to listen there.
    pub tcp: bool,
    /// Whether a UDP socket without a peer is to be bound there.
    pub udp: bool,
}

impl Port {
    /// Whether all that is asked for is there, at whatever address, of IPv4 or IPv6. Fails where the kernel's
    /// tables can't be read.
    pub(crate) fn is_bound_here(self) -> io::Result<bool> {
        Ok(
            (!self.tcp || self.is_bound_over("tcp")?)
                && (!self.udp || self.is_bound_over("udp")?),
        )
    }

    fn is_bound_over(self, protocol: &str) -> io::Result<bool> {
        // `/proc/net` would show the namespace of the process's first thread.
        let four = fs::read_to_string(format!("/proc/thread-self/net/{protocol}"))?;
        if is_bound(&four, self.number) {
            return Ok(true);
        }
        // Absent where the kernel has no IPv6.
        let six = fs::read_to_string(format!("/proc/thread-self/net/{protocol}6"));
        Ok(six.is_ok_and(|table| is_bound(&table, self.number)))
    }
}

/// Whether a socket of `table` is bound to `port` and has no peer, as one that listens, and an unconnected one of UDP.
fn is_bound(table: &str, port: u16) -> bool {
    table.lines().skip(1).any(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let own = columns.next().and_then(port_of);
        let peer = columns.next().and_then(port_of);
        let state = columns
            .next()
            .and_then(|state| u8::from_str_radix(state, 16).ok());
        own == Some(port) && peer == Some(0) && matches!(state, Some(LISTEN | UNCONNECTED))
    })
}

/// `TCP_LISTEN`, and `TCP_CLOSE`, which for UDP means that a socket has no peer (`include/net/tcp_states.h`).
const LISTEN: u8 = 10;
const UNCONNECTED: u8 = 7;

/// The port of `ADDRESS:PORT`, both hexadecimal.
fn port_of(endpoint: &str) -> Option<u16> {
    let (_, port) = endpoint.rsplit_once(':')?;
    u16::from_str_radix(port, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr\n   \
         0: 00000000:01BB 00000000:0000 0A 00000000:00000000 00\n   \
         1: 020012C6:0050 010012C6:CB1A 01 00000000:00000000 00\n";
    const UDP6: &str = "  sl  local_address                         remote_address st\n \
         7: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 07 0:0\n \
         8: 00000000000000000000000000000000:0035 0000000000000000FFFF0000020012C6:01BB 01 0:0\n";

    #[test]
    fn a_socket_that_listens_is_bound_and_a_connection_is_not() {
        assert!(is_bound(TCP, 443));
        assert!(!is_bound(TCP, 80));
        assert!(!is_bound(TCP, 444));
    }

    #[test]
    fn a_socket_of_udp_is_bound_unless_it_has_a_peer() {
        assert!(is_bound(UDP6, 443));
        assert!(!is_bound(UDP6, 53));
    }
}
