//! What our gateway's experiment costs its clients.

use std::collections::BTreeMap;

use crate::play::Played;
use crate::regret::{Estimate, ratio};
use crate::rules::Group;

/// The regret of the keys that are pinned, by group.
#[derive(Debug)]
pub(crate) struct Pinned {
    /// By group, then by key: the sum of its requests' regrets, and their number.
    groups: [Vec<(f64, f64)>; 2],
}

const NAMES: [&str; 2] = ["pinned_h2", "pinned_h3"];

impl Pinned {
    pub(crate) fn new(keys: usize) -> Pinned {
        Pinned {
            groups: [(); 2].map(|()| vec![(0.0, 0.0); keys]),
        }
    }

    /// Takes a page of a key; whether it was pinned.
    pub(crate) fn add(&mut self, key: u32, played: &Played) -> bool {
        let group = match played.group {
            Group::Steered => return false,
            Group::PinnedH2 => 0,
            Group::PinnedH3 => 1,
        };
        let (sum, count) = &mut self.groups[group][key as usize];
        *sum += played.regret * f64::from(played.responses);
        *count += f64::from(played.responses);
        true
    }

    /// Each group's mean over requests.
    pub(crate) fn regrets(self) -> BTreeMap<&'static str, Option<Estimate>> {
        let estimates = self.groups.map(|mut clusters| {
            clusters.retain(|(_, count)| *count > 0.0);
            ratio(&clusters)
        });
        NAMES.into_iter().zip(estimates).collect()
    }
}
