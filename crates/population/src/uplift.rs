//! The true worth of steering, of the keys and epochs that were steered.

use crate::play::Played;
use crate::rules::Group;

/// Collects, of each key and epoch, the mean over its responses of what steering changed about the logarithm of their
/// expected times against those of the same pages where nobody is ever offered h3. Which keys are pinned is drawn by
/// hash, so those that are steered stand for all. As the gateway does, it leaves out an epoch's first lease, in which
/// offers of the one before still hold.
#[derive(Debug)]
pub(crate) struct Uplift {
    epoch_ms: u64,
    lease_ms: u64,
    /// By key.
    open: Vec<Open>,
    sum: f64,
    count: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    epoch: u64,
    steered: bool,
    change: f64,
    responses: f64,
}

impl Uplift {
    pub(crate) fn new(epoch_ms: u64, lease_ms: u64, keys: usize) -> Self {
        Uplift {
            epoch_ms: epoch_ms.max(1),
            lease_ms,
            open: vec![Open::default(); keys],
            sum: 0.0,
            count: 0.0,
        }
    }

    /// Takes a page of a key, whose responses' times differ by `change` from those where all comes over h2.
    pub(crate) fn add(&mut self, key: u32, now_ms: u64, played: &Played, change: f64) {
        if now_ms % self.epoch_ms < self.lease_ms {
            return;
        }
        let epoch = now_ms / self.epoch_ms;
        let open = &mut self.open[key as usize];
        if open.epoch != epoch {
            let over = std::mem::take(open);
            self.close(&over);
            self.open[key as usize].epoch = epoch;
        }
        let open = &mut self.open[key as usize];
        let responses = f64::from(played.responses);
        open.steered = played.group == Group::Steered;
        open.change += change * responses;
        open.responses += responses;
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

    fn page(group: Group) -> Played {
        Played {
            responses: 2,
            regret: 0.0,
            quic: true,
            failed: 0,
            group,
        }
    }

    #[test]
    fn each_key_and_epoch_counts_once_after_its_first_lease_and_pinned_ones_not_at_all() {
        let mut uplift = Uplift::new(1000, 100, 3);
        let steered = page(Group::Steered);
        uplift.add(0, 99, &steered, -9.0);
        uplift.add(0, 100, &steered, -0.4);
        uplift.add(0, 200, &steered, 0.0);
        uplift.add(0, 1100, &steered, -0.6);
        uplift.add(1, 1100, &steered, 0.0);
        uplift.add(2, 1100, &page(Group::PinnedH3), -9.0);
        let mean = uplift.mean().unwrap();
        assert!((mean - (-0.2 - 0.6 + 0.0) / 3.0).abs() < 1e-12);
    }
}
