//! Two ends on this host's loopback.

use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use super::*;
use crate::test_identity::{self, HOST_NAME};
use crate::{QuicOptions, QuicWatch, S2nClient, S2nServer, TransportKnobs};

/// Far more than anything here takes: what isn't over by then hangs.
const FOR_EVER: Duration = Duration::from_secs(60);

/// More than a client has a window for.
const LONG: usize = 8 << 20;

fn socket() -> UdpSocket {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port")
}

fn ends() -> (S2nClient, S2nServer, SocketAddr) {
    let options = QuicOptions {
        congestion_control: QuicCongestionControl::Cubic,
        knobs: TransportKnobs::default(),
        watch: QuicWatch::default(),
    };
    let (mut client, mut server) = test_identity::configs();
    client.alpn_protocols = vec![b"h3".to_vec()];
    server.alpn_protocols = vec![b"h3".to_vec()];
    let server_socket = socket();
    let address = server_socket.local_addr().expect("it is bound");
    (
        S2nClient::new(client, &options, socket()).expect("a client"),
        S2nServer::new(server, &options, server_socket).expect("a server"),
        address,
    )
}

/// The server's end of a request's stream, and the client's connection and what receives there.
async fn request(
    client: &S2nClient,
    server: &S2nServer,
    address: SocketAddr,
) -> (S2nSend, S2nConnection, S2nReceive) {
    let (connection, accepted) = tokio::join!(client.connect(address, HOST_NAME), server.accept());
    let connection = connection.expect("a handshake");
    let accepted = accepted.expect("a connection");
    let (mut send, receive) = connection.open_bi().await.expect("a stream");
    let request = Bytes::from_static(b"GET");
    send.write(&mut [request]).await.expect("a request");
    send.finish();
    let (answer, _) = accepted.accept_bi().await.expect("a request");
    (answer, connection, receive)
}

#[tokio::test]
async fn a_response_that_waits_for_its_turn_ends_with_the_connection() {
    let (client, server, address) = ends();
    let (mut answer, connection, mut receive) = request(&client, &server, address).await;
    answer.prioritise(1);
    let respond = async {
        let content = Bytes::from(vec![0; LONG]);
        answer.write(&mut [content]).await
    };
    let leave = async {
        receive.read().await.expect("its begin");
        connection.end();
    };
    let both = async { tokio::join!(respond, leave).0 };
    let outcome = tokio::time::timeout(FOR_EVER, both).await;
    let error = outcome.expect("nobody waits for a connection that has ended");
    assert!(matches!(error, Err(H3Error::Connection(_))), "{error:?}");
}

#[tokio::test]
async fn the_first_response_of_the_highest_urgency_has_its_turns() {
    let (client, server, address) = ends();
    let (mut answer, ..) = request(&client, &server, address).await;
    // As the first rank's number is.
    answer.prioritise(i32::MAX);
    assert!(answer.ordered);
}
