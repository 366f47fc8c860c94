//! The header section of a response (RFC 9114 §4.3.2).

use bytes::Bytes;
use http::{StatusCode, response};

use super::fields::{self, Regular, Section, is_pseudo, set_once};
use crate::error::Error;
use crate::qpack::Field;

/// A response's status with its other fields as QPACK left them, validated but not gathered in a
/// map: for clients that hardly look at them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status code.
    pub status: StatusCode,
    /// Every field, `:status` among them, in the order of the section.
    pub fields: Vec<Field>,
}

/// The response that `fields` are, and the length of its content if stated.
pub(super) fn parts(fields: Vec<Field>) -> Result<(response::Parts, Option<u64>), Error> {
    let mut stated = None;
    let mut regular = Regular::new(Section::Other, fields.len());
    for field in fields {
        if is_pseudo(&field) {
            check_pseudo(&field, !regular.map.is_empty())?;
            set_once(&mut stated, field.value)?;
        } else {
            regular.add(field)?;
        }
    }
    let (mut parts, ()) = http::Response::new(()).into_parts();
    parts.status = status(stated)?;
    parts.version = http::Version::HTTP_3;
    parts.headers = regular.map;
    Ok((parts, regular.content_length))
}

/// As [`parts`], with the fields left as they are.
pub(super) fn raw(all: Vec<Field>) -> Result<(ResponseHead, Option<u64>), Error> {
    let mut stated = None;
    let mut regular = false;
    let mut content_length = None;
    for field in &all {
        if is_pseudo(field) {
            check_pseudo(field, regular)?;
            set_once(&mut stated, field.value.clone())?;
        } else {
            fields::check(Section::Other, field, &mut content_length)?;
            regular = true;
        }
    }
    let head = ResponseHead {
        status: status(stated)?,
        fields: all,
    };
    Ok((head, content_length))
}

fn check_pseudo(field: &Field, after_regular: bool) -> Result<(), Error> {
    if after_regular {
        return Err(Error::malformed(
            "a pseudo-header field after a regular one",
        ));
    }
    if field.name != ":status" {
        return Err(Error::malformed("an unknown pseudo-header field"));
    }
    Ok(())
}

fn status(stated: Option<Bytes>) -> Result<StatusCode, Error> {
    let stated = stated.ok_or(Error::malformed("no :status"))?;
    match StatusCode::from_bytes(&stated) {
        Ok(StatusCode::SWITCHING_PROTOCOLS) => {
            Err(Error::malformed("status 101, which HTTP/3 does not have"))
        }
        // RFC 9110 §15.
        Ok(status) if status.as_u16() < 600 => Ok(status),
        _ => Err(Error::malformed(":status is no status code")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Parses both ways, which have to agree.
    fn parse(fields: &[(&'static str, &'static str)]) -> Result<response::Parts, Error> {
        parse_both(fields.iter().map(|&(n, v)| Field::new(n, v)).collect())
    }

    fn parse_both(fields: Vec<Field>) -> Result<response::Parts, Error> {
        let raw = raw(fields.clone());
        let parsed = parts(fields);
        match (&raw, &parsed) {
            (Ok((head, length)), Ok((parts, same_length))) => {
                assert_eq!((head.status, length), (parts.status, same_length));
            }
            (Err(error), Err(same_error)) => assert_eq!(error, same_error),
            _ => panic!("{raw:?} but {parsed:?}"),
        }
        parsed.map(|(parts, _)| parts)
    }

    fn malformed(fields: &[(&'static str, &'static str)]) -> &'static str {
        parse(fields).unwrap_err().reason
    }

    #[test]
    fn a_response_has_status_version_and_headers() {
        let parts = parse(&[(":status", "404"), ("vary", "origin")]).unwrap();
        assert_eq!(parts.status, StatusCode::NOT_FOUND);
        assert_eq!(parts.version, http::Version::HTTP_3);
        assert_eq!(parts.headers["vary"], "origin");
    }

    #[test]
    fn the_status_is_required_once_first_and_a_code() {
        assert_eq!(malformed(&[("vary", "origin")]), "no :status");
        assert_eq!(
            malformed(&[("vary", "origin"), (":status", "200")]),
            "a pseudo-header field after a regular one"
        );
        assert_eq!(
            malformed(&[(":status", "200"), (":status", "200")]),
            "a pseudo-header field twice"
        );
        for status in ["", "20", "2000", "abc", "000", "099", "600", "999", " 200"] {
            assert_eq!(
                malformed(&[(":status", status)]),
                ":status is no status code"
            );
        }
        assert_eq!(
            malformed(&[(":status", "101")]),
            "status 101, which HTTP/3 does not have"
        );
    }

    #[test]
    fn a_requests_pseudo_header_fields_are_unknown_to_a_response() {
        assert_eq!(
            malformed(&[(":status", "200"), (":path", "/")]),
            "an unknown pseudo-header field"
        );
    }

    #[test]
    fn regular_fields_are_validated() {
        for (name, value, reason) in [
            ("Vary", "x", "a field name that is no lower-case token"),
            ("", "x", "a field name that is no lower-case token"),
            ("x", "\n", "a field value with control characters"),
            ("connection", "close", "a connection-specific field"),
            (
                "te",
                "trailers",
                "a te field other than a request's trailers",
            ),
            ("content-length", "x", "a content-length that is no number"),
        ] {
            assert_eq!(malformed(&[(":status", "200"), (name, value)]), reason);
        }
    }

    proptest! {
        #[test]
        fn both_ways_of_reading_agree_on_any_field(
            name in prop_oneof![
                any::<Vec<u8>>(),
                "[!-~]{1,4}".prop_map(String::into_bytes),
                "(te|upgrade|content-length|:status)".prop_map(String::into_bytes),
            ],
            value in prop_oneof![any::<Vec<u8>>(), "[0-9]{0,3}".prop_map(String::into_bytes)],
        ) {
            let fields = vec![Field::new(":status", "200"), Field::new(name, value)];
            let _ = parse_both(fields);
        }

        #[test]
        fn both_ways_of_reading_agree_on_any_byte(byte: u8, in_name: bool) {
            let field = if in_name {
                Field::new(vec![b'x', byte], "y")
            } else {
                Field::new("x", vec![byte])
            };
            let _ = parse_both(vec![Field::new(":status", "200"), field]);
        }
    }
}
