//! What a load finds, and how it is recorded.

use pronghorn_client::{Kind, Outcome};
use pronghorn_http::{Handshake, TlsVersion};

use crate::fixture::{Fixture, PROTOCOLS};

const PAGE: &[u8] = br#"<!doctype html><html><head><link rel="icon" href="data:,">
    <link rel="stylesheet" href="/css/main.css"><script src="/head.js"></script></head>
    <body><img src="/a.png"><img src="/a.png"><img src="https://elsewhere.test/b.png">
    <p>x</p><script src="/late.js" defer></script></body></html>"#;

const SHEET: &[u8] = br#"@import "more.css"; @font-face { font-family: f; src: url(../f.woff2) }
    p { font-family: f }"#;

fn shop() -> Fixture {
    Fixture::new(&[
        ("site/index.html", PAGE),
        ("site/css/main.css", SHEET),
        ("site/css/more.css", b"p { background: url(/deep.png) }"),
        ("site/head.js", &[b'/'; 70_000]),
        ("site/late.js", b"1"),
        ("site/a.png", &[1; 300_000]),
        ("site/deep.png", b"x"),
        ("site/f.woff2", b"y"),
    ])
}

#[test]
fn every_protocol_loads_the_same_page_over_itself() {
    let shop = shop();
    for protocol in PROTOCOLS {
        let (page, log) = shop.load(protocol, "/");
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        let mut paths: Vec<_> = page.resources.iter().map(|r| r.path.as_str()).collect();
        paths.sort_unstable();
        let expected = [
            "/",
            "/a.png",
            "/css/main.css",
            "/css/more.css",
            "/deep.png",
            "/f.woff2",
            "/head.js",
            "/late.js",
        ];
        assert_eq!(paths, expected, "{protocol}");
        let left: Vec<_> = page.left_out.iter().map(|one| one.url.as_str()).collect();
        assert_eq!(left, ["https://elsewhere.test/b.png"], "{protocol}");
        assert!(
            page.resources.iter().all(|r| r.protocol == Some(protocol)),
            "{protocol}"
        );
        assert!(
            log.entries().iter().all(|entry| entry.protocol == protocol),
            "{protocol}"
        );
        assert_eq!(log.entries().len(), expected.len(), "{protocol}");
        let sizes = PAGE.len() + SHEET.len() + 32 + 70_000 + 1 + 300_000 + 1 + 1;
        assert_eq!(page.bytes, sizes as u64, "{protocol}");
    }
}

#[test]
fn file_names_that_urls_must_encode_are_found() {
    let site = Fixture::new(&[
        (
            "site/index.html",
            "<img src='/a b.png'><img src='/ü/é.png'>".as_bytes(),
        ),
        ("site/a b.png", b"1"),
        ("site/ü/é.png", b"2"),
    ]);
    for protocol in PROTOCOLS {
        let (page, _) = site.load(protocol, "/");
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        assert_eq!(page.requests, 3, "{protocol}");
    }
}

#[test]
fn resources_know_who_named_them_and_the_load_its_round_trips() {
    let shop = shop();
    for protocol in PROTOCOLS {
        let (page, _) = shop.load(protocol, "/");
        let initiator = |path: &str| {
            let found = page
                .resources
                .iter()
                .find(|r| r.path == path)
                .expect("loaded");
            (found.kind, found.initiator.clone())
        };
        assert_eq!(initiator("/"), (Kind::Document, None));
        assert_eq!(
            initiator("/css/main.css"),
            (Kind::Style, Some("/".to_owned()))
        );
        assert_eq!(
            initiator("/f.woff2"),
            (Kind::Font, Some("/css/main.css".to_owned()))
        );
        assert_eq!(
            initiator("/deep.png"),
            (Kind::Image, Some("/css/more.css".to_owned()))
        );
        // Document, main.css, more.css, deep.png: four steps after the handshake.
        let handshake = protocol.handshake_round_trips(TlsVersion::Tls13, Handshake::Full);
        assert_eq!(page.round_trips, handshake + 4);
    }
}

#[test]
fn times_come_in_the_order_of_what_they_time() {
    let shop = shop();
    for protocol in PROTOCOLS {
        let (page, _) = shop.load(protocol, "/");
        let load = page.load_s.expect("a load time");
        let first = &page.connections[0];
        assert!(first.start_s <= first.connected_s.expect("connected"));
        assert!(first.connected_s <= first.secured_s);
        assert_eq!(
            (page.connect_s, page.tls_s),
            (first.connected_s, first.secured_s)
        );
        for resource in &page.resources {
            let times = [
                Some(resource.start_s),
                resource.request_s,
                resource.first_byte_s,
                resource.last_byte_s,
                Some(load),
            ];
            assert!(
                times.iter().all(Option::is_some),
                "{protocol} {}",
                resource.path
            );
            assert!(times.is_sorted(), "{protocol} {}: {times:?}", resource.path);
        }
        assert_eq!(page.ttfb_s, page.resources[0].first_byte_s);
    }
}

#[test]
fn http1_opens_at_most_six_connections_and_the_others_one() {
    let mut html = String::from("<!doctype html>");
    let names: Vec<String> = (0..30).map(|index| format!("i{index}.png")).collect();
    for name in &names {
        html.push_str(&format!("<img src={name}>"));
    }
    let images: Vec<String> = names.iter().map(|name| format!("site/{name}")).collect();
    let mut files: Vec<(&str, &[u8])> = vec![("site/index.html", html.as_bytes())];
    files.extend(images.iter().map(|name| (name.as_str(), &[7u8; 5000][..])));
    let gallery = Fixture::new(&files);
    for protocol in PROTOCOLS {
        let (page, log) = gallery.load(protocol, "/");
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        assert_eq!(page.requests, 31, "{protocol}");
        let expected = if protocol == pronghorn_http::Protocol::H1 {
            6
        } else {
            1
        };
        assert_eq!(page.connections.len(), expected, "{protocol}");
        assert_eq!(log.connections().len(), expected, "{protocol}");
    }
}

#[test]
fn facts_of_the_connections_are_read_back() {
    let shop = shop();
    for protocol in PROTOCOLS {
        let (page, log) = shop.load(protocol, "/");
        let quic = protocol == pronghorn_http::Protocol::H3;
        let control = Some(if quic { "cubic" } else { "reno" }.to_owned());
        for connection in &page.connections {
            assert_eq!(
                connection.alpn.as_deref().map(str::as_bytes),
                Some(protocol.alpn())
            );
            assert_eq!(connection.tls_version.as_deref(), Some("TLS 1.3"));
            assert_eq!(
                connection.congestion_controller, control,
                "client, {protocol}"
            );
        }
        for connection in log.connections() {
            assert_eq!(
                connection.congestion_controller, control,
                "origin, {protocol}"
            );
        }
    }
}
