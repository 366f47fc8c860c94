//! Header fields as recordings have them.

use http::{HeaderMap, HeaderName, HeaderValue};

/// Pairs of names and values as fields, in their order; an error is the sentence that says which can't be sent.
pub fn recorded_headers(pairs: &[(String, String)]) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::with_capacity(pairs.len());
    for (name, value) in pairs {
        let known = HeaderName::try_from(name.as_str());
        let known = known.map_err(|_| format!("`{name}` is no header's name"))?;
        let value = HeaderValue::from_bytes(value.as_bytes());
        let value = value.map_err(|_| format!("header `{name}` has control characters"))?;
        headers.append(known, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_what_can_not_be_sent_is_named() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let headers = recorded_headers(&[pair("Cookie", "a=1"), pair("cookie", "b=ü")]);
        let headers = headers.expect("fields");
        let cookies: Vec<_> = headers.get_all("cookie").iter().collect();
        assert_eq!(cookies, ["a=1".as_bytes(), "b=ü".as_bytes()]);
        let refused = recorded_headers(&[pair("a b", "")]);
        assert_eq!(refused, Err("`a b` is no header's name".to_owned()));
        let refused = recorded_headers(&[pair("a", "\n")]);
        assert_eq!(refused, Err("header `a` has control characters".to_owned()));
    }
}
