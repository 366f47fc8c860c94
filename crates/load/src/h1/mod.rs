//! HTTP/1.1 (RFC 9112) for a client that pipelines, without I/O.

mod client;
mod reader;

pub(crate) use client::Client;
