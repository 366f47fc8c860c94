//! What every field section has to obey (RFC 9114 §4.2).

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::error::{Code, Error};
use crate::qpack::Field;

/// Whether a section may carry `te`, and with which kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// The header section of a request.
    Request,
    /// The header section of a response, or a trailer section.
    Other,
}

/// Whether the field is a pseudo-header field.
pub(super) fn is_pseudo(field: &Field) -> bool {
    field.name.first() == Some(&b':')
}

/// Moves regular fields into a map as it validates them.
pub(super) struct Regular {
    section: Section,
    pub(super) map: HeaderMap,
    pub(super) content_length: Option<u64>,
}

impl Regular {
    /// A map with room for `fields` fields.
    pub(super) fn new(section: Section, fields: usize) -> Self {
        Regular {
            section,
            map: HeaderMap::with_capacity(fields),
            content_length: None,
        }
    }

    /// Adds `field`, which comes after all pseudo-header fields.
    pub(super) fn add(&mut self, field: Field) -> Result<(), Error> {
        check_permitted(self.section, &field)?;
        add_content_length(&mut self.content_length, &field)?;
        check_name(&field.name)?;
        let name = HeaderName::from_lowercase(&field.name).map_err(|_| NOT_A_NAME)?;
        let mut value = HeaderValue::from_maybe_shared(field.value)
            .map_err(|_| Error::malformed("a field value with control characters"))?;
        value.set_sensitive(field.never_indexed);
        self.map
            .try_append(name, value)
            .map_err(|_| Error::stream(Code::ExcessiveLoad, "too many fields"))?;
        Ok(())
    }
}

/// Validates a regular field that stays as it is; notes its content length if it is one.
pub(super) fn check(
    section: Section,
    field: &Field,
    content_length: &mut Option<u64>,
) -> Result<(), Error> {
    check_permitted(section, field)?;
    add_content_length(content_length, field)?;
    check_name(&field.name)?;
    let printable = |&byte: &u8| byte == b'\t' || (byte >= b' ' && byte != 0x7f);
    if !field.value.iter().all(printable) {
        return Err(Error::malformed("a field value with control characters"));
    }
    Ok(())
}

/// The trailers that `fields` are.
pub(super) fn trailers(fields: Vec<Field>) -> Result<HeaderMap, Error> {
    let mut regular = Regular::new(Section::Other, fields.len());
    for field in fields {
        if is_pseudo(&field) {
            return Err(Error::malformed("a pseudo-header field among the trailers"));
        }
        regular.add(field)?;
    }
    Ok(regular.map)
}

/// Puts `value` in `place`, which has to be empty as no pseudo-header field may come twice.
pub(super) fn set_once(place: &mut Option<Bytes>, value: Bytes) -> Result<(), Error> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::malformed("a pseudo-header field twice")),
    }
}

/// Whether the name belongs to a field that speaks of one connection, which HTTP/3 has no use for.
pub(super) fn is_connection_specific(name: &[u8]) -> bool {
    matches!(
        name,
        b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding" | b"upgrade"
    )
}

fn check_permitted(section: Section, field: &Field) -> Result<(), Error> {
    if is_connection_specific(&field.name) {
        return Err(Error::malformed("a connection-specific field"));
    }
    if field.name == "te"
        && (section == Section::Other || !field.value.eq_ignore_ascii_case(b"trailers"))
    {
        return Err(Error::malformed(
            "a te field other than a request's trailers",
        ));
    }
    Ok(())
}

fn add_content_length(known: &mut Option<u64>, field: &Field) -> Result<(), Error> {
    if field.name != "content-length" {
        return Ok(());
    }
    let stated = std::str::from_utf8(&field.value)
        .ok()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|text| text.parse().ok())
        .ok_or(Error::malformed("a content-length that is no number"))?;
    match known.replace(stated) {
        Some(before) if before != stated => Err(Error::malformed("two content-lengths")),
        _ => Ok(()),
    }
}

const NOT_A_NAME: Error = Error::malformed("a field name that is no lower-case token");

/// Checks what `HeaderName` is too lenient about: it takes quotation marks.
fn check_name(name: &[u8]) -> Result<(), Error> {
    if name.is_empty() || !name.iter().all(|&byte| LOWER_CASE_TOKEN[usize::from(byte)]) {
        return Err(NOT_A_NAME);
    }
    Ok(())
}

/// Which bytes a token without upper-case letters may hold (RFC 9110 §5.6.2).
static LOWER_CASE_TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let allowed = b"abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~";
    let mut index = 0;
    while index < allowed.len() {
        table[allowed[index] as usize] = true;
        index += 1;
    }
    table
};
