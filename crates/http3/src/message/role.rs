//! The messages that may be read off a request stream: requests by servers, responses by clients.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, StatusCode, request, response};

use super::brief::{BriefHead, KnownHeads};
use super::response::ResponseHead;
use super::{request as request_head, response as response_head};
use crate::error::Error;
use crate::qpack;
use crate::side::Side;

/// The message that a [`Reader`](super::Reader) reads. [`Request`], [`Response`], [`RawResponse`] and
/// [`BriefResponse`] are all there are.
pub trait Role: sealed::Sealed {
    /// The head of the message.
    type Head;
    /// The end that reads it.
    #[doc(hidden)]
    const SIDE: Side;
    /// The head that a field section of at most `limit` bytes is, and what it means for what follows it.
    #[doc(hidden)]
    fn head(&self, section: &Bytes, limit: u64) -> Result<(Self::Head, Shape), Error>;
}

mod sealed {
    pub trait Sealed {}
}

/// What a head means for what follows it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Another head.
    Informational,
    /// Content of as many bytes as stated, or of any number, then maybe trailers.
    Content(Option<u64>),
    /// Data of a tunnel, and no trailers.
    Tunnel,
}

/// Requests, as a server reads them.
#[derive(Clone, Copy, Debug)]
pub struct Request;

/// Responses, as a client reads them.
#[derive(Clone, Copy, Debug)]
pub struct Response(Asked);

/// Responses whose fields stay as QPACK left them, as a client reads them that hardly looks.
#[derive(Clone, Copy, Debug)]
pub struct RawResponse(Asked);

/// Responses of which only what counts is kept, as a client reads them that makes the same requests many times.
#[derive(Clone, Debug)]
pub struct BriefResponse {
    asked: Asked,
    known: Arc<KnownHeads>,
}

/// What of the request decides whether its response has content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Head,
    Connect,
    Else,
}

impl Asked {
    fn by(method: &Method) -> Self {
        match *method {
            Method::HEAD => Asked::Head,
            Method::CONNECT => Asked::Connect,
            _ => Asked::Else,
        }
    }

    fn shape(self, status: StatusCode, content_length: Option<u64>) -> Shape {
        match (self, status) {
            _ if status.is_informational() => Shape::Informational,
            (Asked::Connect, _) if status.is_success() => Shape::Tunnel,
            (Asked::Head, _) | (_, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) => {
                Shape::Content(Some(0))
            }
            _ => Shape::Content(content_length),
        }
    }
}

impl Response {
    /// The response to a request with `method`.
    pub(super) fn to(method: &Method) -> Self {
        Response(Asked::by(method))
    }
}

impl RawResponse {
    /// The response to a request with `method`.
    pub(super) fn to(method: &Method) -> Self {
        RawResponse(Asked::by(method))
    }
}

impl BriefResponse {
    /// The response to a request with `method`.
    pub(super) fn to(method: &Method, known: Arc<KnownHeads>) -> Self {
        BriefResponse {
            asked: Asked::by(method),
            known,
        }
    }
}

impl sealed::Sealed for Request {}
impl sealed::Sealed for Response {}
impl sealed::Sealed for RawResponse {}
impl sealed::Sealed for BriefResponse {}

impl Role for Request {
    type Head = request::Parts;
    const SIDE: Side = Side::Server;

    fn head(&self, section: &Bytes, limit: u64) -> Result<(Self::Head, Shape), Error> {
        let fields = qpack::decode(section, limit)?;
        let (parts, content_length) = request_head::head(fields)?;
        let shape = if parts.method == Method::CONNECT {
            Shape::Tunnel
        } else {
            Shape::Content(content_length)
        };
        Ok((parts, shape))
    }
}

impl Role for Response {
    type Head = response::Parts;
    const SIDE: Side = Side::Client;

    fn head(&self, section: &Bytes, limit: u64) -> Result<(Self::Head, Shape), Error> {
        let fields = qpack::decode(section, limit)?;
        let (parts, content_length) = response_head::parts(fields)?;
        let shape = self.0.shape(parts.status, content_length);
        Ok((parts, shape))
    }
}

impl Role for RawResponse {
    type Head = ResponseHead;
    const SIDE: Side = Side::Client;

    fn head(&self, section: &Bytes, limit: u64) -> Result<(Self::Head, Shape), Error> {
        let fields = qpack::decode(section, limit)?;
        let (head, content_length) = response_head::raw(fields)?;
        let shape = self.0.shape(head.status, content_length);
        Ok((head, shape))
    }
}

impl Role for BriefResponse {
    type Head = BriefHead;
    const SIDE: Side = Side::Client;

    fn head(&self, section: &Bytes, limit: u64) -> Result<(Self::Head, Shape), Error> {
        let head = self.known.read(section, limit)?;
        let shape = self.asked.shape(head.status, head.content_length);
        Ok((head, shape))
    }
}
