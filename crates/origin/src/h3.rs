//! HTTP/3 connections, over quinn, whose stream priorities follow RFC 9218.

use std::rc::Rc;
use std::time::Instant;

use pronghorn_http::h3::{IncomingRequest, ServerConnection};
use pronghorn_http::{Protocol, QuicCongestionControl};
use pronghorn_http3::Priority;
use pronghorn_http3::priority::Rank;

use crate::Shared;

/// Serves a connection to its end. Errors of the peer end the stream or connection, nothing else.
pub(crate) async fn serve(incoming: quinn::Incoming, shared: Rc<Shared>) {
    let Ok(connection) = incoming.await else {
        return;
    };
    let congestion_control = QuicCongestionControl::of(&connection).map(|name| name.to_string());
    shared.log.connected(Protocol::H3, congestion_control);
    let connection = ServerConnection::start(connection);
    while let Ok(stream) = connection.accept().await {
        tokio::task::spawn_local(answer(stream, shared.clone()));
    }
}

async fn answer(mut stream: IncomingRequest, shared: Rc<Shared>) {
    let arrived = Instant::now();
    let Ok(request) = stream.request().await else {
        return;
    };
    let rank = Rank::new(Priority::from_headers(&request.headers), stream.index());
    stream.prioritise(rank.falling());
    let path = request.uri.path().to_owned();
    let response = shared.site.respond(&request.method, &path, &shared.alt_svc);
    let (status, bytes) = (response.status(), response.body().len());
    if stream.respond(response).await.is_ok() {
        shared
            .log
            .record(path, Protocol::H3, status, bytes, arrived);
    }
}
