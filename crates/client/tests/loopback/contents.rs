//! What documents, style sheets and module scripts make a load ask for.

use http::Method;
use pronghorn_client::{Kind, Outcome, Reason, Why};

use crate::fixture::PROTOCOLS;
use crate::scripted::{Answer, load, load_with};

fn css(body: &str) -> Answer {
    Answer::new(200, &[("content-type", "text/css")], body.to_owned())
}

fn script(body: &str) -> Answer {
    Answer::new(200, &[("content-type", "text/javascript")], body.to_owned())
}

fn other(body: &str) -> Answer {
    Answer::new(200, &[], body.to_owned())
}

/// The paths that a page asks for beside itself, over each protocol; it has to be loaded well.
fn asked(answers: &[(&str, Answer)]) -> Vec<String> {
    let mut all = PROTOCOLS.map(|protocol| {
        let loaded = load(protocol, answers);
        let page = &loaded.page;
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        let paths = loaded.paths();
        paths
            .iter()
            .filter(|path| **path != "/")
            .map(|path| (*path).to_owned())
            .collect::<Vec<_>>()
    });
    assert!(all.iter().all(|paths| *paths == all[0]), "{all:?}");
    std::mem::take(&mut all[0])
}

#[test]
fn documents_in_frames_are_loaded_with_what_they_need() {
    let answers = [
        (
            "/",
            Answer::html(
                "<iframe src=/f/a.html></iframe><iframe srcdoc=\"<img src='d.png?a&amp;b'>\"></iframe>",
            ),
        ),
        (
            "/f/a.html",
            Answer::html(
                "<link rel=stylesheet href=a.css><p>x<iframe src=a.html></iframe><iframe src=/></iframe>",
            ),
        ),
        ("/f/a.css", css("p { background: url(a.png) }")),
        ("/f/a.png", other("a")),
        ("/d.png?a&b", other("d")),
    ];
    assert_eq!(
        asked(&answers),
        ["/d.png?a&b", "/f/a.css", "/f/a.html", "/f/a.png"]
    );
    let page = load(PROTOCOLS[1], &answers).page;
    let sheet = page
        .resources
        .iter()
        .find(|r| r.path == "/f/a.png")
        .expect("loaded");
    assert_eq!(sheet.initiator.as_deref(), Some("/f/a.css"));
    let frame = page
        .resources
        .iter()
        .find(|r| r.path == "/f/a.html")
        .expect("loaded");
    assert_eq!(
        (frame.kind, frame.initiator.as_deref()),
        (Kind::Document, Some("/"))
    );
}

#[test]
fn scripts_that_may_make_requests_are_named_where_a_browser_would_run_them() {
    let gzipped = {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut writer, b"fetch('a.json')").expect("compressed");
        writer.finish().expect("compressed")
    };
    let coded = [
        ("content-type", "text/javascript"),
        ("content-encoding", "gzip"),
    ];
    let answers = [
        (
            "/",
            Answer::html(
                "<link rel=modulepreload href=unused.js><link rel=preload as=script href=later.js>
                <script src=quiet.js></script><script src=coded.js></script><script src=gone.js></script>
                <script type=module src=module.js></script><script src=later.js></script>
                <script>fetch('b.json')</script><script>a = 1</script><script nomodule>fetch('c.json')</script>
                <script type=text/plain>fetch('d.json')</script><script type=module>import('./e.js')</script>
                <body onload=\"new Image().src='f.png'\"><iframe srcdoc='<script>fetch(1)</script>'></iframe>",
            ),
        ),
        ("/quiet.js", script("window.quiet = true;")),
        ("/coded.js", Answer::new(200, &coded, gzipped)),
        ("/gone.js", Answer::new(302, &[("location", "/moved.js")], "")),
        ("/moved.js", script("new WebSocket('/ws')")),
        ("/module.js", script("document.body.append(document.createElement('img'))")),
        ("/later.js", script("importScripts('x.js')")),
        ("/unused.js", script("fetch('y.json')")),
    ];
    for protocol in PROTOCOLS {
        let page = load(protocol, &answers).page;
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        let mut named = page.scripts_not_run.clone();
        named.sort();
        assert_eq!(
            named,
            ["/", "/coded.js", "/later.js", "/module.js", "/moved.js"],
            "{protocol}"
        );
        // Of those in the document: two scripts, an event handler and the frame's.
        assert_eq!(page.scripts_not_run_count, 4 + 4, "{protocol}");
    }
}

#[test]
fn frames_without_end_are_left_out_beyond_a_bound() {
    let mut answers = vec![("/".to_owned(), Answer::html("<iframe src=/0>"))];
    for depth in 0..20 {
        let html = format!("<iframe src=/{}>", depth + 1);
        answers.push((format!("/{depth}"), Answer::html(html)));
    }
    let answers: Vec<_> = answers
        .iter()
        .map(|(path, answer)| (path.as_str(), answer.clone()))
        .collect();
    for protocol in PROTOCOLS {
        let page = load(protocol, &answers).page;
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        assert_eq!(page.requests, 11, "{protocol}");
        assert_eq!(page.left_out[0].why, Why::Unsupported, "{protocol}");
        assert!(page.left_out[0].url.ends_with("/10"), "{protocol}");
    }
}

