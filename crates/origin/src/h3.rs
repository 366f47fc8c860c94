//! HTTP/3 connections, over quinn (`h3_over_quinn.rs`) or s2n-quic (`h3_over_s2n.rs`). The order of responses follows RFC 9218.

use std::rc::Rc;
use std::time::Instant;

use pronghorn_http::h3::{IncomingRequest, QuicConnection, ServerConnection};
use pronghorn_http::{Protocol, QuicServer, S2nServer, Settings};
use pronghorn_http_wire::{Priority, Rank};

use crate::answer::Request;
use crate::log::{Open, Served};
use crate::target::target;
use crate::{ConnectionEntry, Shared, h3_over_quinn, h3_over_s2n};

/// What brings HTTP/3 connections.
pub(crate) enum Endpoint {
    Quinn(Box<QuicServer>),
    S2n(S2nServer),
}

/// Serves whoever comes, for ever.
pub(crate) async fn serve_all(endpoint: &Endpoint, shared: &Rc<Shared>) {
    match endpoint {
        Endpoint::Quinn(server) => {
            while let Some(incoming) = server.endpoint.accept().await {
                tokio::task::spawn_local(h3_over_quinn::serve(incoming, shared.clone()));
            }
        }
        Endpoint::S2n(server) => {
            while let Some(connection) = server.accept().await {
                tokio::task::spawn_local(h3_over_s2n::serve(connection, shared.clone()));
            }
        }
    }
}

/// Answers requests until the connection ends. Errors of the peer end the stream or connection, nothing else.
pub(crate) async fn answer_all<C: QuicConnection>(connection: C, shared: &Rc<Shared>) {
    let http = ServerConnection::start(connection);
    while let Ok(stream) = http.accept().await {
        tokio::task::spawn_local(answer(stream, shared.clone()));
    }
}

/// Enters a connection whose handshake is done.
pub(crate) fn log(open: Open, shared: &Shared) {
    let (control, settings) = (open.read)();
    let entry = ConnectionEntry {
        protocol: Protocol::H3,
        tls: true,
        congestion_controller: control.map(|name| name.to_string()),
        udp_receive_buffer: Some(settings.udp_receive_buffer),
        settings: Settings::Quic(settings),
    };
    shared.log.connected_over_quic(entry, open);
}

async fn answer<C: QuicConnection>(mut stream: IncomingRequest<C>, shared: Rc<Shared>) {
    let (arrived, early) = (Instant::now(), stream.is_early());
    let Ok(request) = stream.request().await else {
        return;
    };
    let rank = Rank::new(Priority::from_headers(&request.headers), stream.index());
    stream.prioritise(rank.falling());
    let (method, target) = (&request.method, target(&request.uri));
    let answer = shared.answers.to(&Request {
        method,
        target,
        headers: &request.headers,
        early,
    });
    let served = Served {
        asked: shared.log.asked(method, target),
        protocol: Protocol::H3,
        status: answer.status,
        bytes: answer.body.len(),
        early,
        arrived,
    };
    let (head, body) = (answer.h3_head.clone(), answer.body.clone());
    if stream.respond(head, body).await.is_ok() {
        shared.log.record(served);
    }
}
