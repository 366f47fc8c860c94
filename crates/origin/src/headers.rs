//! What a person puts on every response.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Headers that every response bears beside those that describe its content, and those of the same names that HTML
/// documents bear in their place.
#[derive(Debug, Clone, Default)]
pub struct ResponseHeaders {
    all: HeaderMap,
    documents: HeaderMap,
}

/// A header that no response can bear, or that is not a person's to set.
#[derive(Debug, thiserror::Error)]
pub enum HeaderError {
    /// No name of RFC 9110 §5.1.
    #[error("header `{0}`: a name has letters, digits and !#$%&'*+-.^_`|~ alone")]
    Name(String),
    /// No value of RFC 9110 §5.5.
    #[error("header `{0}`: its value has control characters")]
    Value(String),
    /// Set by the origin, by what it answers, or by a connection's framing.
    #[error("header `{0}` is the origin's own and can't be set")]
    Reserved(String),
}

/// What the origin sets itself, and what only HTTP/1.1 knows (RFC 9113 §8.2.2).
const RESERVED: [HeaderName; 9] = [
    header::ALLOW,
    header::CONNECTION,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::ETAG,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];
const RESERVED_WITHOUT_CONSTANT: [&str; 2] = ["keep-alive", "proxy-connection"];

impl ResponseHeaders {
    /// Takes names with their values, of all responses and of documents.
    pub fn new(
        all: &BTreeMap<String, String>,
        documents: &BTreeMap<String, String>,
    ) -> Result<Self, HeaderError> {
        let all = usable(all)?;
        let mut of_documents = all.clone();
        for (name, value) in usable(documents)? {
            of_documents.extend([(name, value)]);
        }
        Ok(ResponseHeaders {
            all,
            documents: of_documents,
        })
    }

    /// Puts them on a response, which may be a document.
    pub(crate) fn add_to(&self, headers: &mut HeaderMap, document: bool) {
        let added = if document { &self.documents } else { &self.all };
        for (name, value) in added {
            headers.append(name, value.clone());
        }
    }
}

fn usable(headers: &BTreeMap<String, String>) -> Result<HeaderMap, HeaderError> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let known =
            HeaderName::try_from(name.as_str()).map_err(|_| HeaderError::Name(name.clone()))?;
        if RESERVED.contains(&known) || RESERVED_WITHOUT_CONSTANT.contains(&known.as_str()) {
            return Err(HeaderError::Reserved(name.clone()));
        }
        let value =
            HeaderValue::try_from(value.as_str()).map_err(|_| HeaderError::Value(name.clone()))?;
        map.append(known, value);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(name: &str, value: &str) -> Result<ResponseHeaders, HeaderError> {
        let one = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        ResponseHeaders::new(&one, &BTreeMap::new())
    }

    #[test]
    fn a_header_is_put_on_a_response() {
        let headers = made("Alt-Svc", "h3=\":443\"; ma=60").expect("a header");
        let mut map = HeaderMap::new();
        headers.add_to(&mut map, false);
        assert_eq!(map[header::ALT_SVC], "h3=\":443\"; ma=60");
    }

    #[test]
    fn a_documents_header_takes_the_place_of_the_one_of_all() {
        let one = |value: &str| BTreeMap::from([("Cache-Control".to_owned(), value.to_owned())]);
        let headers = ResponseHeaders::new(&one("max-age=60"), &one("no-cache")).expect("headers");
        for (document, expected) in [(false, "max-age=60"), (true, "no-cache")] {
            let mut map = HeaderMap::new();
            headers.add_to(&mut map, document);
            let values: Vec<_> = map.get_all(header::CACHE_CONTROL).iter().collect();
            assert_eq!(values, [expected]);
        }
    }

    #[test]
    fn what_is_no_header_or_the_origins_own_is_refused() {
        assert!(matches!(made("a b", "c"), Err(HeaderError::Name(_))));
        assert!(matches!(made("a", "b\r\nc: d"), Err(HeaderError::Value(_))));
        for name in ["Content-Length", "connection", "Keep-Alive"] {
            assert!(matches!(made(name, "c"), Err(HeaderError::Reserved(_))));
        }
    }
}
