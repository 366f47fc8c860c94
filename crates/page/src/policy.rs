//! What a page's Content-Security-Policy lets it load (CSP Level 3, "Does url match source list").

use url::Url;

use crate::reference::Kind;

/// Sources of all policies beyond these are passed over.
const MOST_SOURCES: usize = 1000;

/// The policies of a document, all of which hold.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    policies: Vec<Vec<(String, Vec<String>)>>,
    sources: usize,
}

impl Policies {
    /// Adds the policies of a header's value, or of a `meta` element.
    pub(crate) fn add(&mut self, text: &str) {
        for policy in text.split(',') {
            let mut directives: Vec<(String, Vec<String>)> = Vec::new();
            for directive in policy.split(';') {
                let mut words = directive
                    .split_ascii_whitespace()
                    .map(str::to_ascii_lowercase);
                let Some(name) = words.next() else {
                    continue;
                };
                if directives.iter().all(|(known, _)| *known != name) {
                    let sources: Vec<String> = words
                        .take(MOST_SOURCES - self.sources.min(MOST_SOURCES))
                        .collect();
                    self.sources += sources.len() + 1;
                    directives.push((name, sources));
                }
            }
            if !directives.is_empty() && self.sources <= MOST_SOURCES {
                self.policies.push(directives);
            }
        }
    }

    /// Whether a document at `page` may load this; `trusted`: its element has a nonce, which is taken for right.
    pub(crate) fn allow(&self, page: &Url, url: &Url, kind: Kind, trusted: bool) -> bool {
        let names: &[&str] = match kind {
            Kind::Script => &["script-src-elem", "script-src", "default-src"],
            Kind::Style => &["style-src-elem", "style-src", "default-src"],
            Kind::Image => &["img-src", "default-src"],
            Kind::Font => &["font-src", "default-src"],
            Kind::Document => &["frame-src", "child-src", "default-src"],
            Kind::Other => return true,
        };
        self.policies.iter().all(|policy| {
            let governing = names
                .iter()
                .find_map(|name| policy.iter().find(|(known, _)| known == name));
            governing.is_none_or(|(_, sources)| {
                sources.iter().any(|source| {
                    let nonce = source.starts_with("'nonce-") || source == "'strict-dynamic'";
                    (nonce && trusted) || fits(source, page, url)
                })
            })
        })
    }
}

fn fits(source: &str, page: &Url, url: &Url) -> bool {
    let same_host = page.host_str() == url.host_str();
    match source {
        // A page may be known by its host's name over any of the schemes' own ports.
        "'self'" => same_host && (url.port().is_none() || url.port() == page.port()),
        "*" => true,
        _ if source.starts_with('\'') => false,
        _ => match source.strip_suffix(':') {
            Some(scheme) => scheme_fits(scheme, url),
            None => host_fits(source, url),
        },
    }
}

fn scheme_fits(scheme: &str, url: &Url) -> bool {
    scheme == url.scheme() || (scheme == "http" && url.scheme() == "https")
}

/// `[scheme://]host[:port][/path]`, with `*.` before the host for all below it.
fn host_fits(source: &str, url: &Url) -> bool {
    let rest = match source.split_once("://") {
        Some((scheme, _)) if !scheme_fits(scheme, url) => return false,
        Some((_, rest)) => rest,
        None => source,
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let asked = url.host_str().unwrap_or("");
    let host_fits = match host.strip_prefix('*') {
        Some(below) => below.is_empty() || asked.ends_with(below),
        None => host == asked,
    };
    let port_fits = match port {
        "" => url.port().is_none(),
        "*" => true,
        port => url
            .port_or_known_default()
            .is_some_and(|known| known.to_string() == port),
    };
    let lower = url.path().to_ascii_lowercase();
    let path_fits =
        path.is_empty() || lower == path || (path.ends_with('/') && lower.starts_with(path));
    host_fits && port_fits && path_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_let_through_what_they_name() {
        let page = Url::parse("https://page.test:8443/").expect("a URL");
        for (policy, url, kind, expected) in [
            ("", "https://a.test/", Kind::Image, true),
            (
                "img-src 'self'",
                "https://page.test:8443/a",
                Kind::Image,
                true,
            ),
            ("img-src 'self'", "http://page.test/a", Kind::Image, true),
            ("img-src 'self'", "https://a.test/", Kind::Image, false),
            ("img-src 'self'", "https://a.test/", Kind::Script, true),
            (
                "default-src 'none'; img-src *",
                "https://a.test/",
                Kind::Image,
                true,
            ),
            (
                "default-src 'none'; img-src *",
                "https://a.test/",
                Kind::Font,
                false,
            ),
            ("img-src", "https://a.test/", Kind::Image, false),
            ("script-src https:", "https://a.test/", Kind::Script, true),
            (
                "script-src *.a.test cdn.test/x/",
                "https://b.a.test/",
                Kind::Script,
                true,
            ),
            (
                "script-src *.a.test cdn.test/x/",
                "https://a.test/",
                Kind::Script,
                false,
            ),
            (
                "script-src *.a.test cdn.test/x/",
                "https://cdn.test/x/y.js",
                Kind::Script,
                true,
            ),
            (
                "script-src *.a.test cdn.test/x/",
                "https://cdn.test/z.js",
                Kind::Script,
                false,
            ),
            (
                "script-src http://a.test:*",
                "https://a.test:99/",
                Kind::Script,
                true,
            ),
            (
                "img-src *, img-src 'none'",
                "https://a.test/",
                Kind::Image,
                false,
            ),
            (
                "script-src 'nonce-x'",
                "https://a.test/",
                Kind::Script,
                false,
            ),
        ] {
            let mut policies = Policies::default();
            policies.add(policy);
            let url = Url::parse(url).expect("a URL");
            assert_eq!(
                policies.allow(&page, &url, kind, false),
                expected,
                "{policy} {url}"
            );
        }
    }
}
