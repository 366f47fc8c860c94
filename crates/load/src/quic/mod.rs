//! HTTP/3: quinn-proto driven by hand, one socket and one endpoint a connection, under the HTTP/3 layer of
//! `pronghorn_http3`.

mod client;
mod connection;
mod control;
mod events;
mod exchanges;
mod failure;
mod requests;
mod socket;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use client::QuicClient;
pub(crate) use connection::QuicConnection;

use pronghorn_http3::Code;
use quinn_proto::VarInt;

/// A code as QUIC carries it; every HTTP/3 code is a valid variable-length integer.
fn code(code: Code) -> VarInt {
    VarInt::from_u64(code.to_u64()).unwrap_or(VarInt::MAX)
}