#[test]
fn style_sheets_ask_for_what_the_document_shows() {
    let sheet = "@import 'more.css'; @import 'paper.css' print;
        @font-face { font-family: Used; src: url(latin.woff2); unicode-range: U+0-FF }
        @font-face { font-family: Used; src: url(cyrillic.woff2); unicode-range: U+400-4FF }
        @font-face { font-family: Unused; src: url(unused.woff2) }
        .a { font-family: Used, serif } .missing { background: url(missing.png) }
        .a { background: url(over.png) } .a { background: url(a.png) } .a:hover { background: url(hover.png) }
        @media (max-width: 300px) { .a { background: url(narrow.png) } }";
    let answers = [
        ("/", Answer::html("<link rel=preload as=style href=s/main.css><link rel=stylesheet href=s/main.css>
            <link rel=stylesheet href=s/print.css media=print><p class=a style='list-style: url(own.png)'>x</p>")),
        ("/s/main.css", css(sheet)),
        ("/s/more.css", css("@import 'main.css'; p::before { content: url(before.png) }")),
        ("/s/paper.css", css("p { background: url(paper.png) }")),
        ("/s/print.css", css("@import 'deep.css'; p { background: url(print.png) }")),
        ("/s/deep.css", css("p { background: url(deep.png) }")),
        ("/s/latin.woff2", other("f")),
        ("/s/a.png", other("a")),
        ("/s/before.png", other("b")),
        ("/own.png", other("o")),
    ];
    let expected = [
        "/own.png",
        "/s/a.png",
        "/s/before.png",
        "/s/deep.css",
        "/s/latin.woff2",
        "/s/main.css",
        "/s/more.css",
        "/s/paper.css",
        "/s/print.css",
    ];
    assert_eq!(asked(&answers), expected);
    let page = load(PROTOCOLS[1], &answers).page;
    let urgency = |path: &str| {
        page.resources
            .iter()
            .find(|r| r.path == path)
            .expect("loaded")
            .priority
            .urgency
    };
    assert_eq!((urgency("/s/main.css"), urgency("/s/print.css")), (0, 4));
}

#[test]
fn static_imports_of_modules_are_followed_and_preloaded_ones_once_they_run() {
    let answers = [
        ("/", Answer::html("<link rel=modulepreload href=/p.js><link rel=modulepreload href=/q.js>
            <script type=importmap>{\"imports\": {\"lib\": \"/m/lib.js\", \"dir/\": \"/d/\"}}</script>
            <script type=module src=/m/a.js></script><script type=module>import 'lib'; import '/p.js'</script>")),
        ("/m/a.js", script("import './b.js'; import('./dynamic.js'); export * from 'dir/x.js'; import 'bare'")),
        ("/m/b.js", script("import './a.js'; import data from './c.json' with { type: 'json' }")),
        ("/m/c.json", Answer::new(200, &[("content-type", "application/json")], "\"import './no.js'\"")),
        ("/m/lib.js", script("")),
        ("/d/x.js", script("")),
        ("/p.js", script("import './deps.js'")),
        ("/q.js", script("import './never.js'")),
        ("/deps.js", script("")),
    ];
    let expected = [
        "/d/x.js",
        "/deps.js",
        "/m/a.js",
        "/m/b.js",
        "/m/c.json",
        "/m/lib.js",
        "/p.js",
        "/q.js",
    ];
    assert_eq!(asked(&answers), expected);
}

#[test]
fn a_document_is_read_in_its_encoding() {
    let html = "<link rel=stylesheet href=/a.css><img src=/é.png>";
    let utf_16: Vec<u8> = format!("\u{feff}{html}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let latin: Vec<u8> = html
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("latin"))
        .collect();
    let documents = [
        Answer::html(utf_16),
        Answer::new(
            200,
            &[("content-type", "text/html; charset=iso-8859-1")],
            latin,
        ),
    ];
    for document in documents {
        let answers = [
            ("/", document),
            ("/a.css", css("")),
            ("/%C3%A9.png", other("é")),
        ];
        assert_eq!(asked(&answers), ["/%C3%A9.png", "/a.css"]);
    }
}

#[test]
fn what_isnt_a_document_refers_to_nothing() {
    let answers = [(
        "/",
        Answer::new(200, &[("content-type", "text/plain")], "<img src=/a.png>"),
    )];
    assert!(asked(&answers).is_empty());
}

#[test]
fn links_in_headers_are_heeded() {
    let headers = [
        ("content-type", "text/html"),
        (
            "link",
            "</a.js>; rel=preload; as=script, </b.woff2>; rel=\"preload\"; as=font; crossorigin, </c>; rel=preconnect",
        ),
    ];
    let answers = [
        ("/", Answer::new(200, &headers, "")),
        ("/a.js", script("")),
        ("/b.woff2", other("b")),
    ];
    assert_eq!(asked(&answers), ["/a.js", "/b.woff2"]);
}

#[test]
fn the_page_behind_a_stub_is_loaded_or_named() {
    let html = ("content-type", "text/html");
    let refresh = |content: &str| {
        let meta = format!("<meta http-equiv=refresh content=\"{content}\">");
        [
            Answer::new(200, &[html, ("refresh", content)], ""),
            Answer::html(meta),
        ]
    };
    for (content, requests, left_out) in [
        ("0; URL='/real'", 3, 0),
        ("0;/real", 3, 0),
        ("1; url=/real", 1, 1),
        ("0; url=https://elsewhere.test/real", 1, 1),
        ("30; url=/real", 1, 0),
        ("0", 1, 0),
    ] {
        for stub in refresh(content) {
            let answers = [
                ("/", stub),
                ("/real", Answer::html("<img src=/a.png>")),
                ("/a.png", other("a")),
            ];
            for protocol in PROTOCOLS {
                let page = load(protocol, &answers).page;
                assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
                let told = (page.requests, page.left_out_count);
                assert_eq!(told, (requests, left_out), "{protocol} {content}");
                if let Some(left) = page.left_out.first() {
                    assert_eq!(left.kind, Kind::Document);
                    assert!(left.url.ends_with("/real"), "{}", left.url);
                }
            }
        }
    }
}

#[test]
fn imports_in_a_row_end_at_their_bound() {
    let mut answers = vec![(
        "/".to_owned(),
        Answer::html("<link rel=stylesheet href=/0.css>"),
    )];
    for depth in 0..50 {
        let sheet = css(&format!("@import '{}.css'", depth + 1));
        answers.push((format!("/{depth}.css"), sheet));
    }
    let answers: Vec<_> = answers
        .iter()
        .map(|(path, answer)| (path.as_str(), answer.clone()))
        .collect();
    for protocol in PROTOCOLS {
        let page = load(protocol, &answers).page;
        assert_eq!(page.reason, Some(Reason::TooLarge), "{protocol}");
        assert_eq!(
            page.detail.as_deref(),
            Some("/33.css: more than 32 imports in a row led to it")
        );
    }
}

#[test]
fn a_failed_sheet_keeps_nobody_waiting() {
    let answers = [
        (
            "/",
            Answer::html(
                "<link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css><p>x</p>",
            ),
        ),
        ("/a.css", css("p { background: url(a.png) }")),
        ("/a.png", other("a")),
    ];
    for protocol in PROTOCOLS {
        let loaded = load_with(protocol, &answers, &["/b.css"], Method::GET);
        assert_eq!(loaded.page.outcome, Outcome::Ok, "{protocol}");
        assert_eq!(
            loaded.paths(),
            ["/", "/a.css", "/a.png", "/b.css"],
            "{protocol}"
        );
    }
}

#[test]
fn what_a_policy_in_the_header_forbids_is_left_out_as_blocked() {
    let headers = [
        ("content-type", "text/html"),
        ("content-security-policy", "script-src 'none'"),
    ];
    let answers = [(
        "/",
        Answer::new(200, &headers, "<script src=/a.js></script>"),
    )];
    for protocol in PROTOCOLS {
        let page = load(protocol, &answers).page;
        assert_eq!(
            (page.requests, page.left_out[0].why),
            (1, Why::Blocked),
            "{protocol}"
        );
        assert!(page.left_out[0].url.ends_with("/a.js"), "{protocol}");
    }
}

/// On the page's own host too: a cut URL is another resource's.
#[test]
fn urls_that_are_too_long_are_left_out_and_counted() {
    let long = "A".repeat(1 << 20);
    for (base, why) in [
        (format!("https://other.test/{long}/"), Why::OtherHost),
        (format!("/{long}/"), Why::Unsupported),
    ] {
        let images: String = (0..1000).map(|n| format!("<img src={n}>")).collect();
        let html = format!("<img src=/a.png><base href='{base}'>{images}");
        let answers = [("/", Answer::html(html)), ("/a.png", other("a"))];
        let loaded = load(PROTOCOLS[1], &answers);
        let page = &loaded.page;
        assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
        assert_eq!((page.requests, page.left_out_count), (2, 1000));
        assert_eq!(page.left_out.len(), 100);
        for left in &page.left_out {
            assert_eq!((left.url.len(), left.why), (2048, why));
            assert!(!left.url.contains('#'));
        }
    }
}

#[test]
fn a_page_that_names_too_many_bytes_of_urls_is_too_large() {
    let long = "A".repeat(40_000);
    let images: String = (0..2000).map(|n| format!("<img src={n}>")).collect();
    let html = format!("<base href='https://other.test/{long}/'>{images}");
    let page = load(PROTOCOLS[1], &[("/", Answer::html(html))]).page;
    assert_eq!(page.reason, Some(Reason::TooLarge), "{:?}", page.detail);
    let detail = page.detail.expect("a detail");
    assert!(detail.starts_with("/: the page's URLs"), "{detail}");
}
