//! The device of a path's end on its host.

/// The device by which a host reaches the other one.
pub(crate) const DEVICE: &str = "path0";

/// Bytes an IP packet may have, as on Ethernet.
pub(crate) const MTU: u32 = 1500;
