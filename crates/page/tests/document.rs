//! What documents refer to, held against what Chromium asked for of the same pages.

use std::rc::Rc;

use pronghorn_page::{
    Document, Found, Kind, LONGEST_URL, MOST_URL_BYTES, Place, Reference, Role, Sheet,
};
use url::Url;

fn url() -> Url {
    Url::parse("https://page.test/").expect("a URL")
}

fn references(found: Vec<Found>) -> Vec<Reference> {
    let reference = |found| match found {
        Found::Reference(reference) => Some(reference),
        Found::Inline { .. } => None,
    };
    found.into_iter().filter_map(reference).collect()
}

fn read(html: &str) -> Vec<Reference> {
    let mut document = Document::new(url(), "text/html; charset=utf-8");
    let mut found = document.push(html.as_bytes());
    found.extend(document.end());
    references(found)
}

fn path(reference: &Reference) -> &str {
    &reference.url[url::Position::BeforePath..]
}

/// Paths that are asked for, without what is left out.
fn asked(html: &str) -> Vec<String> {
    let found = read(html);
    let asked = found
        .iter()
        .filter(|reference| reference.role != Role::Unsupported);
    asked.map(|reference| path(reference).to_owned()).collect()
}

fn left_out(html: &str) -> Vec<String> {
    let found = read(html);
    let left = found
        .iter()
        .filter(|reference| reference.role == Role::Unsupported);
    left.map(|reference| path(reference).to_owned()).collect()
}

const ELEMENTS: &str = r##"<!doctype html><html><head><meta charset=utf-8>
<link rel=stylesheet href=print.css media=print><link rel=stylesheet href=narrow.css media="(max-width: 100px)">
<link rel="alternate stylesheet" href=alt.css title=alt><link rel=stylesheet href=disabled.css disabled>
<link rel=stylesheet href=typed.css type=text/less><link rel=stylesheet href=main.css>
<link rel=prefetch href=prefetch.js><link rel=prerender href=prerender.html><link rel=manifest href=manifest.json>
<link rel=icon href=icon.png><link rel=preload href=noas.js><link rel=preload href=badas.js as=foo>
<link rel=preload href=pl.js as=script><link rel=preload href=pl.css as=style><link rel=preload href=pl.png as=image>
<link rel=preload href=pl.woff2 as=font crossorigin><link rel=preload href=pl.json as=fetch crossorigin>
<link rel=preload href=pl.mp4 as=video><link rel=preload href=pl.mp3 as=audio><link rel=preload href=pl.vtt as=track>
<link rel=preload href=pldoc.html as=document><link rel=preload href=plworker.js as=worker>
<link rel=preload href=pltyped.jp2 as=image type=image/jp2><link rel=preload href=plprint.css as=style media=print>
<link rel=modulepreload href=mp.js><script type=application/json src=data.json></script>
<script type=text/template src=tmpl.js></script><script nomodule src=nomodule.js></script>
<script type=module src=mod.js></script><script language=vbscript src=vb.js></script>
<script src=async.js async></script><script src=defer.js defer></script><script src=head.js></script>
<noscript><link rel=stylesheet href=noscript.css><img src=noscript.png></noscript></head><body>
<noscript><img src=noscript2.png></noscript><template><img src=template.png></template>
<img src=lazy1.png loading=lazy><iframe src=lazyframe.html loading=lazy></iframe><iframe src=frame.html></iframe>
<object data=obj.png type=image/png></object><object data=obj.html></object>
<object data=obj.bin type=application/x-foo></object><embed src=emb.png><input type=image src=input.png>
<video src=v.mp4 poster=poster.png></video><video src=vn.mp4 preload=none></video><audio src=a.mp3></audio>
<video><source src=vs.mp4><source src=vs2.mp4><track src=t.vtt default><track src=t2.vtt></video>
<table background=tb.png><tr background=tr.png><td background=td.png>x</table>
<svg><use href="sprite.svg#a"/><use href="#local"/><image href=svgi.png /><image xlink:href=svgx.png />
<use xlink:href="spritex.svg#a"/><script href=svg.js /><filter><feImage href=fe.png /></filter></svg>
<image src=imagesrc.png><!-- <img src=comment.png> --><script>document.write('<img src=written.png>')</script>
<script src=body.js></script><link rel=stylesheet href=body.css><embed src=emb.html></body></html>"##;

