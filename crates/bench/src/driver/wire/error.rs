//! Why bytes are no packet.

use thiserror::Error;

/// Why a packet from a device can't be carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// It is another protocol than IPv4, or nothing at all.
    #[error("not an IPv4 packet")]
    NotIpv4,
    /// Fewer bytes than a `virtio_net_hdr` has.
    #[error("the device's header is cut short")]
    DeviceHeader,
    /// An IPv4 header of fewer than 20 bytes, or of more than there are.
    #[error("an IPv4 header that isn't as long as it says")]
    IpHeader,
    /// An IPv4 total length that isn't the packet's.
    #[error("an IPv4 total length that isn't the packet's")]
    IpLength,
    /// The checksum that the device leaves to its reader lies outside of the packet, or isn't the
    /// one that the protocol has.
    #[error("a checksum outside of its place")]
    Checksum,
    /// A kind of segmentation that the device wasn't asked for, or that isn't the packet's protocol's.
    #[error("a segmentation that doesn't fit the packet")]
    Segmentation,
    /// A TCP or UDP header that is cut short, or whose length isn't the packet's.
    #[error("a transport header that isn't as long as it says")]
    TransportHeader,
    /// Segments of no bytes, or none at all.
    #[error("segments of no bytes")]
    SegmentSize,
}
