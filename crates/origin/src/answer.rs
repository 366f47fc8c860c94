//! What a request is answered with, made before it comes: as `http` has it for HTTP/1.1 and HTTP/2, and as HTTP/3
//! writes it.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use pronghorn_http::h3::response_head;

use crate::coding::{self, Coding};
use crate::matched::Match;
use crate::site::Resource;
use crate::target;
use crate::{ResponseHeaders, Site};

/// The one path on which the origin does something: a POST there is executed and answered 204. Its
/// entries of that status in the log are the executions.
pub const EXECUTE_PATH: &str = "/.pronghorn/execute";

/// The media type of an answer without a resource.
const PLAIN: &str = "text/plain; charset=utf-8";

/// What a document's media type begins with.
const HTML: &str = "text/html";

/// A response. Its headers are the same over every protocol, but for those that framing asks for.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// What precedes the body over HTTP/3.
    pub(crate) h3_head: Bytes,
}

impl Answer {
    fn new(
        status: StatusCode,
        mut headers: HeaderMap,
        body: Bytes,
        added: &ResponseHeaders,
        document: bool,
    ) -> Rc<Answer> {
        added.add_to(&mut headers, document);
        let h3_head = response_head(status, &headers, body.len());
        Rc::new(Answer {
            status,
            h3_head: h3_head.expect("`ResponseHeaders` has none that a connection's framing owns"),
            headers,
            body,
        })
    }

    /// With just these headers, of which none may be a connection's.
    pub(crate) fn as_is(status: StatusCode, headers: HeaderMap, body: Bytes) -> Rc<Answer> {
        Answer::new(status, headers, body, &ResponseHeaders::default(), false)
    }

    /// Without a resource.
    fn empty(status: StatusCode, headers: HeaderMap, added: &ResponseHeaders) -> Rc<Answer> {
        Answer::new(status, headers, Bytes::new(), added, false)
    }

    /// Of a type, and with a length.
    fn typed(media_type: &'static str, length: usize) -> HeaderMap {
        HeaderMap::from_iter([
            (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (header::CONTENT_LENGTH, HeaderValue::from(length)),
        ])
    }
}

/// A request, as far as its answer depends on it.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a Method,
    /// The host that it names, in lower case and without a port.
    pub(crate) host: &'a str,
    /// Path and query as they came.
    pub(crate) target: &'a str,
    pub(crate) headers: &'a HeaderMap,
    /// Whether it came as early data.
    pub(crate) early: bool,
}

impl Request<'_> {
    /// Whether it is answered 425 and nothing is done for it: it came as early data, and its method isn't safe (RFC 9110
    /// §9.2.1), so it may be a replay (RFC 8470 §5.2).
    pub(crate) fn is_refused_early(&self) -> bool {
        self.early && !self.method.is_safe()
    }
}

/// The answer to a request, and what belongs to it where the site is a recorded one.
pub(crate) struct Reply {
    pub(crate) answer: Rc<Answer>,
    /// How it was found.
    pub(crate) matched: Option<Match>,
    /// How long it is held back.
    pub(crate) think: Duration,
}

impl From<Rc<Answer>> for Reply {
    fn from(answer: Rc<Answer>) -> Reply {
        Reply {
            answer,
            matched: None,
            think: Duration::ZERO,
        }
    }
}

/// A resource in one coding: the answers to GET, to HEAD, and to either from a client that has it.
struct Form {
    tag: HeaderValue,
    get: Rc<Answer>,
    head: Rc<Answer>,
    not_modified: Rc<Answer>,
}

impl Form {
    fn new(resource: &Resource, coded: Option<(Coding, &Bytes)>, added: &ResponseHeaders) -> Form {
        let body = coded.map_or(&resource.body, |(_, body)| body);
        let tag = match coded {
            Some((coding, _)) => format!("\"{:016x}-{}\"", resource.hash, coding.name()),
            None => format!("\"{:016x}\"", resource.hash),
        };
        let tag = HeaderValue::try_from(tag).expect("ASCII without control characters");
        let mut shared = HeaderMap::from_iter([(header::ETAG, tag.clone())]);
        if !resource.coded.is_empty() {
            let depends = HeaderValue::from_static("accept-encoding");
            shared.insert(header::VARY, depends);
        }
        let mut headers = Answer::typed(resource.media_type, body.len());
        if let Some((coding, _)) = coded {
            let name = HeaderValue::from_static(coding.name());
            headers.insert(header::CONTENT_ENCODING, name);
        }
        headers.extend(shared.clone());
        let document = resource.media_type.starts_with(HTML);
        let ok = |body| Answer::new(StatusCode::OK, headers.clone(), body, added, document);
        Form {
            tag,
            get: ok(body.clone()),
            head: ok(Bytes::new()),
            not_modified: Answer::new(
                StatusCode::NOT_MODIFIED,
                shared,
                Bytes::new(),
                added,
                document,
            ),
        }
    }

