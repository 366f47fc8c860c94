//! What a request is answered with, made before it comes: as `http` has it for HTTP/1.1 and HTTP/2, and as HTTP/3
//! writes it.

use std::collections::HashMap;
use std::rc::Rc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use pronghorn_http::h3::response_head;

use crate::site::Resource;
use crate::target;
use crate::{ResponseHeaders, Site};

/// The one path on which the origin does something: a POST there is executed and answered 204. Its
/// entries of that status in the log are the executions.
pub const EXECUTE_PATH: &str = "/.pronghorn/execute";

/// The media type of an answer without a resource.
const PLAIN: &str = "text/plain; charset=utf-8";

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
    ) -> Rc<Answer> {
        added.add_to(&mut headers);
        let h3_head = response_head(status, &headers, body.len());
        Rc::new(Answer {
            status,
            h3_head: h3_head.expect("`ResponseHeaders` has none that a connection's framing owns"),
            headers,
            body,
        })
    }

    /// Of a type, and with a length.
    fn typed(
        status: StatusCode,
        media_type: &'static str,
        length: usize,
    ) -> (StatusCode, HeaderMap) {
        let headers = HeaderMap::from_iter([
            (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (header::CONTENT_LENGTH, HeaderValue::from(length)),
        ]);
        (status, headers)
    }

    fn of_resource(resource: &Resource, body: Bytes, added: &ResponseHeaders) -> Rc<Answer> {
        let (media_type, length) = (resource.media_type, resource.body.len());
        let (status, headers) = Answer::typed(StatusCode::OK, media_type, length);
        Answer::new(status, headers, body, added)
    }
}

/// An answer to GET, and one to HEAD.
struct Readable {
    get: Rc<Answer>,
    head: Rc<Answer>,
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
        let resources = site.resources().map(|(path, resource)| {
            let readable = Readable {
                get: Answer::of_resource(resource, resource.body.clone(), added),
                head: Answer::of_resource(resource, Bytes::new(), added),
            };
            (path.to_owned(), readable)
        });
        let empty = |(status, headers)| Answer::new(status, headers, Bytes::new(), added);
        let (status, mut not_allowed) = Answer::typed(StatusCode::METHOD_NOT_ALLOWED, PLAIN, 0);
        not_allowed.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        let nothing = HeaderMap::from_iter([(header::CONTENT_LENGTH, HeaderValue::from(0))]);
        Answers {
            resources: resources.collect(),
            not_found: empty(Answer::typed(StatusCode::NOT_FOUND, PLAIN, 0)),
            not_allowed: empty((status, not_allowed)),
            too_early: empty((StatusCode::TOO_EARLY, nothing)),
            // A 204 bears no Content-Length (RFC 9110 §8.6).
            executed: empty((StatusCode::NO_CONTENT, HeaderMap::new())),
        }
    }

    /// The answer to a request for `target`, path and query as they came: 200 with the resource, 404, or 405 for methods
    /// other than GET and HEAD. A request that came as early data, and whose method isn't safe (RFC 9110 §9.2.1), is
    /// answered 425 and nothing is done for it: it may be a replay (RFC 8470 §5.2).
    pub(crate) fn to(&self, method: &Method, target: &str, early: bool) -> Rc<Answer> {
        let answer = if early && !method.is_safe() {
            &self.too_early
        } else if method == Method::POST && path_of(target) == EXECUTE_PATH {
            &self.executed
        } else if method == Method::GET || method == Method::HEAD {
            match self.found(target) {
                Some(found) if method == Method::HEAD => &found.head,
                Some(found) => &found.get,
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

    use super::*;

    fn answers() -> Answers {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join("index.html"), b"<html>").expect("a file");
        std::fs::write(folder.path().join("a b.css"), b"p {}").expect("a file");
        std::fs::write(folder.path().join("c.css?v=6.4"), b"p").expect("a file");
        let site = Site::read(folder.path()).expect("a readable site");
        let added = BTreeMap::from([("x-added".to_owned(), "yes".to_owned())]);
        Answers::new(
            &site,
            &ResponseHeaders::new(&added).expect("usable headers"),
        )
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
            let answer = answers.to(&method, path, early);
            assert_eq!(told(&answer), expected, "{method} {path}");
            assert_eq!(answer.headers["x-added"], "yes");
        }
    }

    #[test]
    fn a_resource_has_its_type_and_what_is_refused_says_what_is_allowed() {
        let answers = answers();
        for target in ["/a%20b.css", "/c.css?v=6.4", "/c.css%3Fv=6.4"] {
            let style = answers.to(&Method::GET, target, false);
            assert_eq!(
                style.headers[header::CONTENT_TYPE],
                "text/css; charset=utf-8"
            );
        }
        let refused = answers.to(&Method::PUT, "/", false);
        assert_eq!(refused.headers[header::ALLOW], "GET, HEAD");
    }
}
