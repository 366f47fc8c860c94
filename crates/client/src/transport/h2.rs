//! HTTP/2 over rustls and TCP, by hyper, with hyper's windows.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioIo, TokioTimer};

use super::multiplexed::Connector;
use super::response::receive;
use super::{Answer, Context, Event, Failure, Wanted, secure};
use crate::local::LocalExecutor;

/// Opens HTTP/2 connections.
pub(super) struct H2 {
    pub(super) tls: Arc<rustls::ClientConfig>,
}

impl Connector for H2 {
    type Connection = SendRequest<Empty<Bytes>>;

    async fn open(&self, context: &Context) -> Result<(usize, Self::Connection), Failure> {
        let (index, stream) = secure::open(context, self.tls.clone()).await?;
        let (sender, driver) = hyper::client::conn::http2::Builder::new(LocalExecutor)
            .timer(TokioTimer::new())
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
        let request = context.request(wanted, http::Version::HTTP_2)?;
        context.report(resource, Event::Sent { connection: index });
        let response = connection
            .send_request(request.map(|()| Empty::new()))
            .await?;
        if let Answer::TooEarly = receive(context, resource, early, response).await? {
            let request = context.request(wanted, http::Version::HTTP_2)?;
            let response = connection
                .send_request(request.map(|()| Empty::new()))
                .await?;
            receive(context, resource, false, response).await?;
        }
        Ok(())
    }
}
