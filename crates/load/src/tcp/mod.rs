//! Connections over kernel TCP: HTTP/1.1 and HTTP/2, over TLS or in the clear.

mod connection;
mod dialer;
mod ending;
mod handshake;
mod protocol;
mod tls;
mod traffic;

pub(crate) use connection::TcpConnection;
pub(crate) use dialer::Dialer;
