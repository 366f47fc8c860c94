//! HTTP/3 without I/O, for both ends (RFC 9114, 9204, 9218).
pub mod error;
pub mod qpack;
pub mod varint;

pub use error::{Code, Error, Scope};
