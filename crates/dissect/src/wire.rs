//! IP with TCP or UDP inside (RFC 791, RFC 8200, RFC 9293, RFC 768).

use std::net::{IpAddr, SocketAddr};

use crate::reader::Reader;

/// What a packet carries between two sockets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried<'a> {
    pub(crate) source: SocketAddr,
    pub(crate) destination: SocketAddr,
    pub(crate) transport: Transport<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Transport<'a> {
    Tcp(Segment<'a>),
    /// UDP's payload.
    Udp(&'a [u8]),
}

/// A TCP segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) sequence: u32,
    pub(crate) acknowledgement: u32,
    pub(crate) flags: u8,
    pub(crate) window: u16,
    /// The shift of the windows that its sender will tell (RFC 7323 §2), where it tells one.
    pub(crate) window_scale: Option<u8>,
    pub(crate) payload: &'a [u8],
}

/// Flags of a TCP segment.
pub(crate) mod flag {
    pub(crate) const FIN: u8 = 0x01;
    pub(crate) const SYN: u8 = 0x02;
    pub(crate) const RST: u8 = 0x04;
    pub(crate) const ACK: u8 = 0x10;
}

impl Segment<'_> {
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// What IP's header says.
struct Header<'a> {
    addresses: [IpAddr; 2],
    protocol: u8,
    payload: &'a [u8],
}

/// IPv4's; `None` of a fragment, and of what is broken.
fn ipv4(packet: &[u8]) -> Option<Header<'_>> {
    let header_len = usize::from(packet.first()? & 0x0f) * 4;
    let total = usize::from(u16::from_be_bytes([*packet.get(2)?, *packet.get(3)?]));
    let header = packet.get(..header_len.max(20))?;
    let fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff;
    if header_len < 20 || fragment != 0 {
        return None;
    }
    let address = |at: usize| Some(IpAddr::from(*header.get(at..)?.first_chunk::<4>()?));
    Some(Header {
        addresses: [address(12)?, address(16)?],
        protocol: header[9],
        payload: packet.get(header_len..total)?,
    })
}

/// IPv6's; `None` of what is broken. What has an extension header is of a protocol that isn't read.
fn ipv6(packet: &[u8]) -> Option<Header<'_>> {
    let (header, rest) = packet.split_first_chunk::<40>()?;
    let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let address = |at: usize| Some(IpAddr::from(*header.get(at..)?.first_chunk::<16>()?));
    Some(Header {
        addresses: [address(8)?, address(24)?],
        protocol: header[6],
        payload: rest.get(..length)?,
    })
}

/// What an IP packet carries; `None` for a fragment, and for what is neither TCP nor UDP, or broken.
pub(crate) fn read(packet: &[u8]) -> Option<Carried<'_>> {
    let Header {
        addresses: [from, to],
        protocol,
        payload,
    } = match packet.first()? >> 4 {
        4 => ipv4(packet)?,
        6 => ipv6(packet)?,
        _ => return None,
    };
    let mut rest = Reader(payload);
    let (source, destination) = (rest.u16()?, rest.u16()?);
    let transport = match protocol {
        6 => Transport::Tcp(segment(rest)?),
        17 => {
            let length = usize::from(rest.u16()?).checked_sub(8)?;
            rest.u16()?;
            Transport::Udp(rest.take(length)?)
        }
        _ => return None,
    };
    Some(Carried {
        source: SocketAddr::new(from, source),
        destination: SocketAddr::new(to, destination),
        transport,
    })
}

/// What stands behind the ports.
fn segment(mut rest: Reader<'_>) -> Option<Segment<'_>> {
    let (sequence, acknowledgement) = (rest.u32()?, rest.u32()?);
    let [offset, flags] = rest.array()?;
    let window = rest.u16()?;
    rest.u32()?;
    let options = rest.take((usize::from(offset >> 4) * 4).checked_sub(20)?)?;
    Some(Segment {
        sequence,
        acknowledgement,
        flags,
        window,
        window_scale: window_scale(options),
        payload: rest.0,
    })
}

fn window_scale(options: &[u8]) -> Option<u8> {
    const END: u8 = 0;
    const NO_OPERATION: u8 = 1;
    const SCALE: u8 = 3;
    let mut rest = Reader(options);
    loop {
        match rest.u8()? {
            END => return None,
            NO_OPERATION => {}
            kind => {
                let length = usize::from(rest.u8()?).checked_sub(2)?;
                let value = rest.take(length)?;
                if kind == SCALE {
                    // RFC 7323 §2.3: no shift is above 14.
                    return value.first().map(|shift| (*shift).min(14));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_of_ipv6_is_read_and_one_that_is_cut_is_not() {
        let mut packet = vec![0x60, 0, 0, 0, 0, 12, 17, 64];
        packet.extend([[0xfd; 16], [0xfc; 16]].concat());
        packet.extend([0x9c, 0x40, 0x01, 0xbb, 0, 12, 0, 0, 1, 2, 3, 4]);
        let carried = read(&packet).expect("a datagram");
        assert_eq!(carried.source, SocketAddr::from(([0xfd; 16], 40_000)));
        assert_eq!(carried.destination, SocketAddr::from(([0xfc; 16], 443)));
        assert!(matches!(carried.transport, Transport::Udp([1, 2, 3, 4])));
        for length in 0..packet.len() {
            assert!(read(&packet[..length]).is_none(), "{length}");
        }
        packet[6] = 44;
        assert!(read(&packet).is_none(), "a fragment");
    }
}
