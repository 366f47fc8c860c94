//! The true worth of steering, of the keys and epochs that were steered.

use crate::play::Played;
use crate::rules::Group;

/// Collects, of each key and epoch, the mean over its responses of what steering changed about the logarithm of their
/// expected times against those of the same pages where nobody is ever offered h3. Which keys are pinned is drawn by
/// hash, so those that are steered stand for all. As the gateway does, it leaves out a key's first [`WASH_OUT_S`] in an
/// epoch where an offer from before still holds then, or where it comes over QUIC.
#[derive(Debug)]
pub(crate) struct Uplift {
    epoch_ms: u64,
    /// By key.
    open: Vec<Open>,
    sum: f64,
    count: f64,
}

/// How long the gateway waits for an offer that it took back to be heeded.
const WASH_OUT_S: u64 = 30;

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// From 1; 0: none yet.
    epoch: u64,
    counts_from_s: u64,
    leased_until_s: u64,
    steered: bool,
    change: f64,
    responses: f64,
}

impl Uplift {
    pub(crate) fn new(epoch_ms: u64, keys: usize) -> Self {
        Uplift {
            epoch_ms: epoch_ms.max(1),
            open: vec![Open::default(); keys],
            sum: 0.0,
            count: 0.0,
        }
    }

    /// Takes a page of a key, whose responses' times differ by `change` from those where all comes over h2.
    pub(crate) fn add(&mut self, key: u32, now_ms: u64, played: &Played, change: f64) {
        let epoch = now_ms / self.epoch_ms + 1;
        let now_s = now_ms / 1000;
        let before = self.open[key as usize];
        if before.epoch != epoch {
            self.close(&before);
            let carried = played.quic || before.leased_until_s > now_s;
            self.open[key as usize] = Open {
                epoch,
                counts_from_s: now_s + if carried { WASH_OUT_S } else { 0 },
                leased_until_s: before.leased_until_s,
                ..Open::default()
            };
        }
        let open = &mut self.open[key as usize];
        if played.leased_s > 0 {
            let until_s = now_s + u64::from(played.leased_s);
            open.leased_until_s = open.leased_until_s.max(until_s);
        }
        if now_s >= open.counts_from_s {
            let responses = f64::from(played.responses);
            open.steered = played.group == Group::Steered;
            open.change += change * responses;
            open.responses += responses;
        }
    }

    /// The mean over keys and epochs; none where there was none.
    pub(crate) fn mean(mut self) -> Option<f64> {
        for open in std::mem::take(&mut self.open) {
            self.close(&open);
        }
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    fn close(&mut self, open: &Open) {
        if open.steered && open.responses > 0.0 {
            self.sum += open.change / open.responses;
            self.count += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(group: Group, quic: bool, leased_s: u32) -> Played {
        Played {
            responses: 2,
            regret: 0.0,
            quic,
            leased_s,
            failed: 0,
            group,
        }
    }

    #[test]
    fn each_key_and_epoch_counts_once_and_pinned_ones_not_at_all() {
        let mut uplift = Uplift::new(100_000, 3);
        let steered = page(Group::Steered, false, 0);
        uplift.add(0, 10_000, &steered, -0.4);
        uplift.add(0, 20_000, &steered, 0.0);
        uplift.add(0, 110_000, &steered, -0.6);
        uplift.add(1, 110_000, &steered, 0.0);
        uplift.add(2, 110_000, &page(Group::PinnedH3, false, 0), -9.0);
        let mean = uplift.mean().unwrap();
        assert!((mean - (-0.2 - 0.6 + 0.0) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn what_follows_an_offer_of_the_last_epoch_is_left_out_until_that_was_taken_back() {
        let mut uplift = Uplift::new(100_000, 2);
        uplift.add(0, 90_000, &page(Group::Steered, false, 300), -0.2);
        let steered = page(Group::Steered, true, 0);
        uplift.add(0, 100_000, &steered, -9.0);
        uplift.add(0, 129_000, &steered, -9.0);
        uplift.add(0, 130_000, &steered, -0.4);
        uplift.add(1, 120_000, &steered, -9.0); // over QUIC, of an offer that nobody remembers
        let mean = uplift.mean().unwrap();
        assert!((mean - (-0.2 - 0.4) / 2.0).abs() < 1e-12);
    }
}
