//! A host's network: its device, addresses and routes, how TCP is set up on it, and what the kernel tells of its connections.

pub(crate) mod addressing;
pub(crate) mod congestion;
pub(crate) mod connection_state;
pub(crate) mod connections;
pub(crate) mod device;
pub(crate) mod further;
pub(crate) mod level;
pub(crate) mod netlink;
pub(crate) mod rtnetlink;
pub(crate) mod setup;
pub(crate) mod sock_diag;
pub(crate) mod tcp_knobs;
pub(crate) mod tcp_settings;
pub(crate) mod tun;
