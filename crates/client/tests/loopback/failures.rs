//! A failed load is an outcome, with its reason.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::time::Duration;

use pronghorn_client::{Outcome, PageLoad, Reason};
use pronghorn_http::Protocol;

use crate::fixture::{AMPLE, Fixture, PROTOCOLS, on_one_thread, target};

fn assert_failed(page: &PageLoad, reason: Reason, case: &str) {
    assert_eq!(page.outcome, Outcome::Failed, "{case}");
    assert_eq!(page.reason, Some(reason), "{case}: {:?}", page.detail);
    assert_eq!(page.load_s, None, "{case}: a failed load has no load time");
    assert!(page.failures > 0, "{case}");
    assert!(page.detail.is_some(), "{case}");
}

#[test]
fn a_missing_resource_fails_the_load_and_not_the_others() {
    let site = Fixture::new(&[
        (
            "site/index.html",
            b"<img src=/there.png><img src=/missing.png>",
        ),
        ("site/there.png", b"z"),
    ]);
    for protocol in PROTOCOLS {
        let (page, _) = site.load(protocol, "/");
        assert_failed(&page, Reason::Status, &protocol.to_string());
        assert_eq!((page.requests, page.failures), (3, 1), "{protocol}");
        assert!(
            page.detail
                .expect("a detail")
                .contains("/missing.png was answered 404")
        );
    }
}

#[test]
fn nobody_at_the_port_is_a_failure_to_connect() {
    let site = Fixture::new(&[("site/index.html", b"")]);
    for protocol in [Protocol::H1, Protocol::H2] {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .expect("a port that was free")
            .port();
        let target = target(&site.path("ca.pem"), port, protocol);
        let page = on_one_thread(pronghorn_client::load(target, "/", AMPLE)).expect("usable TLS");
        assert_failed(&page, Reason::Connect, &protocol.to_string());
    }
}

#[test]
fn a_silent_server_runs_into_the_time_limit() {
    let site = Fixture::new(&[("site/index.html", b"")]);
    let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a listener");
    let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    let ports = [
        (Protocol::H1, tcp.local_addr().expect("an address").port()),
        (Protocol::H2, tcp.local_addr().expect("an address").port()),
        (Protocol::H3, udp.local_addr().expect("an address").port()),
    ];
    for (protocol, port) in ports {
        let target = target(&site.path("ca.pem"), port, protocol);
        let limit = Duration::from_millis(300);
        let page = on_one_thread(pronghorn_client::load(target, "/", limit)).expect("usable TLS");
        assert_failed(&page, Reason::Timeout, &protocol.to_string());
        assert_eq!(page.ttfb_s, None, "{protocol}");
    }
}

#[test]
fn a_certificate_of_a_stranger_is_refused() {
    let site = Fixture::new(&[("site/index.html", b"")]);
    let stranger = Fixture::new(&[("site/index.html", b"")]);
    std::fs::copy(stranger.path("ca.pem"), site.path("ca.pem")).expect("copied");
    for protocol in PROTOCOLS {
        let (page, _) = site.load(protocol, "/");
        assert_failed(&page, Reason::Tls, &protocol.to_string());
    }
}

#[test]
fn a_ca_that_cannot_be_read_is_an_error_of_the_set_up() {
    let site = Fixture::new(&[("site/index.html", b"")]);
    let target = target(&site.path("no-such.pem"), 1, Protocol::H2);
    let error = on_one_thread(pronghorn_client::load(target, "/", AMPLE)).expect_err("no CA");
    assert!(error.to_string().contains("no-such.pem"), "{error}");
}
