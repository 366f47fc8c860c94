//! Early data that somebody recorded and sends again.

use std::time::Duration;

use http::Method;
use pronghorn_client::Target;
use pronghorn_http::{Protocol, SessionUse, TicketUses};
use pronghorn_origin::{AccessLog, EXECUTE_PATH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::early::{early, entries, fixture, load, serve};
use super::fixture::{AMPLE, on_one_thread, target};
use super::relay::{Passing, TcpRelay, UdpRelay, bound};

const REQUESTS: [(Method, &str); 2] = [(Method::GET, "/"), (Method::POST, EXECUTE_PATH)];

/// One ticket was used by its client, and so often by somebody else.
fn replayed(times: u64) -> TicketUses {
    TicketUses {
        redeemed: 1,
        replayed: times,
        unknown: 0,
    }
}

#[test]
fn early_data_over_tcp_that_is_sent_again_is_neither_served_nor_executed() {
    let fixture = fixture();
    for protocol in [Protocol::H1, Protocol::H2] {
        for (method, path) in &REQUESTS {
            on_one_thread(async {
                let (port, log) = serve(&fixture);
                let direct = target(&fixture.path("ca.pem"), port, protocol);
                let relay = TcpRelay::start(direct.address).await;
                let relayed = Target {
                    address: relay.address,
                    ..direct.clone()
                };
                early(&relayed, port, method, path).await;
                let logged = entries(&log, path);
                assert!(logged.iter().any(|(_, _, early)| *early), "{protocol}");
                let sent = relay.sent.borrow().clone();
                for times in 1..=2 {
                    let mut stream = TcpStream::connect(direct.address).await.expect("an origin");
                    stream.write_all(&sent).await.expect("an open connection");
                    // The origin ends the connection, in whatever way: it has taken all of it in then.
                    let _ = stream.shutdown().await;
                    let _ = stream.read_to_end(&mut Vec::new()).await;
                    assert_eq!(log.tickets().tcp, replayed(times), "{protocol} {method}");
                }
                assert_eq!(entries(&log, path), logged, "{protocol} {method}");
            });
        }
    }
}

#[test]
fn early_data_over_quic_that_is_sent_again_later_is_neither_served_nor_executed() {
    let fixture = fixture();
    for (method, path) in &REQUESTS {
        on_one_thread(async {
            let (port, log) = serve(&fixture);
            let direct = target(&fixture.path("ca.pem"), port, Protocol::H3);
            let relay = UdpRelay::start(direct.address, Passing::Once).await;
            let relayed = Target {
                address: relay.address,
                ..direct.clone()
            };
            early(&relayed, port, method, path).await;
            let logged = entries(&log, path);
            let sent = relay.sent.borrow().clone();
            let elsewhere = bound().await;
            // As long as the origin remembers the connection, what belongs to it begins no other.
            let again = async {
                while log.tickets().quic.replayed == 0 {
                    for datagram in &sent {
                        let sending = elsewhere.send_to(datagram, direct.address);
                        sending.await.expect("a datagram sent");
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::time::timeout(AMPLE, again)
                .await
                .expect("a replay that comes to the origin's TLS");
            everything_has_come(&direct, &log).await;
            assert_eq!(log.tickets().quic.redeemed, 1, "{method}");
            assert_eq!(entries(&log, path), logged, "{method}");
        });
    }
}

#[test]
fn early_data_over_quic_that_comes_twice_at_once_is_served_and_executed_once() {
    let fixture = fixture();
    for (method, path) in &REQUESTS {
        on_one_thread(async {
            let (port, log) = serve(&fixture);
            let direct = target(&fixture.path("ca.pem"), port, Protocol::H3);
            let relay = UdpRelay::start(direct.address, Passing::Twice).await;
            let relayed = Target {
                address: relay.address,
                ..direct.clone()
            };
            let page = early(&relayed, port, method, path).await;
            everything_has_come(&direct, &log).await;
            let logged = entries(&log, path);
            let of_method: Vec<_> = logged
                .iter()
                .filter(|(name, status, _)| name == method.as_str() && *status != 425)
                .collect();
            // A GET of `/` gained the session as well.
            let expected = if *method == Method::GET { 2 } else { 1 };
            assert_eq!(of_method.len(), expected, "{logged:?}");
            let too_early = logged.iter().filter(|(_, status, _)| *status == 425);
            let told = page.resources[0].too_early_s.is_some();
            assert_eq!(too_early.count(), usize::from(told), "{logged:?}");
            assert_eq!(log.tickets().quic.redeemed, 1, "{method}");
        });
    }
}

/// Waits until the origin has taken in all datagrams that were sent to it: its socket gives them in order, and
/// a load that comes last is answered.
async fn everything_has_come(direct: &Target, log: &AccessLog) {
    let before = log.entries().len();
    load(direct, SessionUse::Cold, Method::GET, "/none").await;
    assert_eq!(log.entries().len(), before + 1);
}
