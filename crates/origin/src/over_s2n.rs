//! Connections of s2n-quic's.

use std::net::Ipv4Addr;
use std::rc::Rc;

use pronghorn_flight::End;
use pronghorn_http::{S2nConnection, S2nServer};
use tokio::task::JoinHandle;

use crate::Shared;
use crate::h3::{self, answer_all};
use crate::log::Open;

/// Serves a connection to its end.
pub(crate) async fn serve(connection: S2nConnection, server: Rc<S2nServer>, shared: Rc<Shared>) {
    let number = connection.number();
    log(&connection, &server, &shared);
    let recording = record_flight(&connection, &server);
    let peer = connection.addresses().map(|[_, peer]| peer.ip());
    let peer = peer.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
    answer_all(connection, peer, &shared).await;
    shared.log.ended(number);
    if let Some(recording) = recording {
        recording.abort();
    }
}

/// Records what the connection does, where that is asked for.
fn record_flight(connection: &S2nConnection, server: &S2nServer) -> Option<JoinHandle<()>> {
    let recorder = server.flight()?.clone();
    let [local, _] = connection.addresses().ok()?;
    let recording =
        pronghorn_http::record_s2n_flight(connection.clone(), local, End::Server, recorder);
    Some(tokio::task::spawn_local(recording))
}

fn log(connection: &S2nConnection, server: &S2nServer, shared: &Shared) {
    let told = connection.told();
    let reader = server.reader().clone();
    let open = Open {
        number: connection.number(),
        read: Box::new(move || (told.congestion_control(), reader.read(&told))),
    };
    h3::log(open, shared);
}
