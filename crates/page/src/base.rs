//! What a document's or style sheet's URLs are resolved against, and how long URLs may be.

use std::borrow::Cow;
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

/// The longest URL that is followed, in bytes. Servers refuse longer ones, and no real page names any.
pub const LONGEST_URL: usize = 64 << 10;

/// Bytes of the URLs that a page's documents and style sheets may name together: 64 MiB. A long base makes each short
/// reference a long URL.
pub const MOST_URL_BYTES: usize = 64 << 20;

/// What is kept of a longer URL: more than records show.
const CUT: usize = 2304;

/// The fragment of a URL that was cut. No other URL keeps a fragment.
const MARK: &str = "cut-by-pronghorn";

/// A base URL, and the encoding that queries are written in (URL, "encoding").
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    pub(crate) url: &'a Url,
    pub(crate) encoding: &'static Encoding,
    pub(crate) budget: Option<&'a UrlBudget>,
}

impl<'a> From<&'a Url> for Base<'a> {
    /// With queries in UTF-8.
    fn from(url: &'a Url) -> Base<'a> {
        Base {
            url,
            encoding: UTF_8,
            budget: None,
        }
    }
}

impl Base<'_> {
    /// A URL as written, made absolute and without its fragment; none where it can't be one. It is cut where it is too
    /// long.
    pub(crate) fn join(self, url: &str) -> Option<Url> {
        if self.budget.is_some_and(UrlBudget::is_spent) {
            return None;
        }
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|text| self.encoding.encode(text).0;
        let joined = Url::options()
            .base_url(Some(self.url))
            .encoding_override((self.encoding != UTF_8).then_some(encode))
            .parse(url)
            .ok()?;
        let mut joined = bounded(joined)?;
        // Relative to a base that was cut it would be another's URL.
        if is_cut(self.url) && Url::parse(url).is_err() {
            joined.set_fragment(Some(MARK));
        }
        match self.budget {
            Some(budget) => budget.take(joined),
            None => Some(joined),
        }
    }
}

/// The address of a `base` element, made absolute against `url`; cut where it is too long.
pub(crate) fn base_url(url: &Url, href: &str) -> Option<Url> {
    let mut base = url.join(href).ok()?;
    base.set_fragment(None);
    if base.as_str().len() > LONGEST_URL {
        // References that are relative to it don't have it.
        base.set_query(None);
        base = bounded(base)?;
        if is_cut(&base) {
            // They go below what is kept.
            base.set_path(&format!("{}/", base.path()));
        }
    }
    if is_cut(url) && Url::parse(href).is_err() {
        base.set_fragment(Some(MARK));
    }
    Some(base)
}

/// The URL without its fragment. One that is too long is cut and marked; a hash keeps it apart from others.
pub(crate) fn bounded(mut url: Url) -> Option<Url> {
    if is_cut(&url) && url.as_str().len() <= LONGEST_URL {
        return Some(url);
    }
    url.set_fragment(None);
    let text = url.as_str();
    if text.len() <= LONGEST_URL {
        return Some(url);
    }
    if !matches!(url.scheme(), "http" | "https") {
        // Nothing is asked for; a font's face still has a source.
        return Url::parse("data:,").ok();
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    // A URL is ASCII.
    let mut cut = Url::parse(&format!("{}{:016x}", &text[..CUT], hasher.finish())).ok()?;
    cut.set_fragment(Some(MARK));
    Some(cut)
}

/// Whether a URL was too long, so that it isn't the whole one.
pub(crate) fn is_cut(url: &Url) -> bool {
    url.fragment() == Some(MARK)
}

/// Bytes of URLs that a page's documents, which share it, may still name; none: they named too many.
#[derive(Debug, Clone)]
pub(crate) struct UrlBudget(Rc<Cell<Option<usize>>>);

impl UrlBudget {
    pub(crate) fn new() -> UrlBudget {
        UrlBudget(Rc::new(Cell::new(Some(MOST_URL_BYTES))))
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get().is_none()
    }

    /// The URL, as long as the budget holds.
    pub(crate) fn take(&self, url: Url) -> Option<Url> {
        let left = self.0.get()?.checked_sub(url.as_str().len());
        self.0.set(left);
        left.map(|_| url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn long_urls_are_cut_and_kept_apart() {
        let page = url("https://page.test/");
        let join = |text: &str| Base::from(&page).join(text).expect("a URL");
        let longest = "a".repeat(LONGEST_URL - page.as_str().len());
        let whole = join(&format!("{longest}#x"));
        assert!(whole.as_str() == format!("https://page.test/{longest}"));
        let (one, other) = (join(&format!("{longest}1")), join(&format!("{longest}2")));
        assert!(is_cut(&one) && is_cut(&other) && one != other);
        assert!(one.as_str()[..CUT] == whole.as_str()[..CUT]);
        assert!(one.as_str().len() < CUT + 50);
        assert_eq!(
            join(&format!("data:image/png,{longest}{longest}")).as_str(),
            "data:,"
        );
    }

    #[test]
    fn what_is_relative_to_a_long_base_is_cut() {
        let page = url("https://page.test/");
        let long = "A".repeat(1 << 20);
        let base = base_url(&page, &format!("https://other.test/{long}/")).expect("a URL");
        let join = |text: &str| Base::from(&base).join(text).expect("a URL");
        assert!(base.as_str().len() < CUT + 50);
        assert!(is_cut(&join("1")) && is_cut(&join("/1")) && join("1") != join("2"));
        assert!(join("1").path().ends_with("/1"));
        assert_eq!(
            join("https://page.test/1#x").as_str(),
            "https://page.test/1"
        );
        let within = base_url(&base, "x/").expect("a URL");
        assert!(is_cut(&Base::from(&within).join("1").expect("a URL")));
        // A query is no part of what is relative to it.
        let base = base_url(&page, &format!("/x/?{long}")).expect("a URL");
        assert_eq!(base.as_str(), "https://page.test/x/");
    }
}
