//! The NAT before the client, whose mappings change under way (`PathSpec::rebind_ns`).
//!
//! It keeps no table. The `k`-th mapping turns a client's 198.18.x.y into 198.19.x.z, where z holds y
//! and a digit for k, and flips some bits of the port: so each packet tells by itself whether it was
//! sent to the mapping of now. Before the first rebinding nothing is translated. ICMP passes as it is,
//! and so do addresses whose y is above 15. It is one of IPv4: paths of IPv6 have no rebindings.

use std::net::IpAddr;

use pronghorn_path::{Direction, Time};

use crate::driver::wire::checksum::{moved, updated};
use crate::driver::wire::{Protocol, Superpacket, addresses};

/// The addresses inside and outside, of RFC 2544's range for benchmarks.
const INSIDE: [u8; 2] = [198, 18];
const OUTSIDE: [u8; 2] = [198, 19];

/// Mappings that an address tells apart.
const DIGITS: u64 = 15;

const SOURCE: usize = 12;
const DESTINATION: usize = 16;

/// The times of the rebindings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nat {
    rebind_ns: Vec<u64>,
}

/// A packet went to a mapping that isn't there any more, or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stale;

impl Nat {
    /// Rebindings at these times since the path's start, ascending; none where there are none.
    pub(crate) fn new(rebind_ns: &[u64]) -> Option<Nat> {
        (!rebind_ns.is_empty()).then(|| Nat {
            rebind_ns: rebind_ns.to_vec(),
        })
    }

    /// The number of the mapping at a time: how many rebindings have been by then.
    pub(crate) fn mapping(&self, start: Time, at: Time) -> u64 {
        let since = at.0.saturating_sub(start.0);
        self.rebind_ns.partition_point(|rebind| *rebind <= since) as u64
    }
}

/// Gives a packet that comes from a client the source that mapping `k` has for it. `headers` begins with
/// the packet's IP and transport headers, of the given shape.
pub(crate) fn outward(shape: &Superpacket, headers: &mut [u8], k: u64) {
    let [a, b, _, low] = address(headers, SOURCE);
    if k == 0 || [a, b] != INSIDE || low > 15 || !translates(headers) {
        return;
    }
    rewrite(shape, headers, SOURCE, OUTSIDE, low | digit(k) << 4, k);
}

/// Gives a packet that goes to a mapping the client's own address and port again, as it is under
/// mapping `k`.
pub(crate) fn inward(shape: &Superpacket, headers: &mut [u8], k: u64) -> Result<(), Stale> {
    let [a, b, _, low] = address(headers, DESTINATION);
    let bound = match [a, b] {
        INSIDE if low <= 15 => 0,
        OUTSIDE if low > 15 => low >> 4,
        _ => return Ok(()),
    };
    if !translates(headers) {
        return Ok(());
    }
    if bound != digit(k) {
        return Err(Stale);
    }
    if k > 0 {
        rewrite(shape, headers, DESTINATION, INSIDE, low & 15, k);
    }
    Ok(())
}

/// Undoes [`outward`] on a packet that has gone no further.
pub(crate) fn back(shape: &Superpacket, headers: &mut [u8], k: u64) {
    let [a, b, _, low] = address(headers, SOURCE);
    if k > 0 && [a, b] == OUTSIDE && low >> 4 == digit(k) && translates(headers) {
        rewrite(shape, headers, SOURCE, INSIDE, low & 15, k);
    }
}

/// The address of a packet that is the client's; none of what is no IP.
pub(crate) fn end_at_client(direction: Direction, packet: &[u8]) -> Option<IpAddr> {
    let (source, destination) = addresses(packet)?;
    Some(match direction {
        Direction::Up => source,
        Direction::Down => destination,
    })
}

fn translates(headers: &[u8]) -> bool {
    headers
        .get(9)
        .is_some_and(|protocol| matches!(protocol, 6 | 17))
}

fn address(headers: &[u8], at: usize) -> [u8; 4] {
    headers
        .get(at..)
        .and_then(|bytes| bytes.first_chunk().copied())
        .unwrap_or_default()
}

/// 0 before the first rebinding, and 1 to 15 in turns then.
fn digit(k: u64) -> u8 {
    k.checked_sub(1).map_or(0, |k| (k % DIGITS) as u8 + 1)
}

/// The other port of mapping `k`; applied twice, the same. Only low bits change, so that no port becomes 0
/// or a privileged one; privileged ones stay.
fn port(of: u16, k: u64) -> u16 {
    if of < 1024 {
        of
    } else {
        of ^ ((k * 397 % 1023) as u16 + 1)
    }
}

