//! Which keys chance takes from steering, in each epoch: a share to h2, as large a one to h3.
//!
//! The draw is a keyed hash of (key, epoch): nobody without the secret can foresee it, no evidence moves it, all processes agree
//! on it without a word, and its propensity is known. So outcomes weighted by 1/propensity estimate without bias what any mix of the arms
//! would have brought (Horvitz and Thompson 1952, A generalization of sampling without replacement from a finite universe).

use crate::decision::Arm;
use crate::key;

const LABEL: u8 = b'p';

/// The key's arm in the epoch, where `holdout`, 0 to 0.5, is pinned to each.
pub(crate) fn arm(secret: &[u8; 16], own: u64, epoch: u64, holdout: f64) -> Arm {
    let drawn = key::hash(secret, LABEL, [own, epoch]) as f64 / 18_446_744_073_709_551_616.0;
    if drawn < holdout {
        Arm::PinnedH2
    } else if drawn < 2.0 * holdout {
        Arm::PinnedH3
    } else {
        Arm::Steered
    }
}

/// Offers reach over no more epochs than these.
const EPOCHS_AHEAD: u8 = 16;

/// After how many epochs from this one on, 1 to 16, the next begins that pins the key to h2; none where nobody is pinned. Beyond 16 it isn't looked.
pub(crate) fn epochs_before_h2(
    secret: &[u8; 16],
    own: u64,
    epoch: u64,
    holdout: f64,
) -> Option<u8> {
    if holdout <= 0.0 {
        return None;
    }
    let pins = |epochs: &u8| {
        arm(
            secret,
            own,
            epoch.saturating_add(u64::from(*epochs)),
            holdout,
        ) == Arm::PinnedH2
    };
    Some((1..EPOCHS_AHEAD).find(pins).unwrap_or(EPOCHS_AHEAD))
}

/// The chance of that arm.
pub(crate) fn propensity(arm: Arm, holdout: f64) -> f64 {
    match arm {
        Arm::Steered => 1.0 - 2.0 * holdout,
        Arm::PinnedH2 | Arm::PinnedH3 => holdout,
    }
}

/// The holdout asked for, else the file's, within 0 to 0.5.
pub(crate) fn holdout(asked: f32, of_file: f64) -> f64 {
    let asked = f64::from(asked);
    let share = if asked >= 0.0 { asked } else { of_file };
    share.clamp(0.0, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: [u8; 16] = [9; 16];

    fn count(holdout: f64, epoch: u64, arm_of_interest: Arm) -> u32 {
        (0..100_000)
            .map(|key| u32::from(arm(&SECRET, key, epoch, holdout) == arm_of_interest))
            .sum()
    }

    #[test]
    fn shares_are_those_asked_for() {
        // Binomial(100000, 0.05): sd 69; beyond 5 sd by chance in less than one of a million draws.
        for pinned in [Arm::PinnedH2, Arm::PinnedH3] {
            let keys = count(0.05, 1, pinned);
            assert!((4655..=5345).contains(&keys), "{pinned:?}: {keys}");
        }
        assert_eq!(count(0.0, 1, Arm::Steered), 100_000);
        assert_eq!(count(0.5, 1, Arm::Steered), 0);
    }

    #[test]
    fn each_epoch_draws_anew() {
        // A key pinned to h2 in one epoch is so in the next with the same 5 %: Binomial(100000, 0.0025), sd 15.8; 5 sd.
        let both = (0..100_000)
            .filter(|key| {
                [1, 2]
                    .iter()
                    .all(|epoch| arm(&SECRET, *key, *epoch, 0.05) == Arm::PinnedH2)
            })
            .count();
        assert!((171..=329).contains(&both), "{both}");
    }

    #[test]
    fn propensities_sum_to_one() {
        for holdout in [0.0, 0.05, 0.3, 0.5] {
            let sum: f64 = [Arm::Steered, Arm::PinnedH2, Arm::PinnedH3]
                .into_iter()
                .map(|arm| propensity(arm, holdout))
                .sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn an_absurd_holdout_is_the_files_or_the_most() {
        assert_eq!(holdout(f32::NAN, 0.05), 0.05);
        assert_eq!(holdout(-1.0, 0.05), 0.05);
        assert_eq!(holdout(0.0, 0.05), 0.0);
        assert_eq!(holdout(f32::INFINITY, 0.05), 0.5);
    }
}
