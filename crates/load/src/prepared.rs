//! Requests in the bytes of each protocol, made once.

use bytes::{BufMut, Bytes, BytesMut};
use http::{HeaderMap, Method, Uri};
use pronghorn_http::Protocol;
use pronghorn_http3::message::EncodeError;

use pronghorn_http2::hpack;

use crate::content::Content;

/// A request, ready to be sent any number of times.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    pub(crate) method: Method,
    pub(crate) content: Content,
    /// The bytes before the content: over HTTP/1.1 the head, over HTTP/2 the HPACK block without any frame's header, over
    /// HTTP/3 the HEADERS frame and the header of the DATA frame, where there is content.
    pub(crate) encoded: Bytes,
    /// How large the head is, in bytes as HTTP/1.1 writes it, whatever the protocol.
    pub(crate) head_bytes: usize,
}

impl Prepared {
    /// `uri` is absolute, and its authority is whom the request names; `headers` are the fields beside those that the protocol
    /// itself asks for.
    ///
    /// # Errors
    /// Fields that HTTP/2 and HTTP/3 don't have.
    pub(crate) fn new(
        protocol: Protocol,
        method: Method,
        uri: &Uri,
        mut headers: HeaderMap,
        content: Content,
    ) -> Result<Prepared, EncodeError> {
        let length = content.len();
        let states_length = length > 0 || [Method::POST, Method::PUT].contains(&method);
        if states_length {
            headers.insert(http::header::CONTENT_LENGTH, length.into());
        }
        let encoded = match protocol {
            Protocol::H1 => http_1(&method, uri, &headers),
            Protocol::H2 => http_2(&method, uri, &headers)?,
            Protocol::H3 => http_3(&method, uri, &headers, length)?,
        };
        Ok(Prepared {
            head_bytes: head_bytes(&method, uri, &headers),
            method,
            content,
            encoded,
        })
    }
}

fn head_bytes(method: &Method, uri: &Uri, headers: &HeaderMap) -> usize {
    let line = method.as_str().len() + path(uri).len() + "  HTTP/1.1\r\n".len();
    let host = "host: \r\n".len() + authority(uri).len();
    let field = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        name.as_str().len() + value.len() + ": \r\n".len()
    };
    line + host + headers.iter().map(field).sum::<usize>() + "\r\n".len()
}

fn http_1(method: &Method, uri: &Uri, headers: &HeaderMap) -> Bytes {
    let mut out = BytesMut::new();
    out.put_slice(method.as_str().as_bytes());
    out.put_u8(b' ');
    out.put_slice(path(uri).as_bytes());
    out.put_slice(b" HTTP/1.1\r\n");
    put_line(&mut out, b"host", authority(uri).as_bytes());
    for (name, value) in headers {
        put_line(&mut out, name.as_ref(), value.as_bytes());
    }
    out.put_slice(b"\r\n");
    out.freeze()
}

fn put_line(out: &mut BytesMut, name: &[u8], value: &[u8]) {
    out.put_slice(name);
    out.put_slice(b": ");
    out.put_slice(value);
    out.put_slice(b"\r\n");
}

/// HTTP/2 has the fields that HTTP/3 has (RFC 9113 §8.2.2, RFC 9114 §4.2).
fn http_2(method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Bytes, EncodeError> {
    pronghorn_http3::message::put_request(method, uri, headers, &mut BytesMut::new())?;
    let mut out = BytesMut::new();
    let pseudo = [
        (":method", method.as_str()),
        (":scheme", uri.scheme_str().unwrap_or("https")),
        (":authority", authority(uri)),
        (":path", path(uri)),
    ];
    for (name, value) in pseudo {
        hpack::put_field(name.as_bytes(), value.as_bytes(), &mut out);
    }
    for (name, value) in headers {
        hpack::put_field(name.as_ref(), value.as_bytes(), &mut out);
    }
    Ok(out.freeze())
}

fn http_3(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    content: u64,
) -> Result<Bytes, EncodeError> {
    let mut out = BytesMut::new();
    pronghorn_http3::message::put_request(method, uri, headers, &mut out)?;
    if content > 0 {
        pronghorn_http3::frame::put_data_header(content, &mut out);
    }
    Ok(out.freeze())
}

fn path(uri: &Uri) -> &str {
    uri.path_and_query()
        .map_or("/", http::uri::PathAndQuery::as_str)
}

fn authority(uri: &Uri) -> &str {
    uri.authority().map_or("", http::uri::Authority::as_str)
}
