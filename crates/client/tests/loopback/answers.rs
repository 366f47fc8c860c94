//! What comes of statuses, redirects and content codings.

use std::io::Write;

use http::Method;
use pronghorn_client::{Kind, Outcome, Reason, Why};

use crate::fixture::{HOST_NAME, PROTOCOLS};
use crate::scripted::{Answer, load, load_with};

fn brotli(content: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut encoded, 4096, 5, 20);
    encoder.write_all(content).expect("written");
    drop(encoder);
    encoded
}

fn coded(kind: &str, coding: &str, body: Vec<u8>) -> Answer {
    Answer::new(
        200,
        &[("content-type", kind), ("content-encoding", coding)],
        body,
    )
}

#[test]
fn every_protocol_asks_for_chromiums_codings_and_reads_what_comes_in_them() {
    let document = brotli(b"<link rel=stylesheet href=/a.css><p>x</p>");
    let sheet = zstd::encode_all(&b"p { background: url(/b.png) }"[..], 3).expect("encoded");
    let size = document.len() + sheet.len() + 3;
    let answers = [
        ("/", coded("text/html", "br", document)),
        ("/a.css", coded("text/css", "zstd", sheet)),
        ("/b.png", Answer::new(200, &[], "png")),
    ];
    for protocol in PROTOCOLS {
        let loaded = load(protocol, &answers);
        let page = &loaded.page;
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        assert_eq!(loaded.paths(), ["/", "/a.css", "/b.png"], "{protocol}");
        assert_eq!(
            page.bytes, size as u64,
            "{protocol}: as they were transferred"
        );
        let codings: Vec<_> = page
            .resources
            .iter()
            .map(|r| r.content_coding.as_deref())
            .collect();
        assert_eq!(codings, [Some("br"), Some("zstd"), None], "{protocol}");
        for (_, path, asked) in &loaded.requests {
            assert_eq!(asked, "gzip, deflate, br, zstd", "{protocol} {path}");
        }
    }
}

#[test]
fn a_body_that_is_not_in_its_coding_is_incomplete() {
    let answers = [(
        "/",
        coded("text/html", "gzip", b"<img src=/a.png>".to_vec()),
    )];
    for protocol in PROTOCOLS {
        let page = load(protocol, &answers).page;
        assert_eq!(page.reason, Some(Reason::Incomplete), "{protocol}");
        let detail = page.detail.expect("a detail");
        assert!(detail.contains("gzip"), "{detail}");
    }
}

#[test]
fn a_sheet_that_unfolds_without_end_is_too_large() {
    let bomb = zstd::encode_all(&vec![b' '; 33 << 20][..], 3).expect("encoded");
    let answers = [
        ("/", Answer::html("<link rel=stylesheet href=/a.css>")),
        ("/a.css", coded("text/css", "zstd", bomb)),
    ];
    for protocol in PROTOCOLS {
        let page = load(protocol, &answers).page;
        assert_eq!(page.reason, Some(Reason::TooLarge), "{protocol}");
        let detail = page.detail.expect("a detail");
        assert!(detail.starts_with("/a.css: "), "{detail}");
        assert!(detail.contains("33554432 bytes"), "{detail}");
    }
}

#[test]
fn a_tolerated_failure_is_counted_and_does_not_fail_the_load() {
    let answers = [(
        "/",
        Answer::html("<img src='/collect?v=1'><img src=/other.png>"),
    )];
    for protocol in PROTOCOLS {
        let page = load_with(protocol, &answers, &["/collect*", "/*.png"], Method::GET).page;
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        assert!(page.load_s.is_some(), "{protocol}");
        assert_eq!((page.requests, page.failures), (3, 2), "{protocol}");
        let errors: Vec<_> = page.resources.iter().map(|r| r.error.as_deref()).collect();
        let expected = [
            None,
            Some("/collect?v=1 was answered 404"),
            Some("/other.png was answered 404"),
        ];
        assert_eq!(errors, expected, "{protocol}");
        let page = load_with(protocol, &answers, &["/*.png"], Method::GET).page;
        assert_eq!(page.reason, Some(Reason::Status), "{protocol}");
        let detail = page.detail.expect("a detail");
        assert_eq!(
            detail,
            "/collect?v=1 was answered 404; if it may fail, write tolerate = [\"/collect*\"] in the experiment"
        );
    }
}

#[test]
fn the_document_is_never_tolerated() {
    for protocol in PROTOCOLS {
        let page = load_with(protocol, &[], &["*"], Method::GET).page;
        assert_eq!(page.reason, Some(Reason::Status), "{protocol}");
        assert_eq!(
            page.detail.as_deref(),
            Some("/ was answered 404"),
            "{protocol}"
        );
    }
}

fn redirect(status: u16, location: &str) -> Answer {
    Answer::new(status, &[("location", location)], "moved")
}

