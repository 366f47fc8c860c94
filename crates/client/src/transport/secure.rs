//! A TCP connection with TLS, and what it cost.

use std::io;
use std::sync::Arc;

use pronghorn_http::{SessionUse, Settings, TcpSettings, TcpStack, TlsFacts};
use rustls_pki_types::ServerName;
use tokio_rustls::TlsConnector;

use super::watched::Watched;
use super::{Context, Failure};
use crate::record::{EarlyData, Reason};

/// Connects and secures; the connection's index in the record comes with it. With early data it comes
/// before the handshake is done, of which the record then learns later.
pub(super) async fn open(
    context: &Context,
    tls: Arc<rustls::ClientConfig>,
) -> Result<(usize, Watched), Failure> {
    let target = &context.target;
    let name = ServerName::try_from(target.host_name.clone())
        .map_err(|error| Failure::new(Reason::Tls, error))?;
    let stack = TcpStack {
        congestion_control: target.congestion_control.tcp.clone(),
        paced: target.knobs.pacing == Some(true),
    };
    let connection = context.open_connection();
    let stream = pronghorn_http::connect(&stack, target.address)
        .await
        .map_err(|error| Failure::new(Reason::Connect, error))?;
    let congestion_controller = pronghorn_http::congestion_control_of(&stream).ok();
    let settings = TcpSettings::of(&stream);
    context.update(connection, |record| {
        record.connected_s = Some(context.now_s());
        record.congestion_controller = congestion_controller;
        record.settings = Settings::Tcp(settings);
    });
    let stream = TlsConnector::from(tls)
        .early_data(target.session == SessionUse::ZeroRtt)
        .connect(name, stream)
        .await
        .map_err(|error| Failure::new(Reason::Tls, error))?;
    let early = stream.get_ref().1.is_handshaking();
    let finish = {
        let context = context.clone();
        move |tls: &rustls::ClientConnection| {
            let early = early.then(|| match tls.is_early_data_accepted() {
                true => EarlyData::Accepted,
                false => EarlyData::Rejected,
            });
            finished(
                &context,
                connection,
                pronghorn_http::connection_facts(tls),
                early,
            )
        }
    };
    let stream =
        Watched::new(stream, finish).map_err(|error| Failure::new(Reason::Protocol, error))?;
    Ok((connection, stream))
}

/// Enters what the handshake settled; an error where ALPN chose another protocol.
fn finished(
    context: &Context,
    connection: usize,
    facts: TlsFacts,
    early_data: Option<EarlyData>,
) -> io::Result<()> {
    let asked = context.target.protocol;
    let chosen = facts.alpn.clone();
    context.update(connection, |record| {
        record.secured_s = Some(context.now_s());
        record.alpn = facts.alpn;
        record.tls_version = facts.tls_version;
        record.cipher = facts.cipher;
        record.key_exchange = facts.key_exchange;
        record.resumed = facts.resumed;
        record.early_data = early_data;
    });
    if chosen.as_deref().map(str::as_bytes) == Some(asked.alpn()) {
        return Ok(());
    }
    let chosen = chosen.as_deref().unwrap_or("nothing");
    Err(io::Error::other(format!(
        "asked for {asked} and ALPN chose {chosen}"
    )))
}
