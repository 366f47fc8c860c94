//! Some of a super-packet's segments as a packet of their own, as the kernel's own segmentation
//! makes them (`net/ipv4/af_inet.c`, `inet_gso_segment`; `tcp_offload.c`, `tcp_gso_segment`;
//! `udp_offload.c`, `__udp_gso_segment`).

use std::ops::Range;

use pronghorn_path::Family;

use super::checksum;
use super::{DeviceHeader, MAX_HEADER, Protocol, Superpacket};

/// TCP's flags that the last segment alone has: FIN and PSH.
const LAST_ONLY: u8 = 0x01 | 0x08;
/// TCP's flag that the first segment alone has: CWR (RFC 3168, section 6.1.2).
const FIRST_ONLY: u8 = 0x80;

/// ECN's "congestion experienced" in the second byte of IPv4's header, and of IPv6's (RFC 3168, section 5; RFC 8200,
/// section 7).
const EXPERIENCED: u8 = 3;
const EXPERIENCED_IPV6: u8 = 3 << 4;

impl Superpacket {
    /// Writes the headers of a packet that holds `segments`: the device's, IP's, and the transport's;
    /// gives the bytes written. The packet's payload, which stands unchanged in [`Superpacket::payload`],
    /// follows them. Its checksum stays left to the reader, where it was.
    ///
    /// `packet` is the one that was parsed; `congestion` sets ECN's "congestion experienced".
    pub(crate) fn headers_of(
        &self,
        packet: &[u8],
        segments: Range<u16>,
        congestion: bool,
        out: &mut [u8; DeviceHeader::LEN + MAX_HEADER],
    ) -> usize {
        let (ip_len, header_len) = self.headers();
        let (device, rest) = out.split_at_mut(DeviceHeader::LEN);
        let headers = &mut rest[..header_len];
        headers.copy_from_slice(&packet[..header_len]);
        if self.segments > 1 {
            let total = header_len + self.payload(segments.clone()).len();
            self.cut(headers, segments.clone(), total as u16);
        }
        if congestion {
            mark(headers);
        }
        if self.segments > 1 && self.family == Family::Four {
            checksum::complete_ip(&mut headers[..ip_len]);
        }
        device.copy_from_slice(&self.device_header(segments).bytes());
        DeviceHeader::LEN + header_len
    }

    /// A packet that holds `segments`, and its device header.
    #[must_use]
    pub fn together(
        &self,
        packet: &[u8],
        segments: Range<u16>,
        congestion: bool,
    ) -> (DeviceHeader, Vec<u8>) {
        let mut headers = [0; DeviceHeader::LEN + MAX_HEADER];
        let end = self.headers_of(packet, segments.clone(), congestion, &mut headers);
        let payload = &packet[self.payload(segments.clone())];
        let whole = [&headers[DeviceHeader::LEN..end], payload].concat();
        (self.device_header(segments), whole)
    }

    /// Writes one segment, all checksums completed; gives the bytes written, which `out` must hold.
    pub fn segment(&self, packet: &[u8], index: u16, congestion: bool, out: &mut [u8]) -> usize {
        let mut headers = [0; DeviceHeader::LEN + MAX_HEADER];
        let range = index..index + 1;
        let end = self.headers_of(packet, range.clone(), congestion, &mut headers);
        let payload = &packet[self.payload(range)];
        let header_len = end - DeviceHeader::LEN;
        let len = header_len + payload.len();
        out[..header_len].copy_from_slice(&headers[DeviceHeader::LEN..end]);
        out[header_len..len].copy_from_slice(payload);
        if let Some((start, offset)) = self.checksum {
            checksum::complete(&mut out[..len], start.into(), offset.into());
        }
        len
    }

    /// Changes the headers of all into those of some, but for IP's checksum.
    fn cut(&self, headers: &mut [u8], segments: Range<u16>, total: u16) {
        let ip_len = usize::from(self.ip_header);
        let (ip, transport) = headers.split_at_mut(ip_len);
        match self.family {
            Family::Four => {
                let id = u16::from_be_bytes([ip[4], ip[5]]).wrapping_add(segments.start);
                ip[2..4].copy_from_slice(&total.to_be_bytes());
                ip[4..6].copy_from_slice(&id.to_be_bytes());
            }
            Family::Six => ip[4..6].copy_from_slice(&(total - ip_len as u16).to_be_bytes()),
        }
        let field = match self.protocol {
            Protocol::Tcp => {
                let before = u32::from(segments.start) * u32::from(self.piece);
                let sequence =
                    u32::from_be_bytes([transport[4], transport[5], transport[6], transport[7]]);
                transport[4..8].copy_from_slice(&sequence.wrapping_add(before).to_be_bytes());
                if segments.end < self.segments {
                    transport[13] &= !LAST_ONLY;
                }
                if segments.start > 0 {
                    transport[13] &= !FIRST_ONLY;
                }
                16
            }
            Protocol::Udp => {
                transport[4..6].copy_from_slice(&(total - u16::from(self.ip_header)).to_be_bytes());
                6
            }
            Protocol::Other => return,
        };
        // The pseudo-header has the length of transport header and payload (RFC 9293, section 3.1).
        let sum = u16::from_be_bytes([transport[field], transport[field + 1]]);
        let (whole, part) = (self.len as u16 - ip_len as u16, total - ip_len as u16);
        let sum = checksum::moved(sum, whole, part);
        transport[field..field + 2].copy_from_slice(&sum.to_be_bytes());
    }

    fn device_header(&self, segments: Range<u16>) -> DeviceHeader {
        let Some((checksum_start, checksum_offset)) = self.checksum else {
            return DeviceHeader::default();
        };
        let mut header = DeviceHeader {
            flags: DeviceHeader::NEEDS_CHECKSUM,
            header_len: self.header.into(),
            checksum_start,
            checksum_offset,
            ..DeviceHeader::default()
        };
        if segments.len() > 1 {
            header.segment_size = self.piece;
            header.segmentation = match self.protocol {
                Protocol::Tcp if segments.start == 0 => self.tcp_segments() | self.ecn,
                Protocol::Tcp => self.tcp_segments(),
                _ => DeviceHeader::UDP,
            };
        }
        header
    }
}

/// Whether a packet may be marked, or is: ECT(0), ECT(1) or CE (RFC 3168, section 5).
pub(crate) fn allows_mark(packet: &[u8]) -> bool {
    packet
        .get(1)
        .is_some_and(|field| field & experienced(packet) != 0)
}

fn experienced(packet: &[u8]) -> u8 {
    match packet.first().map(|first| first >> 4) {
        Some(6) => EXPERIENCED_IPV6,
        _ => EXPERIENCED,
    }
}

/// Sets "congestion experienced", and updates IPv4's checksum for it; IPv6 has none.
fn mark(headers: &mut [u8]) {
    let word = |headers: &[u8], at: usize| u16::from_be_bytes([headers[at], headers[at + 1]]);
    let old = word(headers, 0);
    headers[1] |= experienced(headers);
    if headers[0] >> 4 == 6 {
        return;
    }
    let renewed = checksum::updated(word(headers, 10), old, word(headers, 0));
    headers[10..12].copy_from_slice(&renewed.to_be_bytes());
}
