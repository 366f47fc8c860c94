//! Requests as a specification has them, checked and made ready.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TE, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use pronghorn_http::Protocol;

use crate::content::Content;
use crate::error::LoadError;
use crate::prepared::Prepared;
use crate::spec::TargetSpec;

/// A target, which is told of as `key`.
pub(super) fn prepare(
    key: &str,
    target: &TargetSpec,
    uri: &Uri,
    protocol: Protocol,
) -> Result<Prepared, LoadError> {
    let method = Method::from_bytes(target.method.as_bytes())
        .ok()
        .filter(|method| *method != Method::CONNECT)
        .ok_or_else(|| {
            LoadError::spec(
                format!("{key}.method"),
                format!(
                    "`{}`; allowed are methods' names, such as GET or POST, but CONNECT",
                    target.method
                ),
            )
        })?;
    let mut headers = HeaderMap::new();
    let mut uri = uri.clone();
    for (number, (name, value)) in target.headers.iter().enumerate() {
        let wrong = |problem: String| LoadError::spec(format!("{key}.headers[{number}]"), problem);
        let field = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| wrong(format!("`{name}` is no header field's name")))?;
        let value = HeaderValue::from_str(value)
            .map_err(|_| wrong(format!("`{value}` is no header field's value")))?;
        if field == HOST {
            uri = with_authority(uri, &value).map_err(wrong)?;
        } else if [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(&field) {
            return Err(wrong(format!(
                "`{name}` is the load's own to send; the others are free"
            )));
        } else if field == TE && protocol == Protocol::H1 {
            return Err(wrong(
                "`te` is the connection's own over HTTP/1.1; HTTP/2 and 3 have `te: trailers`"
                    .to_owned(),
            ));
        } else {
            headers.append(field, value);
        }
    }
    if target.weight == 0 {
        let problem = "0; allowed is 1 or more, or leave the target out";
        return Err(LoadError::spec(format!("{key}.weight"), problem));
    }
    let content = content(key, target)?;
    Prepared::new(protocol, method, &uri, headers, content)
        .map_err(|error| LoadError::spec(format!("{key}.headers"), error))
}

fn content(key: &str, target: &TargetSpec) -> Result<Content, LoadError> {
    let wrong = |problem: String| LoadError::spec(format!("{key}.body"), problem);
    match (&target.body, &target.body_file) {
        (None, None) => Ok(Content::default()),
        (Some(body), None) => match STANDARD.decode(body) {
            Ok(body) => Ok(Content::Memory(Bytes::from(body))),
            Err(error) => Err(wrong(format!("no base64: {error}"))),
        },
        (None, Some(path)) => {
            Content::of_file(path).map_err(|error| wrong(format!("{}: {error}", path.display())))
        }
        (Some(_), Some(_)) => Err(wrong(
            "`body` and `body_file` exclude each other".to_owned(),
        )),
    }
}

fn with_authority(uri: Uri, authority: &HeaderValue) -> Result<Uri, String> {
    let mut parts = uri.into_parts();
    let host = authority.as_bytes();
    let authority =
        http::uri::Authority::try_from(host).map_err(|error| format!("host: {error}"))?;
    parts.authority = Some(authority);
    Uri::from_parts(parts).map_err(|error| error.to_string())
}
