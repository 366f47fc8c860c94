//! The header section of a request (RFC 9114 §4.3.1).

use bytes::Bytes;
use http::header::HOST;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, Method, Uri, request};

use super::fields::{Regular, Section, is_pseudo, set_once};
use crate::error::Error;
use crate::qpack::Field;

#[derive(Default)]
struct Pseudo {
    method: Option<Bytes>,
    scheme: Option<Bytes>,
    authority: Option<Bytes>,
    path: Option<Bytes>,
}

/// The request that `fields` are, and the length of its content if stated.
///
/// The URI's authority is `:authority`'s or, without one, `host`'s.
pub(super) fn head(fields: Vec<Field>) -> Result<(request::Parts, Option<u64>), Error> {
    let mut pseudo = Pseudo::default();
    let mut regular = Regular::new(Section::Request, fields.len());
    for field in fields {
        if is_pseudo(&field) {
            if !regular.map.is_empty() {
                return Err(Error::malformed(
                    "a pseudo-header field after a regular one",
                ));
            }
            let place = match &field.name[..] {
                b":method" => &mut pseudo.method,
                b":scheme" => &mut pseudo.scheme,
                b":authority" => &mut pseudo.authority,
                b":path" => &mut pseudo.path,
                _ => return Err(Error::malformed("an unknown pseudo-header field")),
            };
            set_once(place, field.value)?;
        } else {
            regular.add(field)?;
        }
    }
    let method = pseudo.method.take().ok_or(Error::malformed("no :method"))?;
    let method =
        Method::from_bytes(&method).map_err(|_| Error::malformed(":method is no token"))?;
    let authority = authority(pseudo.authority.take(), &regular.map)?;
    let uri = if method == Method::CONNECT {
        connect_uri(pseudo, authority)?
    } else {
        uri(&method, pseudo, authority)?
    };

    let (mut parts, ()) = http::Request::new(()).into_parts();
    parts.method = method;
    parts.uri = uri;
    parts.version = http::Version::HTTP_3;
    parts.headers = regular.map;
    Ok((parts, regular.content_length))
}

/// The authority by `:authority` and `host`, which have to agree where both are there.
fn authority(stated: Option<Bytes>, headers: &HeaderMap) -> Result<Option<Authority>, Error> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next();
    if hosts.next().is_some() {
        return Err(Error::malformed("two host fields"));
    }
    let authority = match (stated, host) {
        (None, None) => return Ok(None),
        (Some(stated), None) => stated,
        (None, Some(host)) => Bytes::copy_from_slice(host.as_bytes()),
        (Some(stated), Some(host)) if stated.eq_ignore_ascii_case(host.as_bytes()) => stated,
        (Some(_), Some(_)) => return Err(Error::malformed(":authority and host differ")),
    };
    if authority.contains(&b'@') {
        return Err(Error::malformed("user information in the authority"));
    }
    Authority::from_maybe_shared(authority)
        .map(Some)
        .map_err(|_| Error::malformed("the authority is none"))
}

fn connect_uri(pseudo: Pseudo, authority: Option<Authority>) -> Result<Uri, Error> {
    if pseudo.scheme.is_some() || pseudo.path.is_some() {
        return Err(Error::malformed("CONNECT with :scheme or :path"));
    }
    let authority = authority.ok_or(Error::malformed("CONNECT without :authority"))?;
    Ok(Uri::from(authority))
}

