//! Which of the recorded exchanges a request means.

use std::cell::Cell;
use std::collections::HashMap;

use http::{HeaderMap, Method, StatusCode, header};

use super::Exchange;
use super::varying::alike;
use crate::matched::Match;

/// What is to be known of a request.
pub(super) struct Wanted<'a> {
    pub(super) host: &'a str,
    pub(super) method: &'a Method,
    /// Path and query as they came.
    pub(super) target: &'a str,
    pub(super) headers: &'a HeaderMap,
}

/// Recorded exchanges by what they are asked for.
pub(super) struct Index {
    /// By host and path.
    places: HashMap<(String, String), Vec<Asked>>,
}

/// A method and a query at one place, and the exchanges that had both, in their order.
struct Asked {
    method: Method,
    query: Option<String>,
    exchanges: Vec<Known>,
    /// How often it was asked for.
    turn: Cell<usize>,
}

/// An exchange, by its place in the recording.
struct Known {
    place: usize,
    not_modified: bool,
    /// The first byte of a part.
    range: Option<u64>,
}

impl Index {
    pub(super) fn new(exchanges: &[Exchange]) -> Index {
        let mut places: HashMap<_, Vec<Asked>> = HashMap::new();
        for (place, exchange) in exchanges.iter().enumerate() {
            let (path, query) = split(&exchange.target);
            let known = Known {
                place,
                not_modified: exchange.status == StatusCode::NOT_MODIFIED,
                range: part(exchange),
            };
            let all = places
                .entry((exchange.host.clone(), path.to_owned()))
                .or_default();
            let same = all
                .iter_mut()
                .find(|one| one.method == exchange.method && one.query.as_deref() == query);
            match same {
                Some(asked) => asked.exchanges.push(known),
                None => all.push(Asked {
                    method: exchange.method.clone(),
                    query: query.map(str::to_owned),
                    exchanges: vec![known],
                    turn: Cell::new(0),
                }),
            }
        }
        Index { places }
    }

    /// The place of the exchange that answers a request, and how it was found; none where nothing does.
    ///
    /// Where several exchanges asked for the same, they answer in turn, those that fit the request's conditions
    /// (`If-None-Match`, `If-Modified-Since`) and its range before all others.
    pub(super) fn find(&self, wanted: &Wanted) -> Option<(usize, Match)> {
        let (path, query) = split(wanted.target);
        let here = self
            .places
            .get(&(wanted.host.to_owned(), path.to_owned()))?;
        let here = || here.iter().filter(|one| one.method == *wanted.method);
        if let Some(asked) = here().find(|one| one.query.as_deref() == query) {
            return Some((asked.next(wanted.headers), Match::Exact));
        }
        let mut best: Option<(usize, &Asked)> = None;
        for asked in here() {
            let same = alike(asked.query.as_deref().unwrap_or(""), query.unwrap_or(""));
            if let Some(same) = same
                && best.is_none_or(|(most, _)| same > most)
            {
                best = Some((same, asked));
            }
        }
        best.map(|(_, asked)| (asked.next(wanted.headers), Match::Varied))
    }
}

impl Asked {
    fn next(&self, headers: &HeaderMap) -> usize {
        let conditional = headers.contains_key(header::IF_NONE_MATCH)
            || headers.contains_key(header::IF_MODIFIED_SINCE);
        let range = range(headers);
        let all: Vec<&Known> = self.exchanges.iter().collect();
        let fitting: Vec<&Known> = all
            .iter()
            .filter(|one| one.not_modified == conditional && one.range == range)
            .copied()
            .collect();
        let among = if fitting.is_empty() { all } else { fitting };
        let turn = self.turn.get();
        self.turn.set(turn.wrapping_add(1));
        among[turn % among.len()].place
    }
}

fn split(target: &str) -> (&str, Option<&str>) {
    match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    }
}

/// The first byte that a request asks for; none where it asks for all.
fn range(headers: &HeaderMap) -> Option<u64> {
    first_byte(headers.get(header::RANGE)?.to_str().ok()?, "bytes=")
}

/// The first byte of a recorded part (RFC 9110 §14.4).
fn part(exchange: &Exchange) -> Option<u64> {
    if exchange.status != StatusCode::PARTIAL_CONTENT {
        return None;
    }
    let told = exchange.headers.get(header::CONTENT_RANGE)?;
    first_byte(told.to_str().ok()?, "bytes ")
}

fn first_byte(text: &str, unit: &str) -> Option<u64> {
    let (first, _) = text.strip_prefix(unit)?.split_once('-')?;
    first.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use http::HeaderValue;

    use super::*;

    fn exchange(method: Method, target: &str, status: u16) -> Exchange {
        Exchange {
            host: "a.test".to_owned(),
            method,
            target: target.to_owned(),
            status: StatusCode::from_u16(status).expect("a status"),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            think: Duration::ZERO,
        }
    }

    fn find(
        index: &Index,
        method: &Method,
        target: &str,
        headers: &HeaderMap,
    ) -> Option<(usize, Match)> {
        index.find(&Wanted {
            host: "a.test",
            method,
            target,
            headers,
        })
    }

    #[test]
    fn a_request_gets_what_was_recorded_of_its_method_path_and_query() {
        let index = Index::new(&[
            exchange(Method::GET, "/a", 200),
            exchange(Method::POST, "/a", 204),
            exchange(Method::GET, "/a?v=2", 200),
            exchange(Method::GET, "/b?x=1&_=17", 200),
        ]);
        let none = HeaderMap::new();
        for (method, target, expected) in [
            (Method::GET, "/a", Some((0, Match::Exact))),
            (Method::POST, "/a", Some((1, Match::Exact))),
            (Method::GET, "/a?v=2", Some((2, Match::Exact))),
            (Method::GET, "/a?v=3", None),
            (Method::GET, "/a?", Some((0, Match::Varied))),
            (Method::PUT, "/a", None),
            (Method::GET, "/b?x=1&_=99", Some((3, Match::Varied))),
            (Method::GET, "/b?x=2&_=99", None),
            (Method::GET, "/c", None),
        ] {
            assert_eq!(
                find(&index, &method, target, &none),
                expected,
                "{method} {target}"
            );
        }
    }

    #[test]
    fn equal_requests_are_answered_in_turn_and_by_their_conditions_and_ranges() {
        let mut part = exchange(Method::GET, "/v", 206);
        let told = HeaderValue::from_static("bytes 100-199/300");
        part.headers.insert(header::CONTENT_RANGE, told);
        let index = Index::new(&[
            exchange(Method::GET, "/a", 200),
            exchange(Method::GET, "/a", 503),
            exchange(Method::GET, "/a", 304),
            exchange(Method::GET, "/v", 200),
            part,
        ]);
        let none = HeaderMap::new();
        let place = |target, headers: &HeaderMap| {
            find(&index, &Method::GET, target, headers).map(|(place, _)| place)
        };
        let one = |name, value| HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let turns: Vec<_> = (0..3).map(|_| place("/a", &none)).collect();
        assert_eq!(turns, [Some(0), Some(1), Some(0)]);
        assert_eq!(place("/a", &one(header::IF_NONE_MATCH, "\"x\"")), Some(2));
        assert_eq!(place("/v", &one(header::RANGE, "bytes=100-")), Some(4));
        assert_eq!(place("/v", &none), Some(3));
    }
}
