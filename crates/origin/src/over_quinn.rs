//! Connections of quinn's.

use std::net::SocketAddr;
use std::rc::Rc;

use pronghorn_flight::End;
use pronghorn_http::{QuicCongestionControl, QuicReader, QuicServer, ShakingHands};
use tokio::task::JoinHandle;

use crate::Shared;
use crate::h3::{self, answer_all};
use crate::log::Open;

/// Serves a connection to its end.
pub(crate) async fn serve(incoming: quinn::Incoming, server: Rc<QuicServer>, shared: Rc<Shared>) {
    let Some(connection) = accept(incoming, &server, &shared).await else {
        return;
    };
    let recording = record_flight(&connection, &server);
    answer_all(
        connection.clone(),
        connection.remote_address().ip(),
        &shared,
    )
    .await;
    shared.log.ended(number(&connection));
    // It must not keep a connection that nobody serves.
    if let Some(recording) = recording {
        recording.abort();
    }
}

/// Records what the connection does, where that is asked for.
fn record_flight(connection: &quinn::Connection, server: &QuicServer) -> Option<JoinHandle<()>> {
    let recorder = server.flight()?.clone();
    let local = server.endpoint.local_addr().ok()?;
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
    server: &QuicServer,
    shared: &Rc<Shared>,
) -> Option<quinn::Connection> {
    let mut connecting = server.accept(incoming).ok()?;
    if shared.early_data {
        // A ClientHello can come in two datagrams, and quinn never wakes who wanted a stream of a peer whose
        // transport parameters it had not read: such a connection would go without SETTINGS.
        connecting.handshake_data().await.ok()?;
        let (connection, completed) = connecting.into_0rtt().ok()?;
        let shaking_hands = ShakingHands::on(&connection);
        let (shared, handle) = (shared.clone(), connection.clone());
        let reader = server.reader().clone();
        tokio::task::spawn_local(async move {
            completed.await;
            drop(shaking_hands);
            if handle.close_reason().is_none() {
                log(&handle, reader, &shared);
            }
        });
        return Some(connection);
    }
    let connection = connecting.await.ok()?;
    log(&connection, server.reader().clone(), shared);
    Some(connection)
}

fn log(connection: &quinn::Connection, reader: QuicReader, shared: &Shared) {
    let handle = connection.clone();
    let open = Open {
        number: number(connection),
        read: Box::new(move || (QuicCongestionControl::of(&handle), reader.read(&handle))),
    };
    h3::log(open, shared);
}

fn number(connection: &quinn::Connection) -> u64 {
    connection.stable_id() as u64
}
