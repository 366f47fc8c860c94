//! HTTP/2 over rustls and TCP, by hyper, with hyper's windows where none are asked for.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioIo, TokioTimer};
use pronghorn_http::Settings;

use super::multiplexed::Connector;
use super::response::receive;
use super::{Answer, Context, Event, Failure, Wanted, secure};
use crate::local::LocalExecutor;

/// hyper's windows of a stream and of the connection, in bytes.
const STREAM_WINDOW: u32 = 2 << 20;
const CONNECTION_WINDOW: u32 = 5 << 20;

/// Opens HTTP/2 connections.
pub(super) struct H2 {
    pub(super) tls: Arc<rustls::ClientConfig>,
}

impl Connector for H2 {
    type Connection = SendRequest<Full<Bytes>>;

    async fn open(&self, context: &Context) -> Result<(usize, Self::Connection), Failure> {
        let (index, stream) = secure::open(context, self.tls.clone()).await?;
        let knobs = &context.target.knobs;
        let stream_window = knobs.stream_window.unwrap_or(STREAM_WINDOW);
        let connection_window = knobs.connection_window.unwrap_or(CONNECTION_WINDOW);
        context.update(index, |record| {
            if let Settings::Tcp(settings) = record.settings {
                let settings = settings.with_windows(stream_window, connection_window);
                record.settings = Settings::Tcp(settings);
            }
        });
        let (sender, driver) = hyper::client::conn::http2::Builder::new(LocalExecutor)
            .timer(TokioTimer::new())
            .initial_stream_window_size(stream_window)
            .initial_connection_window_size(connection_window)
            .handshake(TokioIo::new(stream))
            .await?;
        tokio::task::spawn_local(async move {
            // How it ended shows in the requests.
            let _ = driver.await;
        });
        Ok((index, sender))
    }

    async fn fetch(
        &self,
        context: &Context,
        index: usize,
        mut connection: Self::Connection,
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        let resource = wanted.resource;
        let early = !context.secured(index);
        let request = wanted.request(&context.target, http::Version::HTTP_2)?;
        let content = || Full::new(wanted.content.clone());
        context.report(resource, Event::Sent { connection: index });
        let response = connection.send_request(request.map(|()| content())).await?;
        if let Answer::TooEarly = receive(context, resource, early, response).await? {
            let request = wanted.request(&context.target, http::Version::HTTP_2)?;
            let response = connection.send_request(request.map(|()| content())).await?;
            receive(context, resource, false, response).await?;
        }
        Ok(())
    }
}