#[test]
fn elements_ask_for_what_chromium_asks_for() {
    let mut found = asked(ELEMENTS);
    found.sort_unstable();
    let expected = [
        "/alt.css",
        "/async.js",
        "/body.css",
        "/body.js",
        "/defer.js",
        "/emb.html",
        "/emb.png",
        "/fe.png",
        "/frame.html",
        "/head.js",
        "/imagesrc.png",
        "/input.png",
        "/main.css",
        "/manifest.json",
        "/mod.js",
        "/mp.js",
        "/narrow.css",
        "/obj.html",
        "/obj.png",
        "/pl.css",
        "/pl.js",
        "/pl.json",
        "/pl.png",
        "/pl.vtt",
        "/pl.woff2",
        "/poster.png",
        "/prefetch.js",
        "/print.css",
        "/sprite.svg",
        "/spritex.svg",
        "/svg.js",
        "/svgi.png",
        "/svgx.png",
        "/t.vtt",
        "/tb.png",
        "/td.png",
        "/tr.png",
    ];
    assert_eq!(found, expected);
    let left = [
        "/lazy1.png",
        "/lazyframe.html",
        "/v.mp4",
        "/a.mp3",
        "/vs.mp4",
    ];
    assert_eq!(left_out(ELEMENTS), left);
}

#[test]
fn what_blocks_and_what_can_wait_is_told_apart() {
    let found = read(ELEMENTS);
    let place = |name: &str| {
        found
            .iter()
            .find(|one| path(one) == name)
            .expect("found")
            .place
    };
    for (name, expected) in [
        ("/main.css", Place::BlockingInHead),
        ("/print.css", Place::Idle),
        ("/alt.css", Place::Idle),
        ("/prefetch.js", Place::Idle),
        ("/head.js", Place::BlockingInHead),
        ("/mod.js", Place::BlockingInHead),
        ("/defer.js", Place::Free),
        ("/body.js", Place::BlockingInBody),
    ] {
        assert_eq!(place(name), expected, "{name}");
    }
}

#[test]
fn a_reference_is_known_as_soon_as_its_tag_is_whole() {
    let mut document = Document::new(url(), "text/html; charset=utf-8");
    assert!(document.push(b"<html><head><script src='/a.js'").is_empty());
    assert_eq!(document.push(b"></scr").len(), 1);
}

#[test]
fn any_split_of_the_bytes_finds_the_same() {
    let whole = read(ELEMENTS);
    for size in [1, 2, 7, 64] {
        let mut document = Document::new(url(), "text/html");
        let pieces = ELEMENTS.as_bytes().chunks(size);
        let mut found: Vec<_> = pieces.flat_map(|piece| document.push(piece)).collect();
        found.extend(document.end());
        assert_eq!(references(found), whole, "pieces of {size} bytes");
    }
}

#[test]
fn the_first_base_holds_for_what_follows_and_characters_are_decoded() {
    let html = "<img src=a.png><base target=x><base href='/shop/?x'><base href=/other/><img src='b.png?x=1&amp;y=2'>
        <img src='c&#46;png'><img src=' d.png '><img src><img src=#x><img srcset='e.png 1x'><a href=no.html>";
    let expected = [
        "/a.png",
        "/shop/b.png?x=1&y=2",
        "/shop/c.png",
        "/shop/d.png",
        "/shop/?x",
        "/shop/e.png",
    ];
    assert_eq!(asked(html), expected);
}

#[test]
fn one_candidate_of_an_image_is_chosen() {
    for (html, expected) in [
        ("<img src=a srcset='b 2x'>", "/a"),
        ("<img src=a srcset='b 400w, c 1400w, d 3000w'>", "/c"),
        ("<img src=a srcset='b 400w, c 1400w' sizes=390px>", "/b"),
        (
            "<picture><source srcset=b media='(max-width: 5px)'><source srcset=c type=image/jxl><source srcset=d><img src=a></picture>",
            "/d",
        ),
        (
            "<picture><source srcset=b type=image/avif><source srcset=c><img src=a></picture>",
            "/b",
        ),
        (
            "<picture><source media=print srcset=b><img src=a srcset='c 1x'></picture>",
            "/c",
        ),
        (
            "<link rel=preload as=image imagesrcset='a 400w, b 1400w' imagesizes=100vw>",
            "/b",
        ),
    ] {
        assert_eq!(asked(html), [expected], "{html}");
    }
}

#[test]
fn style_elements_and_attributes_are_read() {
    let html =
        "<style>@import 'a.css'; p { background: url(p.png) } q { background: url(q.png) }</style>
        <style media=print>@import 'print.css'; p { background: url(print.png) }</style>
        <p style='background: url(&quot;own.png&quot;)'>x";
    assert_eq!(asked(html), ["/a.css", "/print.css"]);
    let mut document = Document::new(url(), "");
    document.push(html.as_bytes());
    document.end();
    let styled: Vec<_> = document
        .style()
        .iter()
        .map(|(_, one)| path(one).to_owned())
        .collect();
    assert_eq!(styled, ["/p.png", "/own.png"]);
}

