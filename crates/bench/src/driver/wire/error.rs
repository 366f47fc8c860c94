//! Why bytes are no packet.

use thiserror::Error;

/// Why a packet from a device can't be carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// It is another protocol than IP, or nothing at all.
    #[error("not an IP packet")]
    NotIp,
    /// Fewer bytes than a `virtio_net_hdr` has.
    #[error("the device's header is cut short")]
    DeviceHeader,
    /// An IP header of fewer bytes than it has at least, or of more than there are.
    #[error("an IP header that isn't as long as it says")]
    IpHeader,
    /// A length in IP's header that isn't the packet's.
    #[error("a length in IP's header that isn't the packet's")]
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
