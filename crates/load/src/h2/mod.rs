//! HTTP/2 (RFC 9113) for a client that sends many requests, without I/O.

mod client;
mod response;
mod streams;

pub(crate) use client::{Client, Farewell, windows};
