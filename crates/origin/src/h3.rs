//! HTTP/3 connections, over quinn, whose stream priorities follow RFC 9218.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Instant;

use pronghorn_flight::End;
use pronghorn_http::h3::{IncomingRequest, ServerConnection};
use pronghorn_http::{Protocol, QuicCongestionControl, QuicServer, Settings, ShakingHands};
use pronghorn_http_wire::{Priority, Rank};
use tokio::task::JoinHandle;

use crate::answer::Request;
use crate::log::Served;
use crate::replies::Reply;
use crate::target::{host, target};
use crate::{ConnectionEntry, Shared};

/// Serves a connection to its end. Errors of the peer end the stream or connection, nothing else.
pub(crate) async fn serve(incoming: quinn::Incoming, quic: Rc<QuicServer>, shared: Rc<Shared>) {
    let Some(connection) = accept(incoming, &quic, &shared).await else {
        return;
    };
    let recording = record_flight(&connection, &quic);
    let http = ServerConnection::start(connection.clone());
    while let Ok(stream) = http.accept().await {
        tokio::task::spawn_local(answer(stream, shared.clone()));
    }
    shared.log.ended(&connection);
    // It must not keep a connection that nobody serves.
    if let Some(recording) = recording {
        recording.abort();
    }
}

/// Records what the connection does, where that is asked for.
fn record_flight(connection: &quinn::Connection, quic: &QuicServer) -> Option<JoinHandle<()>> {
    let recorder = quic.flight()?.clone();
    let local = quic.endpoint.local_addr().ok()?;
    let local = match connection.local_ip() {
        Some(ip) => SocketAddr::new(ip, local.port()),
        None => local,
    };
    let recording = pronghorn_http::record_flight(connection.clone(), local, End::Server, recorder);
    Some(tokio::task::spawn_local(recording))
}

/// The connection once its handshake is done or, where early data is allowed, before that, so that
/// early requests are answered at once.
async fn accept(
    incoming: quinn::Incoming,
    quic: &Rc<QuicServer>,
    shared: &Rc<Shared>,
) -> Option<quinn::Connection> {
    let mut connecting = quic.accept(incoming).ok()?;
    if shared.early_data {
        // A ClientHello can come in two datagrams, and quinn never wakes who wanted a stream of a peer whose
        // transport parameters it had not read: such a connection would go without SETTINGS.
        connecting.handshake_data().await.ok()?;
        let (connection, completed) = connecting.into_0rtt().ok()?;
        let shaking_hands = ShakingHands::on(&connection);
        let (quic, shared, handle) = (quic.clone(), shared.clone(), connection.clone());
        tokio::task::spawn_local(async move {
            completed.await;
            drop(shaking_hands);
            if handle.close_reason().is_none() {
                log(&handle, &quic, &shared);
            }
        });
        return Some(connection);
    }
    let connection = connecting.await.ok()?;
    log(&connection, quic, shared);
    Some(connection)
}

fn log(connection: &quinn::Connection, quic: &QuicServer, shared: &Shared) {
    let congestion_controller = QuicCongestionControl::of(connection).map(|name| name.to_string());
    let reader = quic.reader().clone();
    let settings = reader.read(connection);
    let entry = ConnectionEntry {
        protocol: Protocol::H3,
        tls: true,
        congestion_controller,
        udp_receive_buffer: Some(settings.udp_receive_buffer),
        settings: Settings::Quic(settings),
    };
    let log = &shared.log;
    log.connected_over_quic(entry, connection.clone(), reader);
}

async fn answer(mut stream: IncomingRequest, shared: Rc<Shared>) {
    let (arrived, early) = (Instant::now(), stream.is_early());
    let Ok(request) = stream.request().await else {
        return;
    };
    let rank = Rank::new(Priority::from_headers(&request.headers), stream.index());
    stream.prioritise(rank.falling());
    let (method, target) = (&request.method, target(&request.uri));
    let host = host(&request.uri, &request.headers);
    let Reply {
        answer,
        matched,
        think,
    } = shared.replies.to(&Request {
        method,
        host: &host,
        target,
        headers: &request.headers,
        early,
    });
    if !think.is_zero() {
        tokio::time::sleep(think).await;
    }
    let served = Served {
        asked: shared.log.asked(method, &host, target),
        matched,
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
