//! Where redirects lead.

use http::Method;
use pronghorn_page::LONGEST_URL;
use tokio::time::Instant;

use crate::navigation::{Asked, Navigation};
use crate::record::{Reason, Why};
use crate::transport::{Failure, Head};

/// Redirects in a row that browsers follow (Fetch, "HTTP-redirect fetch").
const MOST_REDIRECTS: usize = 20;

impl Navigation<'_> {
    /// Asks at once for what a redirect leads to; its own response counts as any other.
    pub(crate) fn redirect(&mut self, index: usize, head: &Head, at: Instant) {
        let location = head.header("location");
        let from = &self.resources[index];
        let path = from.record.path.clone();
        let answered = format!("{path} was answered {}", head.status);
        let led = match head.status {
            301 | 302 | 303 | 307 | 308 if !location.is_empty() => from.url.join(&location).ok(),
            _ => None,
        };
        let Some(mut url) = led else {
            let detail = format!("{answered} without a place that it leads to");
            return self.fail(index, Failure::new(Reason::Status, detail), at);
        };
        if url.as_str().len() > LONGEST_URL {
            let detail = format!("{answered} and leads to a URL of more than {LONGEST_URL} bytes");
            return self.fail(index, Failure::new(Reason::Status, detail), at);
        }
        if from.hops == MOST_REDIRECTS {
            let detail = format!("{answered} after {MOST_REDIRECTS} redirects");
            return self.fail(index, Failure::new(Reason::Status, detail), at);
        }
        url.set_fragment(None);
        let Some(own) = self.own.own(&url) else {
            let kind = from.record.kind;
            if from.initiator.is_none() {
                let detail = format!("{answered} and leads to another host: {url}");
                self.fail(index, Failure::new(Reason::Status, detail), at);
            }
            return self.left_out.add(&url, Why::OtherHost, kind);
        };
        let method: Method = from.record.method.parse().unwrap_or_default();
        // RFC 9110 §15.4: browsers change POST to GET with 301 and 302, and all but HEAD with 303.
        let method = match head.status {
            301 | 302 if method == Method::POST => Method::GET,
            303 if method != Method::HEAD => Method::GET,
            _ => method,
        };
        let hop = self.resources.len();
        let from = &mut self.resources[index];
        let asked = Asked {
            url: own,
            kind: from.record.kind,
            place: from.place,
            initiator: from.initiator,
            depth: from.depth + 1,
            hops: from.hops + 1,
            content: from.content.hand_on(),
        };
        let asked_for = from.url.clone();
        self.request(asked, method, at);
        if hop < self.resources.len() {
            self.known.insert(asked_for, hop);
        }
    }
}