fn uri(method: &Method, pseudo: Pseudo, authority: Option<Authority>) -> Result<Uri, Error> {
    let scheme = pseudo.scheme.ok_or(Error::malformed("no :scheme"))?;
    let scheme =
        Scheme::try_from(&scheme[..]).map_err(|_| Error::malformed(":scheme is no scheme"))?;
    let path = pseudo.path.ok_or(Error::malformed("no :path"))?;
    let is_path = match path.first() {
        Some(b'/') => !path.contains(&b'#'),
        Some(b'*') => path.len() == 1 && *method == Method::OPTIONS,
        _ => false,
    };
    if !is_path {
        return Err(Error::malformed(":path is no path"));
    }
    let path =
        PathAndQuery::from_maybe_shared(path).map_err(|_| Error::malformed(":path is no path"))?;
    let authority = authority.ok_or(Error::malformed("neither :authority nor host"))?;

    let mut parts = http::uri::Parts::default();
    parts.scheme = Some(scheme);
    parts.authority = Some(authority);
    parts.path_and_query = Some(path);
    Uri::from_parts(parts).map_err(|_| Error::malformed("scheme, authority and path are no URI"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Code, Scope};

    fn parse(fields: &[(&'static str, &'static str)]) -> Result<request::Parts, Error> {
        let fields = fields.iter().map(|&(n, v)| Field::new(n, v)).collect();
        head(fields).map(|(parts, _)| parts)
    }

    fn malformed(fields: &[(&'static str, &'static str)]) -> &'static str {
        let error = parse(fields).unwrap_err();
        assert_eq!(
            (error.code, error.scope),
            (Code::MessageError, Scope::Stream)
        );
        error.reason
    }

    const GET: [(&str, &str); 4] = [
        (":method", "GET"),
        (":scheme", "https"),
        (":authority", "shop.example"),
        (":path", "/a?b=c"),
    ];

    fn get_with(name: &'static str, value: &'static str) -> Vec<(&'static str, &'static str)> {
        [&GET[..], &[(name, value)]].concat()
    }

    fn get_but(name: &'static str, value: &'static str) -> Vec<(&'static str, &'static str)> {
        GET.into_iter()
            .map(|(n, v)| (n, if n == name { value } else { v }))
            .collect()
    }

    fn get_without(name: &'static str) -> Vec<(&'static str, &'static str)> {
        GET.into_iter().filter(|&(n, _)| n != name).collect()
    }

    #[test]
    fn a_request_has_method_uri_version_and_headers() {
        let parts = parse(&get_with("accept", "*/*")).unwrap();
        assert_eq!(parts.method, Method::GET);
        assert_eq!(parts.uri, "https://shop.example/a?b=c");
        assert_eq!(parts.version, http::Version::HTTP_3);
        assert_eq!(parts.headers["accept"], "*/*");
    }

    #[test]
    fn pseudo_header_fields_come_first_once_and_are_known() {
        let mut late = vec![("accept", "*/*")];
        late.extend(GET);
        assert_eq!(
            malformed(&late),
            "a pseudo-header field after a regular one"
        );
        assert_eq!(
            malformed(&get_with(":path", "/")),
            "a pseudo-header field twice"
        );
        for name in [":status", ":protocol", ":", ":Path"] {
            assert_eq!(
                malformed(&get_with(name, "200")),
                "an unknown pseudo-header field"
            );
        }
    }

    #[test]
    fn what_is_required_is_there() {
        assert_eq!(malformed(&[]), "no :method");
        assert_eq!(malformed(&get_without(":method")), "no :method");
        assert_eq!(malformed(&get_without(":scheme")), "no :scheme");
        assert_eq!(malformed(&get_without(":path")), "no :path");
        assert_eq!(
            malformed(&get_without(":authority")),
            "neither :authority nor host"
        );
    }

    #[test]
    fn values_of_pseudo_header_fields_are_well_formed() {
        for path in ["", "index.html", "*", "/a#b", "/\0", "/ b"] {
            assert_eq!(
                malformed(&get_but(":path", path)),
                ":path is no path",
                "{path}"
            );
        }
        for authority in ["", "a b", "a/b"] {
            assert_eq!(
                malformed(&get_but(":authority", authority)),
                "the authority is none"
            );
        }
        assert_eq!(malformed(&get_but(":method", "G T")), ":method is no token");
        assert_eq!(malformed(&get_but(":scheme", "h:")), ":scheme is no scheme");
        assert_eq!(
            malformed(&get_but(":authority", "me@shop.example")),
            "user information in the authority"
        );
    }

    #[test]
    fn host_stands_in_for_the_authority_and_must_not_differ_from_it() {
        let mut fields = get_without(":authority");
        fields.push(("host", "shop.example"));
        assert_eq!(parse(&fields).unwrap().uri, "https://shop.example/a?b=c");
        assert!(parse(&get_with("host", "Shop.example")).is_ok());
        assert_eq!(
            malformed(&get_with("host", "other.example")),
            ":authority and host differ"
        );
        fields.push(("host", "shop.example"));
        assert_eq!(malformed(&fields), "two host fields");
    }

    #[test]
    fn options_may_ask_for_the_whole_server() {
        let mut fields = get_but(":path", "*");
        fields[0].1 = "OPTIONS";
        assert_eq!(parse(&fields).unwrap().uri.path(), "*");
    }

    #[test]
    fn connect_has_an_authority_alone() {
        let connect = [(":method", "CONNECT"), (":authority", "shop.example:443")];
        assert_eq!(parse(&connect).unwrap().uri, "shop.example:443");
        assert_eq!(malformed(&connect[..1]), "CONNECT without :authority");
        let with_path = [&connect[..], &[(":path", "/")]].concat();
        assert_eq!(malformed(&with_path), "CONNECT with :scheme or :path");
    }

    #[test]
    fn field_names_are_lower_case_tokens() {
        for name in ["Accept", "a b", "", "a:", "ä"] {
            assert_eq!(
                malformed(&get_with(name, "x")),
                "a field name that is no lower-case token",
                "{name}"
            );
        }
    }

    #[test]
    fn field_values_have_no_control_characters() {
        for value in ["a\r\nb", "a\0", "\x7f"] {
            assert_eq!(
                malformed(&get_with("x", value)),
                "a field value with control characters"
            );
        }
    }

    #[test]
    fn connection_specific_fields_are_refused() {
        for name in [
            "connection",
            "keep-alive",
            "proxy-connection",
            "transfer-encoding",
            "upgrade",
        ] {
            assert_eq!(
                malformed(&get_with(name, "x")),
                "a connection-specific field"
            );
        }
    }

    #[test]
    fn te_may_only_name_trailers() {
        assert!(parse(&get_with("te", "trailers")).is_ok());
        assert_eq!(
            malformed(&get_with("te", "gzip")),
            "a te field other than a request's trailers"
        );
    }

    #[test]
    fn content_lengths_are_numbers_and_agree() {
        for value in ["", "-1", "+1", "1, 1", "x", "99999999999999999999"] {
            assert_eq!(
                malformed(&get_with("content-length", value)),
                "a content-length that is no number",
                "{value}"
            );
        }
        let mut fields = get_with("content-length", "5");
        fields.push(("content-length", "5"));
        assert!(parse(&fields).is_ok());
        fields.push(("content-length", "6"));
        assert_eq!(malformed(&fields), "two content-lengths");
    }
}
