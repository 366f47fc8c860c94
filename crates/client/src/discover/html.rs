//! A streaming HTML scanner: what a browser's preload scanner would ask for.

use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::Element;
use lol_html::{HtmlRewriter, OutputSink, Settings, element, text};

use super::{Reference, css_references};
use crate::priority::Place;
use pronghorn_page::Kind;

/// Takes a document piece by piece and gives back what it refers to.
pub(crate) struct HtmlScanner {
    rewriter: Option<HtmlRewriter<'static, Discard>>,
    found: Rc<RefCell<Found>>,
}

/// lol_html writes a document; we only read one.
struct Discard;

impl OutputSink for Discard {
    fn handle_chunk(&mut self, _: &[u8]) {}
}

#[derive(Default)]
struct Found {
    references: Vec<Reference>,
    in_body: bool,
    style: String,
}

impl Found {
    fn add(&mut self, url: Option<String>, kind: Kind, place: Place) {
        if let Some(url) = url.filter(|url| !url.trim().is_empty()) {
            self.references.push(Reference { url, kind, place });
        }
    }

    fn blocking(&self) -> Place {
        if self.in_body {
            Place::BlockingInBody
        } else {
            Place::BlockingInHead
        }
    }

    fn script(&mut self, script: &Element) {
        let module = script
            .get_attribute("type")
            .is_some_and(|kind| kind.eq_ignore_ascii_case("module"));
        let free = module || script.has_attribute("async") || script.has_attribute("defer");
        let place = if free { Place::Free } else { self.blocking() };
        self.add(script.get_attribute("src"), Kind::Script, place);
    }

    fn link(&mut self, link: &Element) {
        let relations = link
            .get_attribute("rel")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let has = |name: &str| relations.split_ascii_whitespace().any(|rel| rel == name);
        let kind = if has("stylesheet") && !has("alternate") {
            Kind::Style
        } else if has("modulepreload") {
            Kind::Script
        } else if has("icon") {
            Kind::Other
        } else if has("preload") {
            match link.get_attribute("as").unwrap_or_default().as_str() {
                "script" => Kind::Script,
                "style" => Kind::Style,
                "image" => Kind::Image,
                "font" => Kind::Font,
                _ => Kind::Other,
            }
        } else {
            return;
        };
        let place = if kind == Kind::Style {
            self.blocking()
        } else {
            Place::Free
        };
        self.add(link.get_attribute("href"), kind, place);
    }

    fn image(&mut self, image: &Element) {
        let lazy = image
            .get_attribute("loading")
            .is_some_and(|loading| loading.eq_ignore_ascii_case("lazy"));
        if !lazy {
            self.add(image.get_attribute("src"), Kind::Image, Place::Free);
        }
    }
}

impl HtmlScanner {
    pub(crate) fn new() -> Self {
        let found = Rc::new(RefCell::new(Found::default()));
        let shared = || found.clone();
        let (body, scripts, links, images, styles) =
            (shared(), shared(), shared(), shared(), shared());
        let settings = Settings {
            element_content_handlers: vec![
                element!("body", move |_| {
                    body.borrow_mut().in_body = true;
                    Ok(())
                }),
                element!("script[src]", move |script| {
                    scripts.borrow_mut().script(script);
                    Ok(())
                }),
                element!("link[href]", move |link| {
                    links.borrow_mut().link(link);
                    Ok(())
                }),
                element!("img[src]", move |image| {
                    images.borrow_mut().image(image);
                    Ok(())
                }),
                text!("style", move |chunk| {
                    let mut found = styles.borrow_mut();
                    found.style.push_str(chunk.as_str());
                    if chunk.last_in_text_node() {
                        let sheet = std::mem::take(&mut found.style);
                        found.references.extend(css_references(&sheet));
                    }
                    Ok(())
                }),
            ],
            ..Settings::default()
        };
        HtmlScanner {
            rewriter: Some(HtmlRewriter::new(settings, Discard)),
            found,
        }
    }

    /// What became known by these bytes, in the order of the document. A document that is no HTML
    /// any more refers to nothing further.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Reference> {
        self.rewriter = self
            .rewriter
            .take()
            .and_then(|mut rewriter| rewriter.write(bytes).is_ok().then_some(rewriter));
        std::mem::take(&mut self.found.borrow_mut().references)
    }

    /// What the document's end makes known.
    pub(crate) fn end(&mut self) -> Vec<Reference> {
        if let Some(rewriter) = self.rewriter.take() {
            // An error at the end means an unfinished tag, which refers to nothing.
            let _ = rewriter.end();
        }
        std::mem::take(&mut self.found.borrow_mut().references)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<!doctype html><html><head><link rel="icon" href="data:,">
        <link rel=stylesheet href="/a.css"><script src="/head.js"></script>
        <script src="/later.js" defer></script><style>@import "/b.css"; i { background: url(/c.png) }</style>
        </head><body><img src="/d.png"><img src="/lazy.png" loading="lazy"><script src="/e.js"></script>
        <!-- <img src="/comment.png"> --><script>document.write('<img src="/no.png">')</script></body></html>"#;

    fn names(references: &[Reference]) -> Vec<(&str, Kind, Place)> {
        references
            .iter()
            .map(|r| (r.url.as_str(), r.kind, r.place))
            .collect()
    }

    #[test]
    fn finds_what_a_browser_asks_for_in_document_order() {
        let mut scanner = HtmlScanner::new();
        let mut found = scanner.push(PAGE.as_bytes());
        found.extend(scanner.end());
        let expected = vec![
            ("data:,", Kind::Other, Place::Free),
            ("/a.css", Kind::Style, Place::BlockingInHead),
            ("/head.js", Kind::Script, Place::BlockingInHead),
            ("/later.js", Kind::Script, Place::Free),
            ("/b.css", Kind::Style, Place::BlockingInHead),
            ("/c.png", Kind::Image, Place::Free),
            ("/d.png", Kind::Image, Place::Free),
            ("/e.js", Kind::Script, Place::BlockingInBody),
        ];
        assert_eq!(names(&found), expected);
    }

    #[test]
    fn any_split_of_the_bytes_finds_the_same() {
        let mut whole = HtmlScanner::new();
        let mut expected = whole.push(PAGE.as_bytes());
        expected.extend(whole.end());
        for size in [1, 2, 7, 64] {
            let mut scanner = HtmlScanner::new();
            let mut found: Vec<_> = PAGE
                .as_bytes()
                .chunks(size)
                .flat_map(|piece| scanner.push(piece))
                .collect();
            found.extend(scanner.end());
            assert_eq!(found, expected, "pieces of {size} bytes");
        }
    }

    #[test]
    fn a_reference_is_known_as_soon_as_its_tag_is_whole() {
        let mut scanner = HtmlScanner::new();
        assert!(scanner.push(b"<html><head><script src='/a.js'").is_empty());
        assert_eq!(scanner.push(b"></scr").len(), 1);
    }
}
