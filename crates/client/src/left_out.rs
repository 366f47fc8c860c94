//! What a load leaves out, each URL once.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use pronghorn_page::Kind;
use url::Url;

use crate::budget::MOST_RESOURCES;
use crate::record::{LeftOut, Why};

/// URLs that are named; all are counted.
const MOST_LEFT_OUT: usize = 100;
const LONGEST_URL: usize = 2048;

/// So many are kept: enough to name, even if every resource that is loaded is among them.
const MOST_KEPT: usize = MOST_LEFT_OUT + MOST_RESOURCES;

/// The list while a load goes on.
#[derive(Default)]
pub(crate) struct LeftOuts {
    hasher: RandomState,
    /// Hashes of the URLs, whose number nothing bounds but the page's size.
    seen: HashSet<u64>,
    /// The first of them, with their hashes.
    kept: Vec<(u64, LeftOut)>,
}

impl LeftOuts {
    pub(crate) fn add(&mut self, url: &Url, why: Why, kind: Kind) {
        let hash = self.hasher.hash_one(url);
        if self.seen.insert(hash) && self.kept.len() < MOST_KEPT {
            // A URL is ASCII.
            let url = url.as_str()[..url.as_str().len().min(LONGEST_URL)].to_owned();
            self.kept.push((hash, LeftOut { url, why, kind }));
        }
    }

    /// The first of them for the record, and the number of all; `loaded`: what was asked for elsewhere in the page.
    pub(crate) fn finish<'a>(
        mut self,
        loaded: impl Iterator<Item = &'a Url>,
    ) -> (Vec<LeftOut>, usize) {
        for url in loaded {
            self.seen.remove(&self.hasher.hash_one(url));
        }
        let left = self.kept.into_iter();
        let left = left.filter(|(hash, _)| self.seen.contains(hash));
        let named = left.map(|(_, left)| left).take(MOST_LEFT_OUT);
        (named.collect(), self.seen.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(number: usize) -> Url {
        Url::parse(&format!("https://other.test/{number}/{}", "a".repeat(4000))).expect("a URL")
    }

    #[test]
    fn all_are_counted_once_and_the_first_are_kept() {
        let mut left = LeftOuts::default();
        for number in (0..50_000).chain(0..10) {
            left.add(&url(number), Why::OtherHost, Kind::Image);
        }
        let kept: usize = left.kept.iter().map(|(_, left)| left.url.len()).sum();
        assert_eq!(kept, MOST_KEPT * LONGEST_URL);
        let loaded: Vec<Url> = (1..10_000).chain([60_000]).map(url).collect();
        let (named, count) = left.finish(loaded.iter());
        assert_eq!(count, 50_000 - 9999);
        let names: Vec<&str> = named.iter().map(|left| left.url.as_str()).collect();
        let expected: Vec<String> = std::iter::once(0)
            .chain(10_000..10_099)
            .map(|number| url(number).as_str()[..LONGEST_URL].to_owned())
            .collect();
        assert_eq!(names, expected);
    }
}