#[test]
fn redirects_are_followed_and_each_hop_is_a_resource() {
    let answers = [
        ("/", redirect(301, "/shop/")),
        ("/shop/", Answer::html("<img src=a.png><img src=b.png>")),
        ("/shop/a.png", redirect(302, "../c.png")),
        (
            "/c.png",
            redirect(307, &format!("https://{HOST_NAME}/d.png#x")),
        ),
        ("/d.png", Answer::new(200, &[], "d")),
        ("/shop/b.png", redirect(308, "https://elsewhere.test/b.png")),
    ];
    for protocol in PROTOCOLS {
        let page = load(protocol, &answers).page;
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        let mut hops: Vec<_> = page
            .resources
            .iter()
            .map(|r| (r.path.as_str(), r.kind, r.initiator.as_deref(), r.status))
            .collect();
        hops.sort_unstable_by_key(|(path, ..)| *path);
        let shop = Some("/shop/");
        let expected = [
            ("/", Kind::Document, None, Some(301)),
            ("/c.png", Kind::Image, shop, Some(307)),
            ("/d.png", Kind::Image, shop, Some(200)),
            ("/shop/", Kind::Document, None, Some(200)),
            ("/shop/a.png", Kind::Image, shop, Some(302)),
            ("/shop/b.png", Kind::Image, shop, Some(308)),
        ];
        assert_eq!(hops, expected, "{protocol}");
        assert_eq!(page.left_out_count, 1, "{protocol}");
        assert_eq!(page.left_out[0].url, "https://elsewhere.test/b.png");
        assert_eq!(page.left_out[0].why, Why::OtherHost);
    }
}

#[test]
fn a_document_that_leads_elsewhere_nowhere_or_round_in_circles_fails_and_says_so() {
    let cases = [
        (
            redirect(301, "https://elsewhere.test/"),
            "/ was answered 301 and leads to another host: https://elsewhere.test/",
        ),
        (redirect(302, "/"), "/ was answered 302 after 20 redirects"),
        (
            Answer::new(303, &[], ""),
            "/ was answered 303 without a place that it leads to",
        ),
        (
            Answer::new(304, &[], ""),
            "/ was answered 304 without a place that it leads to",
        ),
    ];
    for (answer, expected) in cases {
        for protocol in PROTOCOLS {
            let page = load(protocol, &[("/", answer.clone())]).page;
            assert_eq!(page.reason, Some(Reason::Status), "{protocol}");
            assert_eq!(page.detail.as_deref(), Some(expected), "{protocol}");
        }
    }
}

#[test]
fn a_post_that_is_redirected_goes_on_as_browsers_have_it() {
    for (status, expected) in [(301, Method::GET), (303, Method::GET), (307, Method::POST)] {
        let answers = [("/", redirect(status, "/b")), ("/b", Answer::html(""))];
        for protocol in PROTOCOLS {
            let loaded = load_with(protocol, &answers, &[], Method::POST);
            let methods: Vec<_> = loaded
                .requests
                .into_iter()
                .map(|(method, ..)| method)
                .collect();
            assert_eq!(
                methods,
                [Method::POST, expected.clone()],
                "{protocol} {status}"
            );
        }
    }
}

#[test]
fn addresses_of_the_pages_own_name_are_its_own_and_others_are_counted_once() {
    let mut html = format!(
        "<img src=http://{HOST_NAME}/a.png><img src=//{HOST_NAME}/a.png><img src=https://{HOST_NAME}/b.png>\
         <img src=https://{HOST_NAME}:8443/c.png><img src=data:,x><img src=mailto:x@y.test>"
    );
    for number in 0..150 {
        html.push_str(&format!(
            "<script src=https://cdn.test/{}.js></script>",
            number % 120
        ));
    }
    let answers = [
        ("/", Answer::html(html)),
        ("/a.png", Answer::new(200, &[], "a")),
        ("/b.png", Answer::new(200, &[], "b")),
    ];
    for protocol in PROTOCOLS {
        let loaded = load(protocol, &answers);
        let page = &loaded.page;
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        assert_eq!(loaded.paths(), ["/", "/a.png", "/b.png"], "{protocol}");
        assert_eq!(
            (page.left_out.len(), page.left_out_count),
            (100, 121),
            "{protocol}"
        );
        let first = &page.left_out[0];
        assert_eq!(first.url, format!("https://{HOST_NAME}:8443/c.png"));
        assert_eq!((first.why, first.kind), (Why::OtherHost, Kind::Image));
        assert_eq!(page.left_out[1].kind, Kind::Script);
    }
}

#[test]
fn a_page_of_too_many_resources_is_too_large() {
    let mut html = String::new();
    for number in 0..10_001 {
        html.push_str(&format!("<img src={number}>"));
    }
    let page = load_with(
        PROTOCOLS[1],
        &[("/", Answer::html(html))],
        &["/*"],
        Method::GET,
    )
    .page;
    assert_eq!(page.reason, Some(Reason::TooLarge), "{:?}", page.detail);
    assert_eq!(page.requests, 10_000);
    let detail = page.detail.expect("a detail");
    assert!(
        detail.contains("10000 resources, of which /9999 is one too many"),
        "{detail}"
    );
}
