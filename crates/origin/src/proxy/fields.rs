//! Header fields on their way to an application and back: what belongs to one connection stays there, and what is said
//! of a client is ours to say.

use std::mem;
use std::net::IpAddr;

use http::header::{
    CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, FORWARDED, HOST, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

/// Who asks, and of whom.
pub(crate) struct Client {
    /// The host that the request names, with its port if it names one.
    pub(crate) authority: Authority,
    pub(crate) address: IpAddr,
    /// At which the client asks.
    pub(crate) port: u16,
    pub(crate) early: bool,
}

/// What belongs to one connection (RFC 9110 §7.6.1), and what is a proxy's own.
const HOP_BY_HOP: [HeaderName; 7] = [
    CONNECTION,
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];
const HOP_BY_HOP_WITHOUT_CONSTANT: [&str; 3] = ["http2-settings", "keep-alive", "proxy-connection"];

/// Names that no client may say of itself, and how all others of them begin. CGI and WSGI read `_` as `-`.
const OURS: [&str; 4] = ["early-data", "forwarded", "x-forwarded", "x-real-ip"];
const OURS_BEGIN: [&str; 2] = ["forwarded-", "x-forwarded-"];

/// The host that a request is for: of the URL, else its one `Host`. Without either the application's own; none where
/// a request names several (RFC 9112 §3.2).
pub(crate) fn authority(uri: &Uri, headers: &HeaderMap, default: &Authority) -> Option<Authority> {
    let mut named = headers.get_all(HOST).iter();
    let (first, second) = (named.next(), named.next());
    if second.is_some() {
        return None;
    }
    match (uri.authority(), first) {
        (Some(authority), _) => Some(authority.clone()),
        (None, Some(host)) => Authority::try_from(host.as_bytes()).ok(),
        (None, None) => Some(default.clone()),
    }
    .filter(|authority| !authority.as_str().contains(['@', '"', '\\']))
}

/// Makes a client's fields what the application is asked with.
pub(crate) fn of_request(headers: &mut HeaderMap, client: &Client) {
    drop_hop_by_hop(headers);
    drop_all(headers, is_ours);
    // The connection's server has answered it.
    headers.remove(EXPECT);
    join_cookies(headers);
    let host = value(client.authority.as_str());
    // First, as RFC 9110 §7.2 wants it.
    headers.remove(HOST);
    let others = mem::take(headers);
    headers.insert(HOST, host.clone());
    headers.extend(others);
    let address = client.address.to_string();
    headers.insert(name("x-forwarded-for"), value(&address));
    headers.insert(name("x-forwarded-host"), host);
    headers.insert(name("x-forwarded-proto"), value("https"));
    headers.insert(name("x-forwarded-port"), HeaderValue::from(client.port));
    headers.insert(name("x-forwarded-prefix"), value("/"));
    headers.insert(FORWARDED, value(&forwarded(client)));
    if client.early {
        headers.insert(name("early-data"), value("1"));
    }
    headers.insert(CONNECTION, value("close"));
}

/// Makes the application's fields what a client is answered with.
pub(crate) fn of_response(headers: &mut HeaderMap) {
    drop_hop_by_hop(headers);
}

/// RFC 7239 §4; IPv6 addresses and hosts with a port are quoted (§6, RFC 9110 §5.6.6).
fn forwarded(client: &Client) -> String {
    let address = match client.address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("\"[{address}]\""),
    };
    format!("for={address};host=\"{}\";proto=https", client.authority)
}

fn drop_hop_by_hop(headers: &mut HeaderMap) {
    // A message that is chunked is as long as its chunks, whatever else it says (RFC 9112 §6.3).
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .filter_map(|one| HeaderName::from_bytes(one.trim_ascii()).ok())
        .filter(|name| name != CONTENT_LENGTH)
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
    for name in HOP_BY_HOP_WITHOUT_CONSTANT {
        headers.remove(name);
    }
}

fn is_ours(name: &str) -> bool {
    let name = name.replace('_', "-");
    OURS.contains(&name.as_str()) || OURS_BEGIN.iter().any(|begin| name.starts_with(begin))
}

fn drop_all(headers: &mut HeaderMap, dropped: impl Fn(&str) -> bool) {
    let names: Vec<HeaderName> = headers
        .keys()
        .filter(|name| dropped(name.as_str()))
        .cloned()
        .collect();
    for name in names {
        headers.remove(name);
    }
}

/// HTTP/2 and HTTP/3 may send a cookie a field; HTTP/1.1 has them in one (RFC 9114 §4.2.1).
fn join_cookies(headers: &mut HeaderMap) {
    let cookies: Vec<&[u8]> = headers
        .get_all(COOKIE)
        .iter()
        .map(HeaderValue::as_bytes)
        .collect();
    if cookies.len() > 1 {
        let joined = HeaderValue::from_bytes(&cookies.join(&b"; "[..]));
        if let Ok(joined) = joined {
            headers.insert(COOKIE, joined);
        }
    }
}

