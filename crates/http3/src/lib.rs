//! HTTP/3 without I/O, for both ends (RFC 9114, RFC 9204).
//!
//! The crate neither opens streams nor sends: bytes that arrived go in as [`bytes::Bytes`], events
//! come out, and what is to be sent is appended to a [`bytes::BytesMut`]. Content is never copied.
//!
//! An endpoint keeps
//! - one [`connection::Connection`], which gives the first bytes of its three unidirectional
//!   streams and reads the peer's, one [`connection::UniStream`] each;
//! - one [`message::Reader`] a request stream, which reads the message on it; it answers to the
//!   stream's end too ([`message::Reader::finish`]);
//! - at a server, the [`Rank`](pronghorn_http_wire::Rank) of each response, by which it waits to be sent.
//!
//! Messages are sent with [`message::put_request`], [`message::put_response`],
//! [`frame::put_data_header`] before each piece of content, and [`message::put_trailers`].
//!
//! The QPACK dynamic table has capacity 0 in both directions, so no stream ever waits for another,
//! and no push is ever permitted.

pub mod connection;
pub mod error;
pub mod frame;
pub mod message;
pub mod qpack;
mod side;

pub use error::{Code, Error, Scope};
pub use side::Side;
