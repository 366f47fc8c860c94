//! A document of a page: its bytes go in, what it refers to comes out.

use std::rc::Rc;

use url::Url;

use crate::base::{Base, UrlBudget};
use crate::css::Sheet;
use crate::css::style::{Shown, style};
use crate::encoding::{TextDecoder, sheet_text};
use crate::html::{Attributes, Found, Page, Scanner, link, refresh_to};
use crate::reference::{Place, Reference};

/// A document while it arrives, and what holds for it then.
pub struct Document {
    decoder: TextDecoder,
    scanner: Scanner,
    /// Those that came as resources of their own, with who asks for what they name.
    sheets: Vec<(usize, Rc<Sheet>)>,
}

impl Document {
    /// A document at `url`; `content_type` is the header's value, empty where there is none.
    #[must_use]
    pub fn new(url: Url, content_type: &str) -> Document {
        Document::naming(url, content_type, UrlBudget::new())
    }

    /// A document in a frame of this one.
    #[must_use]
    pub fn frame(&self, url: Url, content_type: &str) -> Document {
        let urls = self.scanner.page(|page| page.urls.clone());
        Document::naming(url, content_type, urls)
    }

    fn naming(url: Url, content_type: &str, urls: UrlBudget) -> Document {
        Document {
            decoder: TextDecoder::new(content_type),
            scanner: Scanner::new(Page::new(url, urls)),
            sheets: Vec::new(),
        }
    }

    /// What the response's headers `link` and `refresh` ask for, with what its `content-security-policy` allows.
    pub fn headers(&mut self, links: &str, refresh: &str, policy: &str) -> Vec<Found> {
        self.scanner.page(|page| {
            page.policies.add(policy);
            for attributes in link_header(links) {
                // A style sheet in a header holds for nothing in Chromium.
                if !attributes.lists("rel", "stylesheet") {
                    link(page, &attributes);
                }
            }
            refresh_to(page, refresh);
        });
        self.found()
    }

    /// What these bytes make known, in the order of the document.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Found> {
        let text = self.decoder.push(bytes);
        self.read(&text)
    }

    /// What the document's end makes known.
    pub fn end(&mut self) -> Vec<Found> {
        let text = self.decoder.end();
        let mut found = self.read(&text);
        self.scanner.end();
        found.extend(self.found());
        found.extend(
            self.scanner
                .page(|page| page.next.take())
                .map(Found::Reference),
        );
        found
    }

    /// A document that stands in another, which is text already.
    pub fn inline(&mut self, html: &str) -> Vec<Found> {
        self.scanner.push(html);
        self.scanner.end();
        self.found()
    }

    fn read(&mut self, text: &str) -> Vec<Found> {
        let encoding = self.decoder.encoding();
        self.scanner.page(|page| page.encoding = encoding);
        self.scanner.push(text);
        self.found()
    }

    fn found(&mut self) -> Vec<Found> {
        self.scanner.page(|page| std::mem::take(&mut page.found))
    }

    /// A style sheet that this document asked for, which came from `url`.
    #[must_use]
    pub fn sheet(&self, bytes: &[u8], content_type: &str, url: &Url) -> Sheet {
        let (text, encoding) = sheet_text(bytes, content_type, self.decoder.encoding());
        self.scanner.page(|page| {
            let budget = Some(&page.urls);
            Sheet::parse(
                &text,
                Base {
                    url,
                    encoding,
                    budget,
                },
            )
        })
    }

    /// Whether the page's documents and style sheets name more than `MOST_URL_BYTES`; URLs beyond them aren't told.
    #[must_use]
    pub fn too_many_urls(&self) -> bool {
        self.scanner.page(|page| page.urls.is_spent())
    }

    /// Applies a style sheet; `from` stands for it where it is the one that asks.
    pub fn apply(&mut self, from: usize, sheet: Rc<Sheet>) {
        self.sheets.push((from, sheet));
    }

    /// How many scripts stand in it, those in event handlers too, that may make requests.
    #[must_use]
    pub fn requesting_scripts(&self) -> usize {
        self.scanner.page(|page| page.requesting)
    }

    /// What its style sheets make it fetch once it and they are there: images of rules that may fit an element, and
    /// fonts that its text needs. With each comes the sheet that asks; none: the document itself.
    #[must_use]
    pub fn style(&self) -> Vec<(Option<usize>, Reference)> {
        self.scanner.page(|page| {
            let outer = self
                .sheets
                .iter()
                .map(|(from, sheet)| (Some(*from), &**sheet));
            let inner = page.sheets.iter().map(|sheet| (None, sheet));
            let sheets: Vec<_> = outer.chain(inner).collect();
            let shown = Shown {
                elements: &page.elements,
                characters: &page.characters(),
                own: &page.own_styles,
            };
            page.trusted = false;
            let found = style(&sheets, &shown);
            let allowed = found.into_iter();
            allowed
                .map(|(from, reference)| (from, page.allowed(reference)))
                .collect()
        })
    }

    /// The static imports of a module script at `url` that this document runs.
    #[must_use]
    pub fn module_imports(&self, source: &[u8], url: &Url) -> Vec<Reference> {
        let source = String::from_utf8_lossy(source);
        self.scanner.page(|page| {
            let imports = page.module_imports(&source, Some(url)).into_iter();
            imports.map(|reference| page.allowed(reference)).collect()
        })
    }
}

impl Sheet {
    /// The style sheets that it imports; `idle`: it is itself none that rendering waits for.
    #[must_use]
    pub fn imports(&self, idle: bool) -> Vec<Reference> {
        let place = if idle {
            Place::Idle
        } else {
            Place::BlockingInHead
        };
        crate::html::import_references(self, place)
    }
}

/// The links of a `Link` header (RFC 8288 §3) as elements would have them.
fn link_header(value: &str) -> Vec<Attributes> {
    let mut links = Vec::new();
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let Some((href, after)) = after.split_once('>') else {
            break;
        };
        let mut pairs = vec![("href".to_owned(), href.to_owned())];
        let mut quoted = false;
        let end = after.find(|c: char| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        let (parameters, next) = after.split_at(end.unwrap_or(after.len()));
        for parameter in parameters.split(';') {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = value.trim().trim_matches('"');
            pairs.push((name.trim().to_ascii_lowercase(), value.to_owned()));
        }
        links.push(Attributes::new(pairs));
        rest = next;
    }
    links
}