fn name(text: &'static str) -> HeaderName {
    HeaderName::from_static(text)
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::try_from(text)
        .expect("an address or authority, of which all characters are visible")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_static(name);
            headers.append(name, HeaderValue::from_static(value));
        }
        headers
    }

    fn client(address: &str, early: bool) -> Client {
        Client {
            authority: Authority::from_static("shop.example:8443"),
            address: address.parse().expect("an address"),
            port: 8443,
            early,
        }
    }

    fn told(headers: &HeaderMap) -> Vec<String> {
        let pairs = headers.iter();
        let mut told: Vec<_> = pairs
            .map(|(name, value)| format!("{name}: {}", value.to_str().expect("ASCII")))
            .collect();
        told.sort_unstable();
        told
    }

    #[test]
    fn what_is_said_of_a_client_is_said_anew_whatever_it_said() {
        let ours = [
            "connection: close",
            "forwarded: for=192.0.2.7;host=\"shop.example:8443\";proto=https",
            "host: shop.example:8443",
            "x-forwarded-for: 192.0.2.7",
            "x-forwarded-host: shop.example:8443",
            "x-forwarded-port: 8443",
            "x-forwarded-prefix: /",
            "x-forwarded-proto: https",
        ];
        let mut plain = HeaderMap::new();
        of_request(&mut plain, &client("192.0.2.7", false));
        assert_eq!(told(&plain), ours);
        let mut forged = fields(&[
            ("connection", "x-forwarded-for, close"),
            ("early-data", "1"),
            ("forwarded", "for=6.6.6.6"),
            ("forwarded-for", "6.6.6.6"),
            ("host", "other.example"),
            ("x-forwarded-for", "6.6.6.6"),
            ("x-forwarded-for", "6.6.6.7"),
            ("x_forwarded_for", "6.6.6.6"),
            ("x-forwarded-user", "root"),
            ("x-forwarded", "6.6.6.6"),
            ("x-real-ip", "6.6.6.6"),
            ("x_real_ip", "6.6.6.6"),
        ]);
        of_request(&mut forged, &client("192.0.2.7", false));
        assert_eq!(told(&forged), ours);
    }

    #[test]
    fn an_early_request_is_marked_and_an_ipv6_address_is_quoted() {
        let mut headers = HeaderMap::new();
        of_request(&mut headers, &client("2001:db8::7", true));
        assert_eq!(headers["early-data"], "1");
        assert_eq!(headers["x-forwarded-for"], "2001:db8::7");
        let forwarded = headers[FORWARDED].to_str().expect("ASCII");
        assert!(forwarded.starts_with("for=\"[2001:db8::7]\";"));
    }

    #[test]
    fn what_belongs_to_one_connection_stays_there() {
        let mut headers = fields(&[
            ("connection", "keep-alive, X-Own"),
            ("keep-alive", "timeout=5"),
            ("proxy-connection", "keep-alive"),
            ("te", "trailers"),
            ("trailer", "x-sum"),
            ("transfer-encoding", "chunked"),
            ("content-length", "3"),
            ("upgrade", "h2c"),
            ("x-own", "1"),
            ("x-other", "2"),
        ]);
        of_response(&mut headers);
        assert_eq!(told(&headers), ["x-other: 2"]);
    }

    #[test]
    fn a_length_is_dropped_by_no_connection_field() {
        let mut headers = fields(&[("connection", "content-length"), ("content-length", "3")]);
        of_response(&mut headers);
        assert_eq!(told(&headers), ["content-length: 3"]);
    }

    #[test]
    fn cookies_become_one_field() {
        let mut headers = fields(&[("cookie", "a=1"), ("cookie", "b=2")]);
        of_request(&mut headers, &client("192.0.2.7", false));
        let cookies: Vec<_> = headers.get_all(COOKIE).iter().collect();
        assert_eq!(cookies, ["a=1; b=2"]);
    }

    #[test]
    fn the_host_is_the_urls_or_the_one_that_is_named() {
        let default = Authority::from_static("app:8000");
        let of = |uri: &'static str, pairs: &[(&'static str, &'static str)]| {
            let found = authority(&Uri::from_static(uri), &fields(pairs), &default);
            found.map(|authority| authority.to_string())
        };
        assert_eq!(of("https://a:1/", &[]).as_deref(), Some("a:1"));
        assert_eq!(of("/", &[("host", "b:2")]).as_deref(), Some("b:2"));
        assert_eq!(of("/", &[]).as_deref(), Some("app:8000"));
        assert_eq!(of("/", &[("host", "a"), ("host", "b")]), None);
        assert_eq!(of("/", &[("host", "a b")]), None);
        assert_eq!(of("/", &[("host", "u@b")]), None);
    }
}
