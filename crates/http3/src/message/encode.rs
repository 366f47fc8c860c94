//! From requests and responses to HEADERS frames (RFC 9114 §4.1, §4.3).

use bytes::BytesMut;
use http::header::{HOST, TE};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};

use super::fields::is_connection_specific;
use crate::frame::put_headers;
use crate::qpack::{encode_field, encode_prefix};

/// Why a message can't be sent over HTTP/3. Nothing was appended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A field that belongs to one connection of HTTP/1.1, or `te` with other than `trailers`.
    #[error("the field {0} must not be sent over HTTP/3: leave it out")]
    ConnectionSpecific(HeaderName),
    /// The request's URI has no authority (or, unless it is CONNECT's, no scheme).
    #[error("the request needs an absolute URI, as https://host/path")]
    RelativeUri,
    /// The request's `host` field names another authority than its URI.
    #[error("the host field differs from the authority of the request's URI")]
    HostDiffers,
    /// Status 101, which HTTP/3 does not have.
    #[error("HTTP/3 has no status 101 (Switching Protocols)")]
    SwitchingProtocols,
}

/// Appends the HEADERS frame of a request.
///
/// `uri` has to be absolute, or an authority for CONNECT. A `host` field is left out, since
/// `:authority` says the same. A sensitive value is marked never to be indexed.
///
/// # Errors
/// [`EncodeError`], and nothing is appended.
pub fn put_request(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    out: &mut BytesMut,
) -> Result<(), EncodeError> {
    let authority = uri.authority().ok_or(EncodeError::RelativeUri)?.as_str();
    let target = match (*method == Method::CONNECT, uri.scheme_str()) {
        (true, _) => None,
        (false, Some(scheme)) => Some((
            scheme,
            uri.path_and_query().map_or("/", PathAndQuery::as_str),
        )),
        (false, None) => return Err(EncodeError::RelativeUri),
    };
    let hosts = headers.get_all(HOST).iter();
    for host in hosts {
        if !host.as_bytes().eq_ignore_ascii_case(authority.as_bytes()) {
            return Err(EncodeError::HostDiffers);
        }
    }
    let te = headers.get_all(TE).iter();
    for value in te {
        if !value.as_bytes().eq_ignore_ascii_case(b"trailers") {
            return Err(EncodeError::ConnectionSpecific(TE));
        }
    }
    check_names(headers)?;
    put_headers(out, |out| {
        encode_prefix(out);
        put_pseudo(":method", method.as_str(), out);
        if let Some((scheme, path)) = target {
            put_pseudo(":scheme", scheme, out);
            put_pseudo(":authority", authority, out);
            put_pseudo(":path", path, out);
        } else {
            put_pseudo(":authority", authority, out);
        }
        put_fields(headers, Some(&HOST), out);
    });
    Ok(())
}

/// Appends the HEADERS frame of a response, informational or not.
///
/// # Errors
/// [`EncodeError`], and nothing is appended.
pub fn put_response(
    status: StatusCode,
    headers: &HeaderMap,
    out: &mut BytesMut,
) -> Result<(), EncodeError> {
    if status == StatusCode::SWITCHING_PROTOCOLS {
        return Err(EncodeError::SwitchingProtocols);
    }
    check_without_te(headers)?;
    put_headers(out, |out| {
        encode_prefix(out);
        put_pseudo(":status", status.as_str(), out);
        put_fields(headers, None, out);
    });
    Ok(())
}

/// Appends the HEADERS frame of a message's trailers.
///
/// # Errors
/// [`EncodeError`], and nothing is appended.
pub fn put_trailers(trailers: &HeaderMap, out: &mut BytesMut) -> Result<(), EncodeError> {
    check_without_te(trailers)?;
    put_headers(out, |out| {
        encode_prefix(out);
        put_fields(trailers, None, out);
    });
    Ok(())
}

fn check_without_te(headers: &HeaderMap) -> Result<(), EncodeError> {
    if headers.contains_key(TE) {
        return Err(EncodeError::ConnectionSpecific(TE));
    }
    check_names(headers)
}

fn check_names(headers: &HeaderMap) -> Result<(), EncodeError> {
    headers
        .keys()
        .find(|name| is_connection_specific(name.as_str().as_bytes()))
        .map_or(Ok(()), |name| {
            Err(EncodeError::ConnectionSpecific(name.clone()))
        })
}

fn put_pseudo(name: &str, value: &str, out: &mut BytesMut) {
    encode_field(name.as_bytes(), value.as_bytes(), false, out);
}

fn put_fields(headers: &HeaderMap, except: Option<&HeaderName>, out: &mut BytesMut) {
    for (name, value) in headers {
        if Some(name) != except {
            encode_field(
                name.as_str().as_bytes(),
                value.as_bytes(),
                value.is_sensitive(),
                out,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method, uri: &str, fields: &[(&str, &str)]) -> Result<usize, EncodeError> {
        let mut out = BytesMut::new();
        put_request(&method, &uri.parse().unwrap(), &map(fields), &mut out).map(|()| out.len())
    }

    fn map(fields: &[(&str, &str)]) -> HeaderMap {
        let pairs = fields.iter().map(|&(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, value.parse().unwrap())
        });
        pairs.collect()
    }

    #[test]
    fn connection_specific_fields_are_not_sent() {
        for name in [
            "connection",
            "keep-alive",
            "transfer-encoding",
            "upgrade",
            "te",
        ] {
            let expected = Err(EncodeError::ConnectionSpecific(name.parse().unwrap()));
            let fields = [(name, "x")];
            assert_eq!(request(Method::GET, "https://a/", &fields), expected);
            let mut out = BytesMut::new();
            let response = put_response(StatusCode::OK, &map(&fields), &mut out);
            assert_eq!(response.map(|()| 0), expected);
            let trailers = put_trailers(&map(&fields), &mut out);
            assert_eq!(trailers.map(|()| 0), expected);
            assert!(out.is_empty());
        }
        assert!(request(Method::GET, "https://a/", &[("te", "trailers")]).is_ok());
    }

    #[test]
    fn a_request_needs_an_absolute_uri() {
        for uri in ["/", "a.example", "*"] {
            let result = request(Method::GET, uri, &[]);
            assert_eq!(result, Err(EncodeError::RelativeUri), "{uri}");
        }
        assert!(request(Method::CONNECT, "a.example:443", &[]).is_ok());
    }

    #[test]
    fn host_must_not_differ_from_the_authority() {
        let result = request(Method::GET, "https://a/", &[("host", "b")]);
        assert_eq!(result, Err(EncodeError::HostDiffers));
        let with_host = request(Method::GET, "https://a/", &[("host", "a")]);
        assert_eq!(with_host, request(Method::GET, "https://a/", &[]));
    }

    #[test]
    fn there_is_no_status_101() {
        let result = put_response(
            StatusCode::SWITCHING_PROTOCOLS,
            &HeaderMap::new(),
            &mut BytesMut::new(),
        );
        assert_eq!(result, Err(EncodeError::SwitchingProtocols));
    }
}
