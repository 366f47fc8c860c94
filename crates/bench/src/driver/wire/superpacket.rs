//! A packet as a device hands it over: one, or many in one.

use std::net::IpAddr;
use std::ops::Range;

use pronghorn_path::Family;

use super::envelope::{Envelope, FRAGMENT_OFFSET, MORE_FRAGMENTS, TCP, UDP};
use super::{DeviceHeader, Flow, WireError, addresses};

/// The most bytes that IP's header and TCP's take together.
pub const MAX_HEADER: usize = 60 + 60;

const TCP_HEADER: usize = 20;
const UDP_HEADER: usize = 8;
const DNS_PORT: [u8; 2] = 53u16.to_be_bytes();

/// What a packet carries, as far as that matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// TCP, with all of its fixed header.
    Tcp,
    /// UDP, with all of its header.
    Udp,
    #[default]
    /// Anything else, and all but the first fragment of anything.
    Other,
}

/// The shape of an IP packet with its device header: `segments` pieces, each of the same headers
/// but for what segmentation changes in them, and of `piece` bytes of payload, the last one of what is
/// left. An ordinary packet is one piece.
///
/// It holds no bytes; every method that needs them wants those that were parsed, or others of that
/// length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Superpacket {
    pub(super) len: u32,
    pub(super) family: Family,
    pub(super) ip_header: u8,
    /// Of IP and transport together; of what isn't TCP nor UDP: of IP.
    pub(super) header: u8,
    pub(super) protocol: Protocol,
    pub(super) udp: bool,
    /// Whether it is a piece of a packet.
    pub(super) fragment: bool,
    pub(super) piece: u16,
    pub(super) segments: u16,
    /// Whether the checksum is left to the reader, at these places.
    pub(super) checksum: Option<(u16, u16)>,
    /// [`DeviceHeader::ECN`], or zero.
    pub(super) ecn: u8,
}

impl Superpacket {
    /// Reads what a device has handed over: its header, and the packet after it.
    ///
    /// # Errors
    /// What is wrong with it, of all that [`WireError`] has.
    pub fn parse(device_header: &[u8], packet: &[u8]) -> Result<Superpacket, WireError> {
        let device = DeviceHeader::read(device_header)?;
        let Envelope {
            family,
            header: ip_header,
            total,
            protocol,
            fragment,
        } = Envelope::read(packet)?;
        let checksum = device
            .needs_checksum()
            .then_some((device.checksum_start, device.checksum_offset));
        if let Some((start, offset)) = checksum {
            let start = usize::from(start);
            if start < ip_header || start + usize::from(offset) + 2 > packet.len() {
                return Err(WireError::Checksum);
            }
        }
        let transport = match protocol {
            _ if fragment & FRAGMENT_OFFSET != 0 => 0,
            TCP => TCP_HEADER,
            UDP => UDP_HEADER,
            _ => 0,
        };
        let whole = transport > 0 && packet.len() >= ip_header + transport;
        let mut shape = Superpacket {
            len: u32::try_from(packet.len()).map_err(|_| WireError::IpLength)?,
            family,
            ip_header: ip_header as u8,
            header: (ip_header + if whole { transport } else { 0 }) as u8,
            protocol: match (whole, protocol) {
                (true, TCP) => Protocol::Tcp,
                (true, _) => Protocol::Udp,
                _ => Protocol::Other,
            },
            udp: protocol == UDP,
            fragment: fragment & (FRAGMENT_OFFSET | MORE_FRAGMENTS) != 0,
            piece: 0,
            segments: 1,
            checksum,
            ecn: 0,
        };
        if device.segmentation != DeviceHeader::NONE {
            if shape.fragment || total != packet.len() {
                return Err(WireError::Segmentation);
            }
            shape.divide(&device, packet)?;
        } else {
            let payload = packet.len() - usize::from(shape.header);
            shape.piece = u16::try_from(payload).map_err(|_| WireError::IpLength)?;
        }
        Ok(shape)
    }

    /// Settles the segments of a super-packet whose IP header is in order.
    fn divide(&mut self, device: &DeviceHeader, packet: &[u8]) -> Result<(), WireError> {
        let ip_header = usize::from(self.ip_header);
        let kind = device.segmentation & !DeviceHeader::ECN;
        let field = match (kind, self.protocol) {
            (kind, Protocol::Tcp) if kind == self.tcp_segments() => {
                let header = usize::from(packet[ip_header + 12] >> 4) * 4;
                if header < TCP_HEADER || ip_header + header > packet.len() {
                    return Err(WireError::TransportHeader);
                }
                self.header = (ip_header + header) as u8;
                self.ecn = device.segmentation & DeviceHeader::ECN;
                16
            }
            (DeviceHeader::UDP, Protocol::Udp) => {
                let length = u16::from_be_bytes([packet[ip_header + 4], packet[ip_header + 5]]);
                if usize::from(length) != packet.len() - ip_header {
                    return Err(WireError::TransportHeader);
                }
                6
            }
            _ => return Err(WireError::Segmentation),
        };
        if self.checksum != Some((u16::from(self.ip_header), field)) {
            return Err(WireError::Checksum);
        }
        if usize::from(device.header_len) > packet.len() {
            return Err(WireError::Segmentation);
        }
        let payload = packet.len() - usize::from(self.header);
        let size = usize::from(device.segment_size);
        if size == 0 || payload == 0 {
            return Err(WireError::SegmentSize);
        }
        self.piece = size.min(payload) as u16;
        self.segments = payload.div_ceil(size) as u16;
        Ok(())
    }

