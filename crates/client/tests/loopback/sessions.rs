//! Sessions that one load gains and later loads resume, with early data or without.

use std::sync::Arc;

use pronghorn_client::{EarlyData, LoadError, Outcome, PageLoad, Reason, Target};
use pronghorn_http::{
    CipherSuite, KeyExchange, Protocol, SessionUse, TlsError, TlsVersion, TransportKnobs,
};
use pronghorn_origin::Origin;

use super::fixture::{AMPLE, Fixture, PROTOCOLS, on_one_thread, target};

const PAGE: &[u8] = b"<link rel=stylesheet href=/a.css><script src=/b.js></script><img src=/c.png>";

fn fixture() -> Fixture {
    Fixture::new(&[
        ("site/index.html", PAGE),
        ("site/a.css", b"body{}"),
        ("site/b.js", b"1"),
        ("site/c.png", &[7; 40_000]),
    ])
}

/// The variants of TLS that a protocol can have.
fn variants() -> impl Iterator<Item = (Protocol, TlsVersion)> {
    let tls13 = PROTOCOLS.map(|protocol| (protocol, TlsVersion::Tls13));
    let tls12 = [Protocol::H1, Protocol::H2].map(|protocol| (protocol, TlsVersion::Tls12));
    tls13.into_iter().chain(tls12)
}

/// Starts an origin and gives its port.
fn serve(origin: Origin) -> u16 {
    let port = origin.port();
    tokio::task::spawn_local(origin.serve());
    port
}

fn with(base: &Target, session: SessionUse) -> Target {
    Target {
        session,
        ..base.clone()
    }
}

async fn load(target: Target) -> PageLoad {
    pronghorn_client::load(target, "/", AMPLE)
        .await
        .expect("usable TLS")
}

fn assert_whole(page: &PageLoad) {
    assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
    assert_eq!((page.requests, page.failures), (4, 0));
}

#[test]
fn what_one_load_gains_another_resumes_and_cold_ones_neither() {
    let fixture = fixture();
    for (protocol, tls) in variants() {
        on_one_thread(async {
            let port = serve(fixture.origin_with(false, &[]));
            let base = Target {
                tls,
                ..target(&fixture.path("ca.pem"), port, protocol)
            };
            for (session, resumed) in [
                (SessionUse::Cold, false),
                (SessionUse::Gain, false),
                (SessionUse::Gain, false),
                (SessionUse::Resumed, true),
                (SessionUse::Cold, false),
            ] {
                let page = load(with(&base, session)).await;
                assert_whole(&page);
                let first = &page.connections[0];
                let seen = (first.resumed, first.early_data);
                assert_eq!(seen, (Some(resumed), None), "{protocol} {tls} {session:?}");
                assert_eq!(first.tls_version, Some(tls.to_string()));
            }
        });
    }
}

#[test]
fn early_requests_are_answered_where_the_tickets_allow_them() {
    let fixture = fixture();
    for protocol in PROTOCOLS {
        on_one_thread(async {
            // Without permission a resumption over QUIC takes as many round trips as a full handshake, over TCP
            // and TLS 1.3 too (RFC 8446 §2.2).
            for (allowed, seen, spares) in [(true, Some(EarlyData::Accepted), 1), (false, None, 0)]
            {
                let port = serve(fixture.origin_with(allowed, &[]));
                let base = target(&fixture.path("ca.pem"), port, protocol);
                let gained = load(with(&base, SessionUse::Gain)).await;
                let page = load(with(&base, SessionUse::ZeroRtt)).await;
                assert_whole(&page);
                let first = &page.connections[0];
                assert_eq!(first.early_data, seen, "{protocol}");
                assert_eq!(first.resumed, Some(true), "{protocol}");
                assert!(first.secured_s.is_some());
                let spared = gained.round_trips - page.round_trips;
                assert_eq!(spared, spares, "of {protocol}'s fewest round trips");
            }
        });
    }
}

#[test]
fn requests_that_come_too_early_are_made_again_over_the_same_connection() {
    let fixture = fixture();
    for protocol in PROTOCOLS {
        on_one_thread(async {
            let knows = serve(fixture.origin_with(true, &[]));
            let forgot = serve(fixture.origin_with(true, &[]));
            let base = target(&fixture.path("ca.pem"), knows, protocol);
            load(with(&base, SessionUse::Gain)).await;
            let mut early = with(&base, SessionUse::ZeroRtt);
            early.address.set_port(forgot);
            let page = load(early).await;
            assert_whole(&page);
            let first = &page.connections[0];
            let seen = (first.resumed, first.early_data);
            assert_eq!(seen, (Some(false), Some(EarlyData::Rejected)), "{protocol}");
            let first_used = page.resources[0].connection;
            assert_eq!(first_used, Some(0), "{protocol}");
            assert_eq!(page.round_trips, load(base).await.round_trips);
        });
    }
}

