//! HTTP/3 connections, over quinn (`over_quinn.rs`) or s2n-quic (`over_s2n.rs`). The order of responses follows RFC 9218.

use std::net::{IpAddr, UdpSocket};
use std::pin::pin;
use std::rc::Rc;
use std::time::Instant;

use pronghorn_http::h3::{IncomingRequest, QuicConnection, ServerConnection};
use pronghorn_http::{Protocol, QuicServer, QuicSocket, QuicStack, S2nServer, Settings, TlsError};
use pronghorn_http_wire::{Priority, Rank};
use tokio::sync::watch;

use crate::log::Open;
use crate::replies::Replies;
use crate::{
    Answered, ConnectionEntry, OriginConfig, OriginError, Shared, over_quinn, over_s2n, proxy,
};

/// What brings HTTP/3 connections.
pub(crate) enum Endpoint {
    Quinn(Rc<QuicServer>),
    S2n(Rc<S2nServer>),
}

impl Endpoint {
    /// HTTP/3 at a socket, by the stack that is asked for.
    pub(crate) fn new(
        socket: UdpSocket,
        tls: rustls::ServerConfig,
        config: &OriginConfig,
    ) -> Result<Endpoint, OriginError> {
        let options = config.quic_options();
        Ok(match config.quic_stack {
            QuicStack::Quinn => {
                let socket = QuicSocket::new(socket).map_err(TlsError::from)?;
                let server = pronghorn_http::server_endpoint(socket, tls, options)?;
                Endpoint::Quinn(Rc::new(server))
            }
            QuicStack::S2n => Endpoint::S2n(Rc::new(S2nServer::new(tls, &options, socket)?)),
        })
    }

    /// Serves whoever comes, until the origin is to end.
    pub(crate) async fn serve_all(&self, shared: &Rc<Shared>) {
        tokio::select! {
            biased;
            () = self.accept_all(shared) => {}
            () = shared.ending.begun() => {}
        }
    }

    /// Waits until the clients of connections that have ended know it.
    pub(crate) async fn closed(&self) {
        if let Endpoint::Quinn(server) = self {
            server.endpoint.wait_idle().await;
        }
    }

    async fn accept_all(&self, shared: &Rc<Shared>) {
        match self {
            Endpoint::Quinn(server) => {
                while let Some(incoming) = server.endpoint.accept().await {
                    let (server, shared) = (server.clone(), shared.clone());
                    tokio::task::spawn_local(over_quinn::serve(incoming, server, shared));
                }
            }
            Endpoint::S2n(server) => {
                while let Some(connection) = server.accept().await {
                    let (server, shared) = (server.clone(), shared.clone());
                    tokio::task::spawn_local(over_s2n::serve(connection, server, shared));
                }
            }
        }
    }
}

/// Answers the requests of `peer` until the connection or the origin ends. Errors of the peer end the stream or
/// connection, nothing else.
pub(crate) async fn answer_all<C: QuicConnection>(
    connection: C,
    peer: IpAddr,
    shared: &Rc<Shared>,
) {
    let http = ServerConnection::start(connection);
    // Closed once no answer is under way.
    let (under_way, answering) = watch::channel(());
    {
        let mut ending = pin!(shared.ending.begun());
        loop {
            let stream = tokio::select! {
                biased;
                stream = http.accept() => stream,
                () = &mut ending => break,
            };
            let Ok(stream) = stream else { return };
            let (shared, answering) = (shared.clone(), answering.clone());
            match &shared.replies {
                Replies::Proxied(proxy) => {
                    let proxy = proxy.clone();
                    tokio::task::spawn_local(async move {
                        proxy::answer_h3(stream, peer, &proxy).await;
                        drop((answering, shared));
                    });
                }
                _ => {
                    tokio::task::spawn_local(answer(stream, shared, answering));
                }
            }
        }
    }
    http.go_away();
    drop(answering);
    under_way.closed().await;
    http.end();
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

async fn answer<C: QuicConnection>(
    mut stream: IncomingRequest<C>,
    shared: Rc<Shared>,
    _answering: watch::Receiver<()>,
) {
    let (arrived, early) = (Instant::now(), stream.is_early());
    let Ok(request) = stream.request().await else {
        return;
    };
    let rank = Rank::new(Priority::from_headers(&request.headers), stream.index());
    stream.prioritise(rank.falling());
    let Answered {
        answer,
        think,
        served,
    } = shared.answer(
        Protocol::H3,
        (&request.method, &request.uri, &request.headers),
        early,
        arrived,
    );
    if !think.is_zero() {
        tokio::time::sleep(think).await;
    }
    let (head, body) = (answer.h3_head.clone(), answer.body.clone());
    if stream.respond(head, body).await.is_ok() {
        shared.log.record(served);
        if shared.graceful {
            stream.delivered().await;
        }
    }
}
