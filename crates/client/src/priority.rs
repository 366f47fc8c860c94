//! Priorities as a browser gives them.
//!
//! Chromium's network priorities map to RFC 9218 urgencies as `HIGHEST − priority`
//! (`net/spdy/spdy_session.cc`, `net/quic/quic_http_utils.cc`), and its loader ranks resources as
//! `ComputeLoadPriority` does (`third_party/blink/…/resource_fetcher.cc`): the document and style
//! sheets highest, then fonts and parser-blocking scripts of the head, scripts of the body, and last
//! images and scripts that block nothing, the first five images one step above the rest; below all what isn't needed
//! now. Module scripts and what `fetch` is to find are as urgent as scripts of the head.

use schemars::JsonSchema;
use serde::Serialize;

use pronghorn_page::{Kind, Place};

/// A request's priority (RFC 9218 §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
pub struct Priority {
    /// 0 (first) to 7.
    pub urgency: u8,
    /// Whether parts are of use before the whole.
    pub incremental: bool,
}

/// Images that Chromium raises above the others of a page.
const RAISED_IMAGES: usize = 5;

impl Priority {
    /// The priority of a resource; `images_before` counts the images of the page found earlier.
    pub fn of(kind: Kind, place: Place, images_before: usize) -> Priority {
        let (urgency, incremental) = match (kind, place) {
            (Kind::Style | Kind::Script | Kind::Font, Place::Idle) => (4, false),
            (_, Place::Idle) => (4, true),
            (Kind::Document, _) => (0, true),
            (Kind::Style, _) => (0, false),
            (Kind::Font, _) | (Kind::Script, Place::BlockingInHead) => (1, false),
            (Kind::Script, Place::BlockingInBody) => (2, false),
            (Kind::Script, Place::Free) => (3, false),
            (Kind::Other, Place::BlockingInHead) => (1, true),
            (Kind::Image, _) if images_before < RAISED_IMAGES => (2, true),
            (Kind::Image | Kind::Other, _) => (3, true),
        };
        Priority {
            urgency,
            incremental,
        }
    }

    /// The `priority` header's value; none where it would only say the default (u=3).
    pub fn header(self) -> Option<http::HeaderValue> {
        let text = match (self.urgency, self.incremental) {
            (3, false) => return None,
            (3, true) => "i".to_owned(),
            (urgency, false) => format!("u={urgency}"),
            (urgency, true) => format!("u={urgency}, i"),
        };
        http::HeaderValue::try_from(text).ok()
    }
}
