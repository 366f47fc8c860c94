//! Requests and responses in the bytes of both directions, for HTTP/1.1 and HTTP/2 alike.

mod h1;
mod h2;
mod h2_windows;
pub(crate) mod h3;
pub(crate) mod qpack;

use std::ops::Range;

pub(crate) use pronghorn_http2::frame::PREFACE;

use crate::arrivals::Scope;

/// What both directions of a connection hold, by places in the application's bytes.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    pub(crate) requests: Vec<RequestAt>,
    /// Whose the bytes towards the client are, in order; those of no stream are left out.
    pub(crate) owned: Vec<Owned>,
    /// Where the first response's content begins.
    pub(crate) first_content: Option<u64>,
    /// What else begins where, towards the client and from it.
    pub(crate) marks: [Vec<(u64, &'static str)>; 2],
    pub(crate) limits: Vec<LimitAt>,
    pub(crate) why_not: Option<String>,
}

/// A request, and where it begins in what the client sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestAt {
    pub(crate) id: i64,
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) at: u64,
}

/// Bytes of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owned {
    pub(crate) range: Range<u64>,
    pub(crate) stream: i64,
    /// Of the first byte in its stream.
    pub(crate) offset: u64,
}

/// What the client allows by the byte at `at` of what it sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LimitAt {
    pub(crate) at: u64,
    pub(crate) scope: Scope,
    pub(crate) offset: u64,
}

/// Reads both directions; `alpn` is what the ends agreed on. The protocol's name is `None` where nothing tells it.
pub(crate) fn read(
    alpn: Option<&[u8]>,
    up: &[u8],
    down: &[u8],
) -> (Option<&'static str>, Exchanges) {
    let is_h1 = alpn == Some(b"http/1.1") || (alpn.is_none() && looks_like_h1(up));
    if up.starts_with(PREFACE) {
        (Some("h2"), h2::read(up, down))
    } else if is_h1 {
        (Some("h1"), h1::read(up, down))
    } else {
        let name = (alpn == Some(b"h2")).then_some("h2");
        (name, Exchanges::default())
    }
}

/// Whether the bytes begin with a method and a space.
fn looks_like_h1(up: &[u8]) -> bool {
    let method = up
        .iter()
        .take(20)
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    method > 1 && up.get(method) == Some(&b' ')
}
