//! Requests that are to be made.

use std::rc::Rc;

use bytes::Bytes;
use http::{HeaderMap, Method};

use super::{Failure, Target};
use crate::priority::Priority;
use crate::record::Reason;

/// Methods that are expected to bring content, so that a request without any says so (RFC 9110 §8.6).
const WITH_CONTENT: [Method; 3] = [Method::POST, Method::PUT, Method::PATCH];

/// The content codings that Chromium asks for over TLS, as it writes them.
const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";

/// A request to be made: its resource's index, what is asked for and how urgently.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(super) resource: usize,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) priority: Priority,
    /// The host that is asked, where it may be another than the connection was opened for.
    pub(super) host: Option<Rc<str>>,
    /// Headers beside those that every request has, or in their place.
    pub(super) headers: HeaderMap,
    pub(super) content: Bytes,
    /// The connection whose server refused it unread: it is made once more, elsewhere.
    pub(super) refused_by: Option<usize>,
}

impl Wanted {
    pub(crate) fn new(resource: usize, method: Method, path: String, priority: Priority) -> Self {
        Wanted {
            resource,
            method,
            path,
            priority,
            host: None,
            headers: HeaderMap::new(),
            content: Bytes::new(),
            refused_by: None,
        }
    }

    /// A request of this host, with these headers and this content.
    pub(crate) fn of_host(self, host: Rc<str>, headers: HeaderMap, content: Bytes) -> Self {
        Wanted {
            host: Some(host),
            headers,
            content,
            ..self
        }
    }

    /// The request as a version of HTTP has it, without its content.
    pub(super) fn request(
        &self,
        target: &Target,
        version: http::Version,
    ) -> Result<http::Request<()>, Failure> {
        let authority = target.authority(self.host.as_deref());
        let uri = match version {
            http::Version::HTTP_11 => self.path.clone(),
            _ => format!("https://{authority}{}", self.path),
        };
        let mut request = http::Request::builder()
            .method(self.method.clone())
            .uri(uri)
            .version(version)
            .header(
                http::header::USER_AGENT,
                concat!("pronghorn/", env!("CARGO_PKG_VERSION")),
            )
            .header(http::header::ACCEPT, "*/*")
            .header(http::header::ACCEPT_ENCODING, ACCEPT_ENCODING);
        if version == http::Version::HTTP_11 {
            request = request.header(http::header::HOST, authority);
        } else if let Some(priority) = self.priority.header() {
            request = request.header("priority", priority);
        }
        if WITH_CONTENT.contains(&self.method) || !self.content.is_empty() {
            request = request.header(http::header::CONTENT_LENGTH, self.content.len());
        }
        let request = request.body(());
        let mut request = request.map_err(|error| Failure::new(Reason::Incomplete, error))?;
        request.headers_mut().extend(self.headers.clone());
        Ok(request)
    }
}
