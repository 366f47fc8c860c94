//! What a request is answered with.

use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header};

use crate::Shared;

/// The one path on which the origin does something: a POST there is executed and answered 204. Its
/// entries of that status in the log are the executions.
pub const EXECUTE_PATH: &str = "/.pronghorn/execute";

impl Shared {
    /// The response to a request for `path`. One that came as early data, and whose method isn't safe
    /// (RFC 9110 §9.2.1), is answered 425 and nothing is done for it: it may be a replay (RFC 8470 §5.2).
    pub(crate) fn answer(&self, method: &Method, path: &str, early: bool) -> Response<Bytes> {
        if early && !method.is_safe() {
            let mut response = self.without_content(StatusCode::TOO_EARLY);
            let nothing = HeaderValue::from_static("0");
            response
                .headers_mut()
                .insert(header::CONTENT_LENGTH, nothing);
            response
        } else if method == Method::POST && path == EXECUTE_PATH {
            // A 204 bears no Content-Length (RFC 9110 §8.6).
            self.without_content(StatusCode::NO_CONTENT)
        } else {
            self.site.respond(method, path, &self.headers)
        }
    }

    fn without_content(&self, status: StatusCode) -> Response<Bytes> {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = status;
        self.headers.add_to(response.headers_mut());
        response
    }
}