fn styled(html: &str, css: &str) -> Vec<String> {
    let mut document = Document::new(url(), "");
    document.push(html.as_bytes());
    document.end();
    document.apply(0, Rc::new(Sheet::parse(css, &url())));
    document
        .style()
        .iter()
        .map(|(_, one)| path(one).to_owned())
        .collect()
}

#[test]
fn rules_ask_for_images_where_they_may_fit() {
    for (css, expected) in [
        ("p { background: url(a) }", &["/a"][..]),
        ("div { background: url(a) }", &[]),
        (
            "p { background: url(a); background: url(b), none }",
            &["/b"],
        ),
        ("p { background: url(a) } p { background: red }", &[]),
        ("p { background: url(#local) }", &[]),
        ("p { --x: url(a) }", &[]),
        (":root { --x: url(a) } p { background: var(--x) }", &["/a"]),
        (
            "p { & b { background: url(no) } &.c { background: url(a) } }",
            &["/a"],
        ),
        (
            "p { b { background: url(no) } @media screen { background: url(a) } }",
            &["/a"],
        ),
        (
            "@supports (display: grid) { @layer x { p { background: image-set('a' 1x, 'b' 2x) } } }",
            &["/a"],
        ),
        (
            "@supports not (display: grid) { p { background: url(no) } }",
            &[],
        ),
        (
            "@keyframes k { to { background: url(a) } } @keyframes l { to { background: url(no) } } p { animation: 1s k }",
            &["/a"],
        ),
        ("p { cursor: url(no) } p { cursor: url(a), auto }", &["/a"]),
        ("p { behavior: url(no.htc) }", &[]),
        ("p, b:-moz-x { background: url(no) }", &[]),
        ("a { b: url(x.png", &[]),
        ("}}}} p { background: url(no) }", &[]),
        ("p { background: url(a)", &["/a"]),
    ] {
        assert_eq!(styled("<p class=c>x</p>", css), expected, "{css}");
    }
}

#[test]
fn queries_in_a_style_sheet_are_in_its_encoding() {
    let mut document = Document::new(url(), "text/html; charset=windows-1252");
    document.push(b"<p style='background: url(\xe9.png?n=\xe9)'>x");
    document.end();
    let sheet = b"p { background: url(\xfc.png?n=\xfc) }";
    document.apply(0, Rc::new(document.sheet(sheet, "text/css", &url())));
    let asked: Vec<_> = document
        .style()
        .iter()
        .map(|(_, one)| path(one).to_owned())
        .collect();
    assert_eq!(asked, ["/%C3%BC.png?n=%FC", "/%C3%A9.png?n=%E9"]);
}

#[test]
fn fonts_are_asked_for_where_their_characters_are_shown() {
    let face =
        |family: &str, rest: &str| format!("@font-face {{ font-family: '{family}'; {rest} }}");
    let latin = face(
        "A",
        "src: url(latin.woff2) format('woff2'); unicode-range: U+0-FF, U+2??",
    );
    let greek = face("A", "src: url(greek.woff2); unicode-range: U+370-3FF");
    let bold = face(
        "A",
        "src: url(bold.woff2); font-weight: 700; unicode-range: U+0-FF",
    );
    let icons = face(
        "Icons",
        "src: url(i.eot); src: url(i.eot?#iefix) format('embedded-opentype'), url(i.woff)",
    );
    for (html, css, expected) in [
        (
            "<p>x",
            format!("{latin}{greek} p {{ font-family: a, serif }}"),
            &["/latin.woff2"][..],
        ),
        (
            "<p>xα",
            format!("{latin}{greek} p {{ font: 12px/1 A }}"),
            &["/latin.woff2", "/greek.woff2"],
        ),
        ("<p>x", format!("{latin} b {{ font-family: A }}"), &[]),
        ("<p>x", format!("{latin} p {{ font-family: serif }}"), &[]),
        (
            "<p>x",
            format!("{latin}{bold} p {{ font-family: A }}"),
            &["/latin.woff2"],
        ),
        (
            "<p>x<b>y",
            format!("{latin}{bold} p {{ font-family: A }}"),
            &["/latin.woff2", "/bold.woff2"],
        ),
        (
            "<p>x<i class=c>y",
            format!(
                "{latin}{bold} p {{ font-family: A; font-weight: 400 }} .c {{ font-weight: 700 }}"
            ),
            &["/latin.woff2", "/bold.woff2"],
        ),
        (
            "<p>x",
            format!("{latin}{bold} p {{ font: bold 12px A }}"),
            &["/bold.woff2"],
        ),
        (
            "<p>x",
            format!("{icons} p::before {{ font-family: Icons; content: '\\f101' }}"),
            &["/i.woff"],
        ),
        (
            "<p>x",
            format!("{latin} :root {{ --f: 'A', serif }} p {{ font-family: var(--f) }}"),
            &["/latin.woff2"],
        ),
        ("<p>", format!("{latin} p {{ font-family: A }}"), &[]),
    ] {
        assert_eq!(styled(html, &css), expected, "{html} {css}");
    }
}

