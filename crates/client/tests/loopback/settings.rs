//! What an origin says of itself on HTTP/3's control stream (RFC 9114 §7.2.4).

use std::time::Duration;

use pronghorn_http::{
    ClientTlsOptions, Protocol, QuicOptions, QuicSocket, QuicWatch, SessionUse, Sessions, TlsOffer,
    TlsVersion, TransportKnobs,
};

use super::early::fixture;
use super::fixture::{HOST_NAME, on_one_thread, target};
use super::relay::{Passing, UdpRelay};

/// Far beyond quinn's probe timeouts on loopback; only a failure waits for it.
const AT_MOST: Duration = Duration::from_secs(20);

const CONTROL_STREAM: u8 = 0x00;
const SETTINGS: u8 = 0x04;

/// A browser that never heard them remembers no session to resume.
#[test]
fn settings_come_from_an_origin_with_early_data_though_the_client_hello_came_in_two_turns() {
    let fixture = fixture();
    on_one_thread(async {
        let origin = fixture.origin_with(true, &[]);
        let target = target(&fixture.path("ca.pem"), origin.port(), Protocol::H3);
        tokio::task::spawn_local(origin.serve());
        let relay = UdpRelay::start(target.address, Passing::InTurns).await;
        let options = ClientTlsOptions {
            ca: target.ca.clone(),
            insecure: false,
            protocol: Protocol::H3,
            version: TlsVersion::Tls13,
            offer: TlsOffer::default(),
            session: SessionUse::Cold,
        };
        let tls = pronghorn_http::client_tls(&options, &Sessions::default()).expect("usable TLS");
        let quic = QuicOptions {
            congestion_control: target.congestion_control.quic,
            knobs: TransportKnobs::default(),
            watch: QuicWatch::default(),
        };
        let config = pronghorn_http::client_quic_config(tls.config, &quic);
        let local = pronghorn_http::any_local(relay.address);
        let socket = pronghorn_http::bind_udp(local, &TransportKnobs::default()).expect("a socket");
        let socket = QuicSocket::new(socket).expect("a socket");
        let endpoint = pronghorn_http::client_endpoint(config.expect("usable QUIC"), &socket);
        let (endpoint, _) = endpoint.expect("an endpoint");
        let connecting = endpoint.connect(relay.address, HOST_NAME);
        let said = tokio::time::timeout(AT_MOST, async {
            let connection = connecting
                .expect("a usable name")
                .await
                .expect("a handshake");
            let mut stream = connection.accept_uni().await.expect("a stream");
            let mut first = [0; 2];
            stream.read_exact(&mut first).await.expect("two bytes");
            first
        });
        assert_eq!(said.await, Ok([CONTROL_STREAM, SETTINGS]));
        let long: usize = relay.sent.borrow().iter().take(2).map(Vec::len).sum();
        assert!(
            long >= 2400,
            "a ClientHello of two datagrams, not {long} bytes"
        );
    });
}