/// Rewrites the address at `at`, and the port that belongs to it.
fn rewrite(shape: &Superpacket, headers: &mut [u8], at: usize, network: [u8; 2], low: u8, k: u64) {
    let word = |headers: &[u8], at: usize| u16::from_be_bytes([headers[at], headers[at + 1]]);
    let put = |headers: &mut [u8], at: usize, value: u16| {
        headers[at..at + 2].copy_from_slice(&value.to_be_bytes());
    };
    let before = [word(headers, at), word(headers, at + 2)];
    headers[at..at + 2].copy_from_slice(&network);
    headers[at + 3] = low;
    let after = [word(headers, at), word(headers, at + 2)];
    let renew = |checksum: u16, with: fn(u16, u16, u16) -> u16| {
        let renewed = with(checksum, before[0], after[0]);
        with(renewed, before[1], after[1])
    };
    let ip_checksum = renew(word(headers, 10), updated);
    put(headers, 10, ip_checksum);

    let (ip_len, header_len) = shape.headers();
    let field = ip_len
        + match shape.protocol() {
            Protocol::Tcp => 16,
            Protocol::Udp => 6,
            Protocol::Other => return,
        };
    if headers.len() < header_len {
        return;
    }
    let place = if at == SOURCE { ip_len } else { ip_len + 2 };
    let old_port = word(headers, place);
    let new_port = port(old_port, k);
    put(headers, place, new_port);
    let checksum = word(headers, field);
    let renewed = if shape.is_partial() {
        // The sum of the pseudo-header, in which addresses are and ports aren't.
        renew(checksum, moved)
    } else if shape.protocol() == Protocol::Udp && checksum == 0 {
        0 // there is none (RFC 768)
    } else {
        match updated(renew(checksum, updated), old_port, new_port) {
            0 if shape.protocol() == Protocol::Udp => u16::MAX,
            checksum => checksum,
        }
    };
    put(headers, field, renewed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::wire::{DeviceHeader, checksum};

    /// A datagram from `source` to `destination`, its checksum complete or left to the reader.
    fn datagram(
        source: ([u8; 4], u16),
        destination: ([u8; 4], u16),
        partial: bool,
    ) -> (Superpacket, Vec<u8>) {
        let mut packet = vec![0x45, 0, 0, 32, 0, 1, 0x40, 0, 64, 17, 0, 0];
        packet.extend(source.0);
        packet.extend(destination.0);
        checksum::complete_ip(&mut packet);
        packet.extend(source.1.to_be_bytes());
        packet.extend(destination.1.to_be_bytes());
        packet.extend([0, 12, 0, 0, 1, 2, 3, 4]);
        let pseudo = [source.0, destination.0, [0, 17, 0, 12]].concat();
        let sum = checksum::sum(&pseudo).to_ne_bytes();
        packet[26..28].copy_from_slice(&sum);
        let mut header = DeviceHeader::default();
        if partial {
            header.flags = DeviceHeader::NEEDS_CHECKSUM;
            header.checksum_start = 20;
            header.checksum_offset = 6;
        } else {
            checksum::complete(&mut packet, 20, 6);
        }
        let shape = Superpacket::parse(&header.bytes(), &packet).expect("a datagram");
        (shape, packet)
    }

    const CLIENT: ([u8; 4], u16) = ([198, 18, 3, 1], 40_000);
    const SERVER: ([u8; 4], u16) = ([198, 18, 0, 2], 443);

    #[test]
    fn an_answer_to_the_mapping_comes_back_to_the_client_whole() {
        for partial in [false, true] {
            for k in 0..40 {
                let (shape, mut packet) = datagram(CLIENT, SERVER, partial);
                let sent = packet.clone();
                outward(&shape, &mut packet, k);
                let seen = (
                    address(&packet, SOURCE),
                    u16::from_be_bytes([packet[20], packet[21]]),
                );
                assert_eq!(k > 0, seen.0 != CLIENT.0 && seen.1 != CLIENT.1);
                assert!(seen.1 >= 1024);
                let (_, expected) = datagram(seen, SERVER, partial);
                assert_eq!(packet, expected, "as if it had been sent from there");
                back(&shape, &mut packet, k);
                assert_eq!(packet, sent);

                let (shape, mut answer) = datagram(SERVER, seen, partial);
                assert_eq!(inward(&shape, &mut answer, k), Ok(()));
                assert_eq!(answer, datagram(SERVER, CLIENT, partial).1);
                for other in (0..k).filter(|other| digit(*other) != digit(k)) {
                    let (shape, mut late) = datagram(SERVER, seen, partial);
                    assert_eq!(inward(&shape, &mut late, other), Err(Stale));
                }
            }
        }
    }

    #[test]
    fn ports_stay_apart() {
        for k in 1..20 {
            let mut seen: Vec<u16> = (1..=u16::MAX).map(|p| port(p, k)).collect();
            assert!(
                seen.iter()
                    .zip(1..)
                    .all(|(new, old)| (*new < 1024) == (old < 1024))
            );
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), usize::from(u16::MAX));
        }
    }

    #[test]
    fn a_rebinding_counts_from_its_time_on() {
        let nat = Nat::new(&[10, 20]).expect("there are rebindings");
        let at = |time| nat.mapping(Time(100), Time(time));
        assert_eq!([99, 109, 110, 119, 120, 999].map(at), [0, 0, 1, 1, 2, 2]);
        assert!(Nat::new(&[]).is_none());
    }

    #[test]
    fn what_is_not_the_clients_passes() {
        for foreign in [[10, 0, 0, 1], [198, 18, 0, 77], [198, 19, 0, 5]] {
            let (shape, mut packet) = datagram((foreign, 5000), SERVER, false);
            let sent = packet.clone();
            outward(&shape, &mut packet, 3);
            assert_eq!(packet, sent);
            let (shape, mut packet) = datagram(SERVER, (foreign, 5000), false);
            let sent = packet.clone();
            assert_eq!(inward(&shape, &mut packet, 3), Ok(()));
            assert_eq!(packet, sent);
        }
    }

    #[test]
    fn datagrams_without_a_checksum_stay_without() {
        let (shape, mut packet) = datagram(CLIENT, SERVER, false);
        packet[26..28].fill(0);
        outward(&shape, &mut packet, 1);
        assert_eq!(packet[26..28], [0, 0]);
    }
}
