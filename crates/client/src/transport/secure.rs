//! A TCP connection with TLS, and what it cost.

use std::sync::Arc;

use pronghorn_http::TcpStack;
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{Context, Failure};
use crate::record::Reason;

/// Connects and secures; the connection's index in the record comes with it.
pub(super) async fn open(
    context: &Context,
    tls: Arc<rustls::ClientConfig>,
) -> Result<(usize, TlsStream<TcpStream>), Failure> {
    let target = &context.target;
    let name = ServerName::try_from(target.host_name.clone())
        .map_err(|error| Failure::new(Reason::Tls, error))?;
    let stack = TcpStack {
        congestion_control: target.congestion_control.tcp.clone(),
    };
    let connection = context.open_connection();
    let stream = pronghorn_http::connect(&stack, target.address)
        .await
        .map_err(|error| Failure::new(Reason::Connect, error))?;
    let congestion_control = pronghorn_http::congestion_control_of(&stream).ok();
    context.update(connection, |record| {
        record.connected_s = Some(context.now_s());
        record.congestion_control = congestion_control;
    });
    let stream = TlsConnector::from(tls)
        .connect(name, stream)
        .await
        .map_err(|error| Failure::new(Reason::Tls, error))?;
    let facts = pronghorn_http::connection_facts(stream.get_ref().1);
    let asked = target.protocol.alpn();
    let agreed = facts.alpn.as_deref().map(str::as_bytes) == Some(asked);
    let alpn = facts.alpn.clone();
    context.update(connection, |record| {
        record.secured_s = Some(context.now_s());
        record.alpn = facts.alpn;
        record.tls_version = facts.tls_version;
        record.cipher = facts.cipher;
    });
    if !agreed {
        return Err(Failure::new(
            Reason::Protocol,
            format!(
                "asked for {} and ALPN chose {}",
                target.protocol,
                alpn.as_deref().unwrap_or("nothing")
            ),
        ));
    }
    Ok((connection, stream))
}
