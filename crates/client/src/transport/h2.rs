//! HTTP/2: one connection, every request on it at once.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioIo, TokioTimer};
use pronghorn_http::Protocol;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Context, Event, Failure, Wanted, secure};
use crate::local::LocalExecutor;
use crate::record::Reason;

/// Begins to connect; requests wait until that is done.
pub(super) fn start(context: Context, tls: rustls::ClientConfig) -> UnboundedSender<Wanted> {
    let (requests, wanted) = unbounded_channel();
    tokio::task::spawn_local(run(context, tls, wanted));
    requests
}

async fn run(context: Context, tls: rustls::ClientConfig, mut wanted: UnboundedReceiver<Wanted>) {
    let opened = open(&context, tls).await;
    while let Some(wanted) = wanted.recv().await {
        match &opened {
            Ok((connection, sender)) => {
                tokio::task::spawn_local(fetch(
                    context.clone(),
                    *connection,
                    sender.clone(),
                    wanted,
                ));
            }
            Err(failure) => context.report(wanted.resource, Event::Failed(failure.clone())),
        }
    }
}

async fn open(
    context: &Context,
    tls: rustls::ClientConfig,
) -> Result<(usize, SendRequest<Empty<Bytes>>), Failure> {
    let (connection, stream) = secure::open(context, Arc::new(tls)).await?;
    let (sender, driver) = hyper::client::conn::http2::Builder::new(LocalExecutor)
        .timer(TokioTimer::new())
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| Failure::new(Reason::Connect, error))?;
    tokio::task::spawn_local(async move {
        // How it ended shows in the requests.
        let _ = driver.await;
    });
    Ok((connection, sender))
}

async fn fetch(
    context: Context,
    connection: usize,
    mut sender: SendRequest<Empty<Bytes>>,
    wanted: Wanted,
) {
    let resource = wanted.resource;
    let exchange = async {
        let request = context
            .request(&wanted, http::Version::HTTP_2)?
            .map(|()| Empty::new());
        context.report(resource, Event::Sent { connection });
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| Failure::new(Reason::Reset, error))?;
        receive(&context, resource, response).await
    };
    if let Err(failure) = exchange.await {
        context.report(resource, Event::Failed(failure));
    }
}

/// Reports a response piece by piece to its end.
pub(super) async fn receive(
    context: &Context,
    resource: usize,
    response: http::Response<Incoming>,
) -> Result<(), Failure> {
    let protocol = Protocol::from_version(response.version());
    context.report(
        resource,
        Event::Head {
            protocol,
            status: response.status().as_u16(),
        },
    );
    let mut body = response.into_body();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let reason = if error.is_incomplete_message() {
                Reason::Incomplete
            } else {
                Reason::Reset
            };
            Failure::new(reason, error)
        })?;
        if let Ok(data) = frame.into_data() {
            context.report(resource, Event::Data(data));
        }
    }
    context.report(resource, Event::End);
    Ok(())
}