#[test]
fn a_session_that_nobody_gained_is_refused() {
    let fixture = fixture();
    on_one_thread(async {
        let port = serve(fixture.origin_with(true, &[]));
        let base = target(&fixture.path("ca.pem"), port, Protocol::H2);
        load(with(&base, SessionUse::Gain)).await;
        let other = Target {
            protocol: Protocol::H3,
            session: SessionUse::Resumed,
            ..base.clone()
        };
        let refused = pronghorn_client::load(other, "/", AMPLE).await;
        assert!(matches!(refused, Err(LoadError::Tls(TlsError::NoSession))));
        let elsewhere = Target {
            sessions: Arc::default(),
            ..with(&base, SessionUse::ZeroRtt)
        };
        let refused = pronghorn_client::load(elsewhere, "/", AMPLE).await;
        assert!(matches!(refused, Err(LoadError::Tls(TlsError::NoSession))));
    });
}

#[test]
fn a_client_offers_one_cipher_and_one_group_and_resumes_what_it_gained_so() {
    let fixture = fixture();
    for protocol in PROTOCOLS {
        on_one_thread(async {
            let port = serve(fixture.origin_with(true, &[]));
            for (cipher, name, key_exchange, group) in [
                (
                    CipherSuite::Aes128GcmSha256,
                    "TLS_AES_128_GCM_SHA256",
                    KeyExchange::Secp256r1,
                    "secp256r1",
                ),
                (
                    CipherSuite::Aes256GcmSha384,
                    "TLS_AES_256_GCM_SHA384",
                    KeyExchange::X25519,
                    "X25519",
                ),
                (
                    CipherSuite::Chacha20Poly1305Sha256,
                    "TLS_CHACHA20_POLY1305_SHA256",
                    KeyExchange::X25519MlKem768,
                    "X25519MLKEM768",
                ),
            ] {
                let base = Target {
                    knobs: TransportKnobs {
                        cipher: Some(cipher),
                        key_exchange: Some(key_exchange),
                        ..TransportKnobs::default()
                    },
                    ..target(&fixture.path("ca.pem"), port, protocol)
                };
                for session in [SessionUse::Cold, SessionUse::Gain, SessionUse::Resumed] {
                    let page = load(with(&base, session)).await;
                    assert_whole(&page);
                    let first = &page.connections[0];
                    // quinn doesn't tell.
                    let told = (protocol != Protocol::H3).then_some(name);
                    assert_eq!(first.cipher.as_deref(), told, "{protocol}");
                    assert_eq!(first.key_exchange.as_deref(), Some(group), "{protocol}");
                }
                let other = Target {
                    knobs: TransportKnobs::default(),
                    ..with(&base, SessionUse::Resumed)
                };
                let refused = pronghorn_client::load(other, "/", AMPLE).await;
                assert!(matches!(refused, Err(LoadError::Tls(TlsError::NoSession))));
            }
        });
    }
}

#[test]
fn what_tls_1_2_lacks_is_refused() {
    let fixture = fixture();
    on_one_thread(async {
        let base = Target {
            tls: TlsVersion::Tls12,
            ..target(&fixture.path("ca.pem"), 443, Protocol::H3)
        };
        let refused = pronghorn_client::load(base.clone(), "/", AMPLE).await;
        assert!(matches!(
            refused,
            Err(LoadError::Tls(TlsError::NotOverQuic(TlsVersion::Tls12)))
        ));
        let early = Target {
            protocol: Protocol::H1,
            session: SessionUse::ZeroRtt,
            ..base
        };
        let refused = pronghorn_client::load(early, "/", AMPLE).await;
        assert!(matches!(
            refused,
            Err(LoadError::Tls(TlsError::NoEarlyData))
        ));
    });
}

#[test]
fn a_failed_load_says_why_and_not_that_it_gained_nothing() {
    let fixture = fixture();
    on_one_thread(async {
        let port = serve(fixture.origin_with(false, &[]));
        let base = target(&fixture.path("ca.pem"), port, Protocol::H2);
        let page = pronghorn_client::load(with(&base, SessionUse::Gain), "/none", AMPLE)
            .await
            .expect("usable TLS");
        assert_eq!(page.reason, Some(Reason::Status));
    });
}

#[test]
fn connections_tell_their_key_exchange_and_over_quic_their_receive_buffer() {
    let fixture = fixture();
    for (protocol, tls) in variants() {
        on_one_thread(async {
            let port = serve(fixture.origin_with(false, &[]));
            let base = Target {
                tls,
                ..target(&fixture.path("ca.pem"), port, protocol)
            };
            for session in [SessionUse::Cold, SessionUse::Gain, SessionUse::Resumed] {
                let page = load(with(&base, session)).await;
                let group = match (tls, session) {
                    (TlsVersion::Tls13, _) => Some("X25519MLKEM768"),
                    (TlsVersion::Tls12, SessionUse::Resumed) => None,
                    (TlsVersion::Tls12, _) => Some("X25519"),
                };
                let first = &page.connections[0];
                assert_eq!(first.key_exchange.as_deref(), group, "{protocol} {tls}");
                let over_quic = protocol == Protocol::H3;
                assert_eq!(first.udp_receive_buffer.is_some(), over_quic);
            }
        });
    }
}
