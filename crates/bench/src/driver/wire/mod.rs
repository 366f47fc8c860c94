//! What stands on the wire between a TUN device and its reader, on plain byte slices: the device's
//! header, super-packets and their segments, checksums, flows.
//!
//! A device with segmentation offload hands over *super-packets*: TCP or UDP packets of up to 64 KiB
//! that a network card would cut into segments of the MTU's size. Nothing here trusts a byte that it
//! is given; what contradicts itself is a [`WireError`].

mod addresses;
pub mod checksum;
mod device_header;
mod envelope;
mod error;
mod flow;
pub(crate) mod icmp;
mod piece;
mod superpacket;

pub use addresses::addresses;
pub use device_header::DeviceHeader;
pub use error::WireError;
pub use flow::Flow;
pub(crate) use piece::allows_mark;
pub use superpacket::{MAX_HEADER, Protocol, Superpacket};
