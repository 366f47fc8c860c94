//! What a document's or style sheet's URLs are resolved against.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

/// A base URL, and the encoding that queries are written in (URL, "encoding").
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    pub(crate) url: &'a Url,
    pub(crate) encoding: &'static Encoding,
}

impl<'a> From<&'a Url> for Base<'a> {
    /// With queries in UTF-8.
    fn from(url: &'a Url) -> Base<'a> {
        Base {
            url,
            encoding: UTF_8,
        }
    }
}

impl Base<'_> {
    /// A URL as written, made absolute; none where it can't be one.
    pub(crate) fn join(self, url: &str) -> Option<Url> {
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|text| self.encoding.encode(text).0;
        Url::options()
            .base_url(Some(self.url))
            .encoding_override((self.encoding != UTF_8).then_some(encode))
            .parse(url)
            .ok()
    }
}