    /// How a device says that TCP is to be cut, over this version of IP.
    pub(super) fn tcp_segments(&self) -> u8 {
        match self.family {
            Family::Four => DeviceHeader::TCP4,
            Family::Six => DeviceHeader::TCP6,
        }
    }

    /// Whether it is one of `family` between two hosts: what IPv6's kernels send to groups (RFC 4861, RFC 9777) is none.
    pub(crate) fn is_between_hosts_of(&self, family: Family, packet: &[u8]) -> bool {
        const GROUPS: u8 = 0xff;
        let to_group = family == Family::Six && packet.get(24) == Some(&GROUPS);
        self.family == family && !to_group
    }

    /// How many packets there are in it, 1 or more.
    #[must_use]
    pub fn segments(&self) -> u16 {
        self.segments
    }

    /// Bytes of all of it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len as usize
    }

    /// Bytes of one segment's IP packet; `index` is below [`Superpacket::segments`].
    #[must_use]
    pub fn segment_bytes(&self, index: u16) -> usize {
        if self.segments == 1 {
            self.bytes()
        } else {
            usize::from(self.header) + self.payload(index..index + 1).len()
        }
    }

    /// The shape of one segment that stands alone, its checksums complete.
    pub(crate) fn single(&self, index: u16) -> Superpacket {
        let len = self.segment_bytes(index);
        Superpacket {
            len: len as u32,
            piece: (len - usize::from(self.header)) as u16,
            segments: 1,
            checksum: None,
            ecn: 0,
            ..*self
        }
    }

    /// What it carries.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Whether it is UDP, fragments included.
    #[must_use]
    pub fn is_udp(&self) -> bool {
        self.udp
    }

    /// Whether it is UDP from or to port 53; false in fragments, whose ports aren't all there. `packet` is the one
    /// that was parsed.
    #[must_use]
    pub fn is_dns_over_udp(&self, packet: &[u8]) -> bool {
        let [a, b, c, d] = self.flow(packet).ports;
        self.protocol == Protocol::Udp && ([a, b] == DNS_PORT || [c, d] == DNS_PORT)
    }

    /// Whether a kernel finds a packet of this shape in which one bit has flipped by a checksum or a length
    /// of which it keeps a count: the packet still says its version of IP, and a TCP header within its own bounds.
    pub(crate) fn is_countable(&self, packet: &[u8]) -> bool {
        let ip_header = usize::from(self.ip_header);
        let tcp_header_fits = || match (self.protocol, packet.get(ip_header + 12)) {
            (Protocol::Tcp, Some(offset)) => {
                let header = usize::from(offset >> 4) * 4;
                (TCP_HEADER..=packet.len() - ip_header).contains(&header)
            }
            _ => true,
        };
        let version = u8::from(self.family);
        packet.first().is_some_and(|first| first >> 4 == version) && tcp_header_fits()
    }

    /// The bit to flip instead of `bit` (as of [`pronghorn_path::Packet::flip_bit`]), so that a flipped one is always found:
    /// IPv6 has no checksum over its header, and nobody looks at a changed traffic class, flow label or hop limit. A bit of
    /// these stands for one of the source's address, which the transport's checksum covers.
    pub(crate) fn detectable(&self, bit: usize) -> usize {
        const SOURCE: usize = 64;
        match (self.family, bit) {
            (Family::Six, 0..4 | 8..32 | 56..64) => bit + SOURCE,
            _ => bit,
        }
    }

    /// Whether its transport checksum is left to the reader.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.checksum.is_some()
    }

    /// Bytes of IP's header, and of all headers that segments share.
    #[must_use]
    pub(crate) fn headers(&self) -> (usize, usize) {
        (usize::from(self.ip_header), usize::from(self.header))
    }

    /// Where the payload of these segments stands in the packet.
    #[must_use]
    pub(crate) fn payload(&self, segments: Range<u16>) -> Range<usize> {
        let at = |index: u16| {
            let place = usize::from(self.header) + usize::from(index) * usize::from(self.piece);
            place.min(self.bytes())
        };
        let end = if segments.end >= self.segments {
            self.bytes()
        } else {
            at(segments.end)
        };
        at(segments.start).min(end)..end
    }

    /// The flow it belongs to; `packet` is the one that was parsed.
    #[must_use]
    pub fn flow(&self, packet: &[u8]) -> Flow {
        let ports = match self.protocol {
            Protocol::Tcp | Protocol::Udp if !self.fragment => {
                packet.get(usize::from(self.ip_header)..)
            }
            _ => None,
        };
        let protocol_at = match self.family {
            Family::Four => 9,
            Family::Six => 6,
        };
        let nobody = IpAddr::from([0; 4]);
        Flow {
            addresses: addresses(packet).unwrap_or((nobody, nobody)),
            protocol: packet.get(protocol_at).copied().unwrap_or_default(),
            ports: ports
                .and_then(|bytes| bytes.first_chunk().copied())
                .unwrap_or_default(),
        }
    }
}
