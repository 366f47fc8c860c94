//! HTTP/3 over quinn, with quinn's windows.

use pronghorn_http::h3::ClientConnection;
use pronghorn_http::{Protocol, QuicCongestionControl};

use super::failure::connection_reason;
use super::multiplexed::Connector;
use super::{Context, Event, Failure, Wanted};
use crate::record::Reason;

/// Opens HTTP/3 connections.
pub(super) struct H3 {
    pub(super) endpoint: quinn::Endpoint,
}

impl Connector for H3 {
    type Connection = ClientConnection;

    async fn open(&self, context: &Context) -> Result<(usize, Self::Connection), Failure> {
        let target = &context.target;
        let index = context.open_connection();
        let connection = self
            .endpoint
            .connect(target.address, &target.host_name)
            .map_err(|error| Failure::new(Reason::Connect, error))?
            .await
            .map_err(|error| Failure::new(connection_reason(&error, Reason::Connect), error))?;
        let alpn = connection
            .handshake_data()
            .and_then(|data| data.downcast::<quinn::crypto::rustls::HandshakeData>().ok())
            .and_then(|data| data.protocol)
            .map(|alpn| String::from_utf8_lossy(&alpn).into_owned());
        let control = QuicCongestionControl::of(&connection).map(|name| name.to_string());
        context.update(index, |record| {
            let now_s = context.now_s();
            record.connected_s = Some(now_s);
            record.secured_s = Some(now_s);
            record.alpn = alpn;
            // QUIC version 1 has no other (RFC 9001 §4.2).
            record.tls_version = Some("TLS 1.3".to_owned());
            record.congestion_control = control;
        });
        Ok((index, ClientConnection::start(connection)))
    }

    async fn fetch(
        &self,
        context: &Context,
        index: usize,
        connection: ClientConnection,
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        let resource = wanted.resource;
        let request = context.request(wanted, http::Version::HTTP_3)?;
        let stream = connection.open().await?;
        context.report(resource, Event::Sent { connection: index });
        let mut exchange = stream.send(&request).await?;
        let status = exchange.head().await?.status.as_u16();
        context.report(
            resource,
            Event::Head {
                protocol: Some(Protocol::H3),
                status,
            },
        );
        while let Some(data) = exchange.data().await? {
            context.report(resource, Event::Data(data));
        }
        context.report(resource, Event::End);
        Ok(())
    }
}
