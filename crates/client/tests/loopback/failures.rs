//! A failed load is an outcome, with its reason.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::time::Duration;

use pronghorn_client::{Outcome, PageLoad, Reason};
use pronghorn_http::Protocol;
use tokio::net::TcpSocket;

use crate::faulty;
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
        // Bound, so that nobody else gets the port, but not listening.
        let bound = TcpSocket::new_v4().expect("a socket");
        bound
            .bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
            .expect("a free port");
        let port = bound.local_addr().expect("an address").port();
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
fn a_body_shorter_than_announced_is_incomplete() {
    let site = Fixture::new(&[]);
    for protocol in [Protocol::H1, Protocol::H2] {
        let page = faulty::load(&site, protocol, faulty::Fault::ShortBody);
        assert_failed(&page, Reason::Incomplete, &protocol.to_string());
    }
}

#[test]
fn a_request_that_the_server_refuses_unread_is_made_again_on_another_connection() {
    let site = Fixture::new(&[]);
    let page = faulty::load(&site, Protocol::H2, faulty::Fault::RefusedOnce);
    assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
    assert_eq!(page.connections.len(), 2);
    let image = page
        .resources
        .iter()
        .find(|r| r.path == "/image.png")
        .expect("loaded");
    assert_eq!(image.connection, Some(1));
}

#[test]
fn a_stream_reset_under_way_is_a_reset_and_names_its_cause() {
    let site = Fixture::new(&[]);
    let page = faulty::load(&site, Protocol::H2, faulty::Fault::Reset);
    assert_failed(&page, Reason::Reset, "h2");
    let detail = page.detail.expect("a detail");
    assert!(detail.contains("stream error"), "{detail}");
}

#[test]
fn a_document_that_is_not_the_origins_is_an_error_of_the_set_up() {
    let site = Fixture::new(&[]);
    for document in ["https://other.test/", "data:,x", "//["] {
        let target = target(&site.path("ca.pem"), 1, Protocol::H2);
        let load = on_one_thread(pronghorn_client::load(target, document, AMPLE));
        let error = load.expect_err("no such document");
        assert!(error.to_string().contains(document), "{error}");
    }
}

#[test]
fn a_ca_that_cannot_be_read_is_an_error_of_the_set_up() {
    let site = Fixture::new(&[("site/index.html", b"")]);
    let target = target(&site.path("no-such.pem"), 1, Protocol::H2);
    let error = on_one_thread(pronghorn_client::load(target, "/", AMPLE)).expect_err("no CA");
    assert!(error.to_string().contains("no-such.pem"), "{error}");
}
