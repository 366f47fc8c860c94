//! HTTP/3 without I/O, for both ends (RFC 9114, 9204, 9218).
pub mod connection;
pub mod error;
pub mod frame;
pub mod message;
pub mod priority;
pub mod qpack;
mod side;
pub mod varint;

pub use error::{Code, Error, Scope};
pub use priority::Priority;
pub use side::Side;
