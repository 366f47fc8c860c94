//! HTTP/3 over the streams of a QUIC implementation (`transport.rs`): `pronghorn_http3` says what the bytes mean, this
//! moves them.

mod client;
mod control;
mod error;
mod exchange;
mod over_quinn;
mod server;
mod transport;

pub use client::{ClientConnection, Exchange, RequestStream};
pub use error::H3Error;
pub use exchange::{RequestContent, ResponseStream};
pub use over_quinn::no_error;
pub use pronghorn_http3::Code;
pub use server::{IncomingRequest, ServerConnection, response_head};
pub use transport::{Ended, EndedBy, QuicConnection, ReceiveStream, SendStream};

/// Largest field section that is accepted, in bytes as RFC 9114 §4.2.2 counts them; hyper's limit
/// for HTTP/2, so that both protocols refuse alike.
const MAX_FIELD_SECTION_SIZE: u64 = 16 * 1024;

/// Most bytes taken from a stream at a time.
const READ: usize = 64 * 1024;