#[test]
fn imports_tell_whether_they_apply() {
    let css = "@charset 'utf-8'; @layer x; @import 'a'; @import url(b) print; @import 'c' layer(y) supports(display: grid) screen;
        @import 'd' supports(not (display: grid)); p {} @import 'late';";
    let imports = Sheet::parse(css, &url()).imports(false);
    let told: Vec<_> = imports
        .iter()
        .map(|one| (path(one), one.role, one.kind))
        .collect();
    let role = |applied| Role::Sheet { applied };
    let expected = [
        ("/a", role(true), Kind::Style),
        ("/b", role(false), Kind::Style),
        ("/c", role(true), Kind::Style),
    ];
    assert_eq!(told, expected);
}

#[test]
fn frames_in_the_page_come_with_what_their_addresses_are_relative_to() {
    let mut document = Document::new(url(), "");
    let html = "<base href=/x/><iframe srcdoc='&lt;img src=a.png>'></iframe>";
    let mut found = document.push(html.as_bytes());
    found.extend(document.end());
    let [Found::Inline { html, base }] = &found[..] else {
        panic!("{found:?}");
    };
    let mut inner = Document::new(base.clone(), "");
    assert_eq!(path(&references(inner.inline(html))[0]), "/x/a.png");
}

#[test]
fn positions_and_hidden_elements_are_heeded() {
    let html = "<ul><li>a<li>b</ul><div hidden class=h><p class=in>x</div>";
    let css =
        "li:first-child { list-style-image: url(a) } li:nth-child(5) { list-style-image: url(no) }
        .h { background: url(no) } .in { background: url(no) }";
    assert_eq!(styled(html, css), ["/a"]);
}

#[test]
fn what_the_pages_policy_forbids_is_blocked() {
    let html =
        "<meta http-equiv=Content-Security-Policy content=\"img-src 'self'; font-src 'none'\">
        <img src=a.png><img src=https://cdn.test/b.png><script src=https://cdn.test/c.js></script>
        <style>@font-face { font-family: f; src: url(f.woff) } p { font-family: f }</style><p>x";
    let mut document = Document::new(url(), "");
    let mut found = references(document.push(html.as_bytes()));
    found.extend(references(document.end()));
    found.extend(document.style().into_iter().map(|(_, one)| one));
    let blocked = found
        .iter()
        .filter(|one| one.role == Role::Blocked)
        .map(path);
    assert_eq!(blocked.collect::<Vec<_>>(), ["/b.png", "/f.woff"]);
}

/// Were each URL kept whole, these would take 10 GB.
#[test]
fn urls_below_a_long_base_are_cut_and_each_is_named() {
    let base = format!("<base href='https://other.test/{}/'>", "A".repeat(1 << 20));
    let images: String = (0..10_000).map(|n| format!("<img src={n}>")).collect();
    let found = read(&format!(
        "{base}{images}<img src=https://page.test/own.png>"
    ));
    let (own, cut) = found.split_last().expect("references");
    assert!(!own.is_cut() && path(own) == "/own.png");
    assert!(cut.iter().all(Reference::is_cut));
    let urls: std::collections::HashSet<&str> = cut.iter().map(|one| one.url.as_str()).collect();
    assert_eq!(urls.len(), 10_000);
    let bytes: usize = urls.iter().map(|url| url.len()).sum();
    assert!(bytes < 10_000 * 2500, "{bytes}");
}

#[test]
fn a_document_names_so_many_bytes_of_urls_and_no_more() {
    let long = "A".repeat(LONGEST_URL / 2);
    let whole = MOST_URL_BYTES / (LONGEST_URL / 2);
    let mut document = Document::new(url(), "");
    document.push(format!("<base href=/{long}/>").as_bytes());
    let found = references(document.push(&b"<img src=1.png>".repeat(whole - 10)));
    assert_eq!(found.len(), whole - 10);
    assert!(!document.too_many_urls());
    let sheet = document.sheet(
        &b"b{fill:url(1)}".repeat(100_000),
        "",
        &url().join(&long).expect("a URL"),
    );
    assert!(document.too_many_urls());
    document.apply(0, Rc::new(sheet));
    let found = references(document.push(&b"<img src=1.png>".repeat(10_000)));
    assert!(found.is_empty(), "{}", found.len());
    let mut framed = document.frame(url(), "");
    assert!(references(framed.push(b"<img src=1.png>")).is_empty());
    assert!(
        framed.too_many_urls(),
        "the page's documents share the bytes"
    );
}
