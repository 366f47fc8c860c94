//! HTTP/2 (RFC 9113) for a client that sends many requests, without I/O.

mod client;
mod decoder;
mod frame;
pub(crate) mod hpack;
mod response;
mod static_table;
mod streams;

pub(crate) use client::{Client, windows};