    fn to(&self, request: &Request) -> &Rc<Answer> {
        if has(request.headers, &self.tag) {
            &self.not_modified
        } else if request.method == Method::HEAD {
            &self.head
        } else {
            &self.get
        }
    }
}

/// Whether a client says that it has what bears the `tag` (RFC 9110 §13.1.2, compared weakly).
fn has(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// A resource in all its codings.
struct Readable {
    plain: Form,
    coded: Vec<(Coding, Form)>,
}

impl Readable {
    fn new(resource: &Resource, added: &ResponseHeaders) -> Readable {
        let coded = resource.coded.iter();
        Readable {
            plain: Form::new(resource, None, added),
            coded: coded
                .map(|(coding, body)| (*coding, Form::new(resource, Some((*coding, body)), added)))
                .collect(),
        }
    }

    fn to(&self, request: &Request) -> &Rc<Answer> {
        let available = self.coded.iter().map(|(coding, _)| *coding);
        let coding = coding::chosen(request.headers, available);
        let form = self.coded.iter().find(|(one, _)| Some(*one) == coding);
        form.map_or(&self.plain, |(_, form)| form).to(request)
    }
}

/// All answers of an origin. Lives on one thread.
pub(crate) struct Answers {
    resources: HashMap<String, Readable>,
    not_found: Rc<Answer>,
    not_allowed: Rc<Answer>,
    too_early: Rc<Answer>,
    executed: Rc<Answer>,
}

impl Answers {
    /// Those of a site, each with what is to be on every response.
    pub(crate) fn new(site: &Site, added: &ResponseHeaders) -> Answers {
        let resources = site.resources();
        let resources =
            resources.map(|(key, resource)| (key.to_owned(), Readable::new(resource, added)));
        let mut not_allowed = Answer::typed(PLAIN, 0);
        not_allowed.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        let nothing = HeaderMap::from_iter([(header::CONTENT_LENGTH, HeaderValue::from(0))]);
        let empty = |status, headers| Answer::empty(status, headers, added);
        Answers {
            resources: resources.collect(),
            not_found: empty(StatusCode::NOT_FOUND, Answer::typed(PLAIN, 0)),
            not_allowed: empty(StatusCode::METHOD_NOT_ALLOWED, not_allowed),
            too_early: empty(StatusCode::TOO_EARLY, nothing),
            // A 204 bears no Content-Length (RFC 9110 §8.6).
            executed: empty(StatusCode::NO_CONTENT, HeaderMap::new()),
        }
    }

    /// The answer to a request: 200 with the resource, coded as the request takes it best, or 304 for who has it; 404, or
    /// 405 for methods other than GET and HEAD; 425 for one that `Request::is_refused_early`.
    pub(crate) fn to(&self, request: &Request) -> Rc<Answer> {
        let method = request.method;
        let answer = if request.is_refused_early() {
            &self.too_early
        } else if method == Method::POST && path_of(request.target) == EXECUTE_PATH {
            &self.executed
        } else if method == Method::GET || method == Method::HEAD {
            match self.found(request.target) {
                Some(found) => found.to(request),
                None => &self.not_found,
            }
        } else {
            &self.not_allowed
        };
        answer.clone()
    }

    fn found(&self, target: &str) -> Option<&Readable> {
        // Most targets are keys as they stand.
        if !target.contains(['%', '?'])
            && let Some(found) = self.resources.get(target)
        {
            return Some(found);
        }
        target::keys(target).find_map(|key| self.resources.get(&key))
    }
}

fn path_of(target: &str) -> &str {
    target.split_once('?').map_or(target, |(path, _)| path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use http::HeaderName;

    use super::*;

    fn answers() -> Answers {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join("index.html"), b"<html>").expect("a file");
        std::fs::write(folder.path().join("a b.css"), b"p {}").expect("a file");
        std::fs::write(folder.path().join("c.css?v=6.4"), b"p").expect("a file");
        std::fs::write(folder.path().join("a b.css.br"), b"br").expect("a file");
        let site = Site::read(folder.path()).expect("a readable site");
        let added = BTreeMap::from([
            ("x-added".to_owned(), "yes".to_owned()),
            ("cache-control".to_owned(), "max-age=60".to_owned()),
        ]);
        let documents = BTreeMap::from([("cache-control".to_owned(), "no-cache".to_owned())]);
        Answers::new(
            &site,
            &ResponseHeaders::new(&added, &documents).expect("usable headers"),
        )
    }

    fn answer(
        answers: &Answers,
        method: &Method,
        target: &str,
        early: bool,
        headers: &[(HeaderName, &'static str)],
    ) -> Rc<Answer> {
        let headers = headers.iter().cloned();
        let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
        answers.to(&Request {
            method,
            host: "",
            target,
            headers: &headers.collect(),
            early,
        })
    }

    fn told(answer: &Answer) -> (u16, Option<&str>, usize) {
        let length = answer.headers.get(header::CONTENT_LENGTH);
        let length = length.map(|value| value.to_str().expect("a number"));
        (answer.status.as_u16(), length, answer.body.len())
    }

    #[test]
    fn what_is_asked_for_decides_the_answer() {
        let answers = answers();
        for (method, path, early, expected) in [
            (Method::GET, "/", false, (200, Some("6"), 6)),
            (Method::GET, "/index.html", true, (200, Some("6"), 6)),
            (Method::GET, "/a%20b.css", false, (200, Some("4"), 4)),
            (Method::GET, "/a%20b.css?v=2", false, (200, Some("4"), 4)),
            (Method::GET, "/c.css?v=6.4", false, (200, Some("1"), 1)),
            (Method::GET, "/c.css", false, (404, Some("0"), 0)),
            (Method::HEAD, "/", false, (200, Some("6"), 0)),
            (Method::HEAD, "/?utm=x", false, (200, Some("6"), 0)),
            (Method::GET, "/none", false, (404, Some("0"), 0)),
            (Method::POST, "/", false, (405, Some("0"), 0)),
            (Method::POST, "/", true, (425, Some("0"), 0)),
            (Method::POST, EXECUTE_PATH, true, (425, Some("0"), 0)),
            (Method::POST, EXECUTE_PATH, false, (204, None, 0)),
            (
                Method::POST,
                "/.pronghorn/execute?n=1",
                false,
                (204, None, 0),
            ),
            (Method::GET, EXECUTE_PATH, false, (404, Some("0"), 0)),
        ] {
            let answer = answer(&answers, &method, path, early, &[]);
            assert_eq!(told(&answer), expected, "{method} {path}");
            assert_eq!(answer.headers["x-added"], "yes");
        }
    }

    #[test]
    fn a_resource_has_its_type_and_what_is_refused_says_what_is_allowed() {
        let answers = answers();
        for target in ["/a%20b.css", "/c.css?v=6.4", "/c.css%3Fv=6.4"] {
            let style = answer(&answers, &Method::GET, target, false, &[]);
            assert_eq!(style.headers[header::CONTENT_TYPE], "text/css");
        }
        let refused = answer(&answers, &Method::PUT, "/", false, &[]);
        assert_eq!(refused.headers[header::ALLOW], "GET, HEAD");
    }

    #[test]
    fn a_request_that_takes_a_coding_is_answered_in_it() {
        let answers = answers();
        let style = |method: &Method, said: &[(HeaderName, &'static str)]| {
            answer(&answers, method, "/a%20b.css", false, said)
        };
        let takes = [(header::ACCEPT_ENCODING, "gzip, br")];
        let coded = style(&Method::GET, &takes);
        assert_eq!(&coded.body[..], b"br");
        assert_eq!(coded.headers[header::CONTENT_ENCODING], "br");
        assert_eq!(coded.headers[header::CONTENT_LENGTH], "2");
        assert_eq!(coded.headers[header::CONTENT_TYPE], "text/css");
        assert_eq!(told(&style(&Method::HEAD, &takes)), (200, Some("2"), 0));
        let plain = style(&Method::GET, &[(header::ACCEPT_ENCODING, "gzip, br;q=0")]);
        assert_eq!(&plain.body[..], b"p {}");
        assert!(!plain.headers.contains_key(header::CONTENT_ENCODING));
        for one in [&coded, &plain] {
            assert_eq!(one.headers[header::VARY], "accept-encoding");
        }
        assert_ne!(coded.headers[header::ETAG], plain.headers[header::ETAG]);
        let alone = answer(&answers, &Method::GET, "/", false, &takes);
        assert!(!alone.headers.contains_key(header::VARY));
    }

    #[test]
    fn who_has_a_resource_is_told_that_it_is_the_same() {
        let answers = answers();
        let page = |has: &'static str| {
            let said = [(header::IF_NONE_MATCH, has)];
            answer(&answers, &Method::GET, "/", false, &said)
        };
        let tag = page("\"other\"").headers[header::ETAG].clone();
        let tag: &'static str = tag.to_str().expect("ASCII").to_owned().leak();
        for has in [tag, "*", format!("\"other\", W/{tag}").leak()] {
            let same = page(has);
            assert_eq!(told(&same), (304, None, 0), "{has}");
            assert_eq!(same.headers[header::ETAG], tag);
            assert_eq!(same.headers[header::CACHE_CONTROL], "no-cache");
        }
        assert_eq!(page("\"other\"").status, StatusCode::OK);
    }

    #[test]
    fn a_document_has_its_own_headers() {
        let answers = answers();
        for (target, expected) in [("/", "no-cache"), ("/c.css?v=6.4", "max-age=60")] {
            let found = answer(&answers, &Method::GET, target, false, &[]);
            assert_eq!(found.headers[header::CACHE_CONTROL], expected);
        }
    }
}
