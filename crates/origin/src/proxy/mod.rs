//! Requests handed on to an application that speaks HTTP/1.1 in the clear. Content passes both ways as it comes, and no
//! faster than it is taken.
//!
//! | question | file |
//! |---|---|
//! | what is asked of the application, and when is it given up | `exchange.rs` |
//! | which fields pass, and what is said of the client | `fields.rs` |
//! | how does content pass | `content.rs` |
//! | who asks | `over_tcp.rs`, `over_quic.rs` |

mod content;
mod exchange;
mod fields;
mod over_quic;
mod over_tcp;

use std::time::Duration;

use http::uri::Authority;
use http::{HeaderMap, Uri};

use crate::headers::ResponseHeaders;
use crate::log::AccessLog;

pub(crate) use over_quic::answer as answer_h3;
pub(crate) use over_tcp::serve as serve_tcp;

/// An application to which requests are handed on.
#[derive(Debug, Clone)]
pub struct Application {
    authority: Authority,
    limit: Duration,
}

/// Why requests can't be handed on to an address.
#[derive(Debug, thiserror::Error)]
pub enum ApplicationError {
    /// Not `http://HOST:PORT`.
    #[error("`{0}` is no application's URL: write http://HOST:PORT, without a path")]
    Url(String),
    /// No time at all.
    #[error("an application's time limit of {0} s: allowed is more than 0, at most 86400")]
    Limit(f64),
}

/// The longest time limit, in seconds.
const LONGEST_LIMIT_S: f64 = 86_400.0;

impl Application {
    /// The application at `url`, which is given up where it keeps silent for `limit_s` seconds before its answer begins.
    pub fn new(url: &str, limit_s: f64) -> Result<Application, ApplicationError> {
        let known = || {
            let uri: Uri = url.parse().ok()?;
            let bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
            let authority = uri.authority()?.clone();
            let plain = uri.scheme_str() == Some("http") && !authority.as_str().contains('@');
            (bare && plain).then_some(authority)
        };
        let authority = known().ok_or_else(|| ApplicationError::Url(url.to_owned()))?;
        if !(limit_s > 0.0 && limit_s <= LONGEST_LIMIT_S) {
            return Err(ApplicationError::Limit(limit_s));
        }
        Ok(Application {
            authority,
            limit: Duration::from_secs_f64(limit_s),
        })
    }
}

/// What hands requests on.
pub(crate) struct Proxy {
    application: Application,
    /// At which clients ask.
    port: u16,
    /// Which every answer bears, in place of the application's of the same names.
    headers: HeaderMap,
    log: AccessLog,
}

impl Proxy {
    /// What hands requests of clients at `port` on, with what is put on every answer.
    pub(crate) fn new(
        application: &Application,
        port: u16,
        added: &ResponseHeaders,
        log: AccessLog,
    ) -> Proxy {
        let mut headers = HeaderMap::new();
        added.add_to(&mut headers, false);
        Proxy {
            application: application.clone(),
            port,
            headers,
            log,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_is_a_host_and_a_port_in_the_clear() {
        for url in ["http://127.0.0.1:8000", "http://[::1]:80/", "http://app"] {
            assert!(Application::new(url, 60.0).is_ok(), "{url}");
        }
        for url in [
            "https://a:1",
            "a:1",
            "http://a/b",
            "http://a?b",
            "http://u@a:1",
            "",
            "http://",
        ] {
            let refused = Application::new(url, 60.0);
            assert!(matches!(refused, Err(ApplicationError::Url(_))), "{url}");
        }
        for limit_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = Application::new("http://a:1", limit_s);
            assert!(matches!(refused, Err(ApplicationError::Limit(_))));
        }
    }
}
