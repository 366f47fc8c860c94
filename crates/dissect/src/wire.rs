//! IPv4 with TCP or UDP inside (RFC 791, RFC 9293, RFC 768).

use std::net::{Ipv4Addr, SocketAddrV4};

use crate::reader::Reader;

/// What a packet carries between two sockets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried<'a> {
    pub(crate) source: SocketAddrV4,
    pub(crate) destination: SocketAddrV4,
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

/// What an IPv4 packet carries; `None` for a fragment, and for what is neither TCP nor UDP, or broken.
pub(crate) fn read(packet: &[u8]) -> Option<Carried<'_>> {
    let header_len = usize::from(packet.first()? & 0x0f) * 4;
    let total = usize::from(u16::from_be_bytes([*packet.get(2)?, *packet.get(3)?]));
    let header = packet.get(..header_len.max(20))?;
    let fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff;
    if header[0] >> 4 != 4 || header_len < 20 || fragment != 0 {
        return None;
    }
    let mut rest = Reader(packet.get(header_len..total)?);
    let address =
        |at: usize| Ipv4Addr::new(header[at], header[at + 1], header[at + 2], header[at + 3]);
    let (source, destination) = (rest.u16()?, rest.u16()?);
    let transport = match header[9] {
        6 => Transport::Tcp(segment(rest)?),
        17 => {
            let length = usize::from(rest.u16()?).checked_sub(8)?;
            rest.u16()?;
            Transport::Udp(rest.take(length)?)
        }
        _ => return None,
    };
    Some(Carried {
        source: SocketAddrV4::new(address(12), source),
        destination: SocketAddrV4::new(address(16), destination),
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
