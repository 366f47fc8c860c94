//! HTTP/2's frames and header compression, without I/O (RFC 9113, RFC 7541).
//!
//! The load generator sends and reads by them, and what a path saw is read by them afterwards. A connection's rules are its
//! users' own.

pub mod frame;
pub mod hpack;
