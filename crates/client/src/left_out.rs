//! What a load leaves out, each URL once.

use std::collections::HashSet;

use pronghorn_page::Kind;
use url::Url;

use crate::record::{LeftOut, Why};

/// URLs that are named; all are counted.
const MOST_LEFT_OUT: usize = 100;
const LONGEST_URL: usize = 2048;

/// The list while a load goes on.
#[derive(Default)]
pub(crate) struct LeftOuts {
    seen: HashSet<Url>,
    found: Vec<(Url, Why, Kind)>,
}

impl LeftOuts {
    pub(crate) fn add(&mut self, url: Url, why: Why, kind: Kind) {
        if self.seen.insert(url.clone()) {
            self.found.push((url, why, kind));
        }
    }

    /// The first of them for the record, and the number of all; `loaded`: what was asked for elsewhere in the page.
    pub(crate) fn finish(self, loaded: impl Fn(&Url) -> bool) -> (Vec<LeftOut>, usize) {
        let mut left: Vec<_> = self
            .found
            .into_iter()
            .filter(|(url, ..)| !loaded(url))
            .collect();
        let count = left.len();
        left.truncate(MOST_LEFT_OUT);
        let named = left.into_iter().map(|(url, why, kind)| LeftOut {
            // A URL is ASCII.
            url: url.as_str()[..url.as_str().len().min(LONGEST_URL)].to_owned(),
            why,
            kind,
        });
        (named.collect(), count)
    }
}
