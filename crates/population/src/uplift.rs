//! The true worth of steering, of the keys and epochs that were steered.

use crate::play::Played;
use crate::rules::Group;

/// Collects, of each key and epoch, the mean over its responses of what steering changed about the logarithm of what is
/// typical of their times, against those of the same pages where nobody is ever offered h3. Which keys are pinned is drawn by
/// hash, so those that are steered stand for all. As the gateway does, it leaves out what an epoch begins with, and the
/// first [`PAGE_S`] of a key that was pinned before.
#[derive(Debug)]
pub(crate) struct Uplift {
    epoch_ms: u64,
    lease_s: u64,
    /// By key.
    open: Vec<Open>,
    sum: f64,
    count: f64,
}

/// How long a page takes at most, to the gateway.
const PAGE_S: u64 = 30;

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// From 1; 0: none yet.
    epoch: u64,
    counts_from_s: u64,
    steered: bool,
    change: f64,
    responses: f64,
}

impl Uplift {
    /// `lease_s`: the gateway's short one.
    pub(crate) fn new(epoch_ms: u64, lease_s: u64, keys: usize) -> Self {
        Uplift {
            epoch_ms: epoch_ms.max(1),
            lease_s,
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
            let washed_s = (epoch - 1) * self.epoch_ms / 1000 + self.lease_s + PAGE_S;
            let was_pinned = before.epoch > 0 && !before.steered;
            let waits_s = if was_pinned { PAGE_S } else { 0 };
            self.open[key as usize] = Open {
                epoch,
                counts_from_s: washed_s.max(now_s + waits_s),
                ..Open::default()
            };
        }
        let open = &mut self.open[key as usize];
        open.steered = played.group == Group::Steered;
        if now_s >= open.counts_from_s {
            let responses = f64::from(played.responses);
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

    fn page(group: Group) -> Played {
        Played {
            responses: 2,
            regret: 0.0,
            quic: false,
            failed: 0,
            group,
        }
    }

    #[test]
    fn each_key_and_epoch_counts_once_and_pinned_ones_not_at_all() {
        let mut uplift = Uplift::new(100_000, 10, 3);
        let steered = page(Group::Steered);
        uplift.add(0, 50_000, &steered, -0.4);
        uplift.add(0, 60_000, &steered, 0.0);
        uplift.add(0, 150_000, &steered, -0.6);
        uplift.add(1, 150_000, &steered, 0.0);
        uplift.add(2, 150_000, &page(Group::PinnedH3), -9.0);
        let mean = uplift.mean().unwrap();
        assert!((mean - (-0.2 - 0.6 + 0.0) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn what_an_epoch_and_a_pins_end_begin_with_is_left_out() {
        let mut uplift = Uplift::new(100_000, 10, 2);
        let steered = page(Group::Steered);
        uplift.add(0, 139_000, &steered, -9.0);
        uplift.add(0, 140_000, &steered, -0.2);
        uplift.add(1, 150_000, &page(Group::PinnedH3), -9.0);
        uplift.add(1, 250_000, &steered, -9.0);
        uplift.add(1, 279_000, &steered, -9.0);
        uplift.add(1, 280_000, &steered, -0.4);
        let mean = uplift.mean().unwrap();
        assert!((mean - (-0.2 - 0.4) / 2.0).abs() < 1e-12);
    }
}
