//! New TCP connections of a host, as their first packets arrive: a server's by the SYN, a client's by the SYN that answers.
//!
//! A list of the host's sockets would tell them as well, but for each list the kernel looks through the whole machine's
//! table. A packet socket whose filter lets nothing but these packets through (`packet(7)`) costs as good as nothing, and
//! misses no connection that is over before the next list.

use std::net::SocketAddr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;

use pronghorn_path::Family;

use crate::driver::wire::addresses;
use crate::network::sock_diag::Ends;

/// A packet socket in the network namespace of the thread that opened it.
pub(crate) struct Handshakes(OwnedFd);

/// How many bytes of a packet are taken: the longest IPv4 header and TCP's fixed one.
const TAKEN: usize = 80;
const PROTOCOL: usize = 9;
/// In IPv6's header, whose length is always the same.
const NEXT_HEADER: usize = 6;
const IPV6_HEADER: usize = 40;
const TCP_FLAGS: usize = 13;
const SYN: u8 = 2;

impl Handshakes {
    /// Watches those over `family` from now on. The error is the kernel's.
    pub(crate) fn watch(family: Family) -> Result<Handshakes, Errno> {
        let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: a plain system call; the descriptor it returns is ours alone. Of no protocol, it takes nothing yet.
        let socket = unsafe {
            let fd = Errno::result(libc::socket(libc::AF_PACKET, kind, 0))?;
            OwnedFd::from_raw_fd(fd)
        };
        let mut filter = filter(family);
        let program = libc::sock_fprog {
            len: filter.len() as libc::c_ushort,
            filter: filter.as_mut_ptr(),
        };
        // SAFETY: the kernel copies the program, of which pointer and length are right, during the call.
        let attached = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_ATTACH_FILTER,
                (&raw const program).cast(),
                size_of::<libc::sock_fprog>() as libc::socklen_t,
            )
        };
        Errno::result(attached)?;
        // Of one protocol, so that it gets what arrives and not what leaves; on all devices.
        // SAFETY: all zeroes are a valid value of this plain structure.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as libc::c_ushort;
        let protocol = match family {
            Family::Four => libc::ETH_P_IP,
            Family::Six => libc::ETH_P_IPV6,
        };
        address.sll_protocol = (protocol as u16).to_be();
        // SAFETY: the address outlives the call and is as long as said.
        let bound = unsafe {
            libc::bind(
                socket.as_raw_fd(),
                (&raw const address).cast(),
                size_of::<libc::sockaddr_ll>() as libc::socklen_t,
            )
        };
        Errno::result(bound)?;
        Ok(Handshakes(socket))
    }

    /// The ends of connections to whose handshakes packets have come since the last call, as this host has them; a packet
    /// that came again is told again. Never waits.
    pub(crate) fn take(&self) -> Vec<Ends> {
        let mut found = Vec::new();
        let mut packet = [0_u8; TAKEN];
        loop {
            // SAFETY: the buffer outlives the call and is as long as said.
            let received = unsafe {
                libc::recv(
                    self.0.as_raw_fd(),
                    packet.as_mut_ptr().cast(),
                    packet.len(),
                    0,
                )
            };
            match Errno::result(received) {
                Ok(received) => {
                    let packet = packet.get(..received as usize).unwrap_or_default();
                    found.extend(ends_of(packet));
                }
                Err(Errno::EINTR) => {}
                // Nothing is left, or the device went with its namespace.
                Err(_) => return found,
            }
        }
    }
}

/// Of packets that begin with their IP header: [`TAKEN`] bytes of TCP's with SYN set, and none of others.
fn filter(family: Family) -> [libc::sock_filter; 7] {
    let step = |code: u32, jt, jf, k: usize| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k: k as u32,
    };
    let tcp = libc::IPPROTO_TCP as usize;
    // The length of IP's header goes to the index register.
    let (protocol, header) = match family {
        Family::Four => (
            PROTOCOL,
            step(libc::BPF_LDX | libc::BPF_B | libc::BPF_MSH, 0, 0, 0),
        ),
        Family::Six => (
            NEXT_HEADER,
            step(
                libc::BPF_LDX | libc::BPF_W | libc::BPF_IMM,
                0,
                0,
                IPV6_HEADER,
            ),
        ),
    };
    [
        step(libc::BPF_LD | libc::BPF_B | libc::BPF_ABS, 0, 0, protocol),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 4, tcp),
        header,
        step(libc::BPF_LD | libc::BPF_B | libc::BPF_IND, 0, 0, TCP_FLAGS),
        step(
            libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K,
            0,
            1,
            usize::from(SYN),
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, TAKEN),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
    ]
}

/// The ends of a received TCP packet with SYN set: this host is where it was sent to.
fn ends_of(packet: &[u8]) -> Option<Ends> {
    let (source, destination) = addresses(packet)?;
    let header = match Family::from(source) {
        Family::Four => usize::from(packet.first()? & 0xf) * 4,
        Family::Six => IPV6_HEADER,
    };
    let tcp = packet.get(header..)?;
    let is_ours = header >= 20 && tcp.get(TCP_FLAGS)? & SYN != 0;
    let port = |at: usize| Some(u16::from_be_bytes(tcp.get(at..at + 2)?.try_into().ok()?));
    is_ours.then_some(Ends {
        local: SocketAddr::new(destination, port(2)?),
        peer: SocketAddr::new(source, port(0)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A SYN from port 50000 to 443 behind a header of IP.
    fn syn_behind(mut packet: Vec<u8>) -> Vec<u8> {
        packet.extend(50_000_u16.to_be_bytes());
        packet.extend(443_u16.to_be_bytes());
        packet.extend([0; 9]);
        packet.extend([SYN, 0, 0, 0, 0, 0, 0]);
        packet
    }

    /// A SYN from 198.18.0.1:50000 to 198.18.0.2:443, with so many bytes of IP options.
    fn syn(options: usize) -> Vec<u8> {
        let mut packet = vec![0; 20 + options];
        packet[0] = 0x45 + (options / 4) as u8;
        packet[PROTOCOL] = 6;
        packet[12..20].copy_from_slice(&[198, 18, 0, 1, 198, 18, 0, 2]);
        syn_behind(packet)
    }

    #[test]
    fn the_receiving_host_is_the_local_end() {
        let ends = Ends {
            local: SocketAddr::from(([198, 18, 0, 2], 443)),
            peer: SocketAddr::from(([198, 18, 0, 1], 50_000)),
        };
        for options in [0, 4, 40] {
            assert_eq!(ends_of(&syn(options)), Some(ends));
        }
        let mut six = vec![0x60, 0, 0, 0, 0, 20, 6, 64];
        six.extend([[0xfd; 16], [0xfc; 16]].concat());
        let ends = Ends {
            local: SocketAddr::from(([0xfc; 16], 443)),
            peer: SocketAddr::from(([0xfd; 16], 50_000)),
        };
        assert_eq!(ends_of(&syn_behind(six)), Some(ends));
    }

    #[test]
    fn what_is_cut_or_broken_has_no_ends() {
        let whole = syn(40);
        for length in 0..60 + TCP_FLAGS {
            assert_eq!(ends_of(&whole[..length]), None);
        }
        for (at, byte) in [(0, 0x65), (0, 0x41), (20 + TCP_FLAGS, 0x10)] {
            let mut broken = syn(0);
            broken[at] = byte;
            assert_eq!(ends_of(&broken), None, "{byte:#x} at {at}");
        }
    }
}
