//! What a request asks for, and which of a site's files that is.
//!
//! A file's name may hold a query, as `wget` keeps it: `style.css?v=6.4`, with `--restrict-file-names=windows`
//! `style.css@v=6.4`, with `--adjust-extension` `style.php?v=6.4.css`. A page names it in one of two spellings,
//! `style.css?v=6.4` and `style.css%3Fv=6.4`, and may escape more of it than it has to.

use http::uri::Authority;
use http::{HeaderMap, Uri, header};
use percent_encoding::percent_decode_str;

use crate::media_type;

/// What `wget` puts in the place of a query's `?` where a file system can't have one.
const SUBSTITUTE: char = '@';

/// The document of a folder.
const INDEX: &str = "index.html";

/// What `wget --adjust-extension` puts at the end of names that don't say what a file is.
const ADJUSTED: [&str; 2] = [".html", ".css"];

/// The host that a request is for, in lower case and without a port: of the URL, over HTTP/1.1 mostly of `Host`; empty
/// where none is named.
pub(crate) fn host(uri: &Uri, headers: &HeaderMap) -> String {
    let named = || Authority::try_from(headers.get(header::HOST)?.as_bytes()).ok();
    let authority = uri.authority().cloned().or_else(named);
    authority.map_or_else(String::new, |authority| {
        authority.host().to_ascii_lowercase()
    })
}

/// Path and query as they came.
pub(crate) fn target(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |target| target.as_str())
}

/// The keys under which a site may have what `target` asks for, the likeliest first: with its query and, since a
/// query says nothing to a file, without.
pub(crate) fn keys(target: &str) -> impl Iterator<Item = String> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut path = decoded(path);
    if path.ends_with('/') {
        path += INDEX;
    }
    let queried = (!query.is_empty()).then(|| format!("{path}?{}", decoded(query)));
    queried.into_iter().chain([path])
}

/// The keys under which a site has the file at `path`, which is its names from the root.
pub(crate) fn keys_of_file(path: &str) -> Vec<String> {
    let mut keys = vec![path.to_owned()];
    if let Some(folder) = path.strip_suffix(INDEX)
        && folder.ends_with('/')
    {
        keys.push(folder.to_owned());
    }
    let folder = path.len() - name(path).len();
    if let Some((before, query)) = queried(name(path)) {
        // No file's name has a slash, so `wget` escapes it.
        let key = format!("{}{before}?{}", &path[..folder], query.replace("%2F", "/"));
        let adjusted = ADJUSTED.iter().find_map(|ending| key.strip_suffix(ending));
        if let Some(asked) = adjusted
            && media_type::of(before) != media_type::of(&key)
        {
            keys.push(asked.to_owned());
        }
        keys.push(key);
    }
    keys
}

/// The media type of the file at `path`: by its name without a query, or else by the whole.
pub(crate) fn media_type_of_file(path: &str) -> &'static str {
    let name = name(path);
    queried(name)
        .and_then(|(before, _)| media_type::of(before))
        .or_else(|| media_type::of(name))
        .unwrap_or(media_type::OTHER)
}

/// A file's name before the query that it holds, and the query.
fn queried(name: &str) -> Option<(&str, &str)> {
    name.split_once('?').or_else(|| {
        let (before, query) = name.split_once(SUBSTITUTE)?;
        media_type::of(before).map(|_| (before, query))
    })
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_without_its_port_and_in_lower_case() {
        for (uri, named, expected) in [
            (
                "https://Shop.example:8443/a",
                "other.example",
                "shop.example",
            ),
            ("/a", "Shop.example:8443", "shop.example"),
            ("/a", "shop.example", "shop.example"),
            ("/a", "[FE80::1]:8443", "[fe80::1]"),
            ("/a", "[::1]", "[::1]"),
            ("/a", "", ""),
            ("/a", "a b", ""),
        ] {
            let headers = [(header::HOST, named.parse().expect("a value"))];
            let headers = headers.into_iter().collect();
            assert_eq!(host(&uri.parse().expect("a URI"), &headers), expected);
        }
        assert_eq!(host(&Uri::from_static("/a"), &HeaderMap::new()), "");
    }

    #[test]
    fn a_target_is_path_and_query_as_they_came() {
        for text in ["/", "/a%20b?c=%7C&d", "/?p=1"] {
            assert_eq!(target(&text.parse().expect("a URI")), text);
        }
        let absolute = "https://example.org/a?b".parse().expect("a URI");
        assert_eq!(target(&absolute), "/a?b");
    }

    #[test]
    fn what_is_asked_for_is_found_with_its_query_and_without() {
        for (file, asked) in [
            ("/a.css", "/a.css"),
            ("/a.css", "/a.css?"),
            ("/a.css", "/a.css?v=1"),
            ("/a.css?v=1", "/a.css?v=1"),
            ("/a.css?v=1", "/a.css%3Fv=1"),
            ("/a.css@v=1", "/a.css?v=1"),
            ("/a.css@v=1", "/a.css@v=1"),
            ("/index.html?p=1", "/?p=1"),
            ("/b/index.html", "/b/"),
            ("/index.html", "/?p=1"),
            ("/css?f=A|B&u=%2Fc", "/css?f=A%7CB&u=/c"),
            ("/css?f=A|B&u=%2Fc", "/css?f=A|B&u=%2Fc"),
            ("/css?f=A.css", "/css?f=A"),
            ("/b/page.php?id=3.html", "/b/page.php?id=3"),
        ] {
            let held = keys_of_file(file);
            assert!(keys(asked).any(|key| held.contains(&key)), "{asked}");
        }
        for (file, asked) in [
            ("/a.css?v=1", "/a.css"),
            ("/a.css?v=1", "/a.css?v=2"),
            ("/me@home.png", "/me?home.png"),
            ("/a.css?v=1.css", "/a.css?v=1"),
        ] {
            let held = keys_of_file(file);
            assert!(!keys(asked).any(|key| held.contains(&key)), "{asked}");
        }
    }

    #[test]
    fn a_query_says_nothing_of_what_a_file_is() {
        for (file, expected) in [
            ("/a.css", "text/css"),
            ("/a.css?v=6.4", "text/css"),
            ("/a.css@v=6.4", "text/css"),
            ("/b@1.2/a.min@6.4.js", "text/javascript"),
            ("/css?f=A.css", "text/css"),
            ("/icon@2x.png", "image/png"),
            ("/css?f=A", media_type::OTHER),
        ] {
            assert_eq!(media_type_of_file(file), expected, "{file}");
        }
    }
}
