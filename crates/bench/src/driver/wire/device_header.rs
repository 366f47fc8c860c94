//! The header before each packet that a device hands over or takes: `virtio_net_hdr` of
//! `linux/virtio_net.h` (Virtual I/O Device specification 1.2, section 5.1.6).

use super::WireError;

/// How a packet's checksum and segmentation stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceHeader {
    /// `VIRTIO_NET_HDR_F_…`.
    pub flags: u8,
    /// `VIRTIO_NET_HDR_GSO_…`.
    pub segmentation: u8,
    /// Bytes of all headers, more or less: a hint.
    pub header_len: u16,
    /// Bytes of payload in each segment.
    pub segment_size: u16,
    /// Where the bytes begin that the checksum covers.
    pub checksum_start: u16,
    /// Where the checksum stands, counted from there.
    pub checksum_offset: u16,
}

impl DeviceHeader {
    /// Bytes of the header.
    pub const LEN: usize = 10;
    /// The checksum field holds the pseudo-header's sum only.
    pub const NEEDS_CHECKSUM: u8 = 1;
    /// No segmentation.
    pub const NONE: u8 = 0;
    /// TCP over IPv4.
    pub const TCP4: u8 = 1;
    /// TCP over IPv6.
    pub const TCP6: u8 = 4;
    /// UDP, each segment a datagram.
    pub const UDP: u8 = 5;
    /// Beside TCP: "congestion window reduced" is set on the first segment only.
    pub const ECN: u8 = 0x80;

    /// Reads the header; the machine's byte order, as devices have it by default.
    ///
    /// # Errors
    /// [`WireError::DeviceHeader`] where `bytes` are too few.
    pub fn read(bytes: &[u8]) -> Result<DeviceHeader, WireError> {
        let Some(&[flags, segmentation, a, b, c, d, e, f, g, h]) = bytes.first_chunk::<10>() else {
            return Err(WireError::DeviceHeader);
        };
        Ok(DeviceHeader {
            flags,
            segmentation,
            header_len: u16::from_ne_bytes([a, b]),
            segment_size: u16::from_ne_bytes([c, d]),
            checksum_start: u16::from_ne_bytes([e, f]),
            checksum_offset: u16::from_ne_bytes([g, h]),
        })
    }

    /// The header's bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; DeviceHeader::LEN] {
        let [a, b] = self.header_len.to_ne_bytes();
        let [c, d] = self.segment_size.to_ne_bytes();
        let [e, f] = self.checksum_start.to_ne_bytes();
        let [g, h] = self.checksum_offset.to_ne_bytes();
        [self.flags, self.segmentation, a, b, c, d, e, f, g, h]
    }

    /// Whether the checksum is left to the reader.
    #[must_use]
    pub fn needs_checksum(&self) -> bool {
        self.flags & DeviceHeader::NEEDS_CHECKSUM != 0
    }
}
