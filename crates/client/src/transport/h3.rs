//! HTTP/3: one connection, every request on it at once.

use pronghorn_http::h3::{ClientConnection, H3Error};
use pronghorn_http::{Protocol, QuicCongestionControl, TlsError};
use pronghorn_http3::Code;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Context, Event, Failure, Wanted};
use crate::record::Reason;

/// Begins to connect; requests wait until that is done.
pub(super) fn start(
    context: Context,
    tls: rustls::ClientConfig,
) -> Result<UnboundedSender<Wanted>, TlsError> {
    let congestion_control = context.target.congestion_control.quic;
    let config = pronghorn_http::client_quic_config(tls, congestion_control)?;
    let endpoint = pronghorn_http::client_endpoint(config)?;
    let (requests, wanted) = unbounded_channel();
    tokio::task::spawn_local(run(context, endpoint, wanted));
    Ok(requests)
}

async fn run(context: Context, endpoint: quinn::Endpoint, mut wanted: UnboundedReceiver<Wanted>) {
    let opened = open(&context, &endpoint).await;
    while let Some(wanted) = wanted.recv().await {
        match &opened {
            Ok((index, connection)) => {
                tokio::task::spawn_local(fetch(
                    context.clone(),
                    *index,
                    connection.clone(),
                    wanted,
                ));
            }
            Err(failure) => context.report(wanted.resource, Event::Failed(failure.clone())),
        }
    }
    if let Ok((_, connection)) = opened {
        connection.close();
    }
}

async fn open(
    context: &Context,
    endpoint: &quinn::Endpoint,
) -> Result<(usize, ClientConnection), Failure> {
    let target = &context.target;
    let index = context.open_connection();
    let connection = endpoint
        .connect(target.address, &target.host_name)
        .map_err(|error| Failure::new(Reason::Connect, error))?
        .await
        .map_err(|error| Failure::new(handshake_reason(&error), error))?;
    let alpn = connection
        .handshake_data()
        .and_then(|data| data.downcast::<quinn::crypto::rustls::HandshakeData>().ok())
        .and_then(|data| data.protocol)
        .map(|alpn| String::from_utf8_lossy(&alpn).into_owned());
    let congestion_control = QuicCongestionControl::of(&connection).map(|name| name.to_string());
    context.update(index, |record| {
        let now_s = context.now_s();
        record.connected_s = Some(now_s);
        record.secured_s = Some(now_s);
        record.alpn = alpn;
        // QUIC version 1 has no other (RFC 9001 §4.2).
        record.tls_version = Some("TLS 1.3".to_owned());
        record.congestion_control = congestion_control;
    });
    Ok((index, ClientConnection::start(connection)))
}

/// A handshake that fails by a TLS alert (RFC 9001 §4.8: 0x0100 to 0x01ff) is TLS's failure.
fn handshake_reason(error: &quinn::ConnectionError) -> Reason {
    let code = match error {
        quinn::ConnectionError::TransportError(error) => u64::from(error.code),
        quinn::ConnectionError::ConnectionClosed(close) => u64::from(close.error_code),
        _ => return Reason::Connect,
    };
    if (0x100..0x200).contains(&code) {
        Reason::Tls
    } else {
        Reason::Connect
    }
}

async fn fetch(context: Context, index: usize, connection: ClientConnection, wanted: Wanted) {
    if let Err(failure) = exchange(&context, index, &connection, &wanted).await {
        context.report(wanted.resource, Event::Failed(failure));
    }
}

async fn exchange(
    context: &Context,
    index: usize,
    connection: &ClientConnection,
    wanted: &Wanted,
) -> Result<(), Failure> {
    let resource = wanted.resource;
    let request = context.request(wanted, http::Version::HTTP_3)?;
    context.report(resource, Event::Sent { connection: index });
    let mut exchange = connection.send(&request).await.map_err(failure)?;
    let head = exchange.head().await.map_err(failure)?;
    let protocol = Some(Protocol::H3);
    context.report(
        resource,
        Event::Head {
            protocol,
            status: head.status.as_u16(),
        },
    );
    while let Some(data) = exchange.data().await.map_err(failure)? {
        context.report(resource, Event::Data(data));
    }
    context.report(resource, Event::End);
    Ok(())
}

fn failure(error: H3Error) -> Failure {
    let reason = match &error {
        H3Error::Protocol(error) if error.code == Code::MessageError => Reason::Incomplete,
        _ => Reason::Reset,
    };
    Failure::new(reason, error)
}
