//! Scripts that may make requests. Nothing runs them: what they would ask for isn't known.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// What a script has to name to make a request: the interfaces that fetch (Fetch, XMLHttpRequest, Beacon, WebSockets,
/// server-sent events, workers, dynamic imports), and those by which a document gets an element or an address that is
/// fetched.
const NAMES: [&str; 21] = [
    "fetch",
    "XMLHttpRequest",
    "sendBeacon",
    "WebSocket",
    "WebTransport",
    "EventSource",
    "Worker(",
    "import(",
    "importScripts",
    "document.write",
    "insertAdjacentHTML",
    "innerHTML",
    "outerHTML",
    "createElement",
    "setAttribute",
    "Image(",
    "Audio(",
    "FontFace(",
    ".src",
    "srcset",
    "location",
];

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(NAMES)
        .ok()
});

/// Of these more words end so than make requests: `prefetch`, `allocation`.
const WHOLE_WORDS: [&str; 2] = ["fetch", "location"];

/// Whether a script names something by which scripts make requests. One that computes such a name isn't found; one that
/// merely mentions it is.
#[must_use]
pub fn may_request(script: &[u8]) -> bool {
    let Some(names) = SEARCH.as_ref() else {
        return true;
    };
    names.find_iter(script).any(|found| {
        let before = found.start().checked_sub(1).and_then(|at| script.get(at));
        let within = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        !within || !WHOLE_WORDS.contains(&NAMES[found.pattern().as_usize()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_requests_is_found_and_what_merely_computes_is_not() {
        for script in [
            "fetch('a.json')",
            "var x = new XMLHttpRequest()",
            "import('./part.js').then(f)",
            "new Worker(\"worker.js\")",
            "i = new Image(); i.src = 'a.png'",
            "document.write('<img src=a.png>')",
            "e.innerHTML = text",
            "(w=window).location.replace('/next')",
        ] {
            assert!(may_request(script.as_bytes()), "{script}");
        }
        for script in [
            "",
            "prefetch = allocation + navigator.geolocation;",
            "'use strict'; import { one } from './part.js'; export const two = one + 1;",
            "window.pronghornRan = (window.pronghornRan || []).concat(['script-1']);",
        ] {
            assert!(!may_request(script.as_bytes()), "{script}");
        }
    }
}
