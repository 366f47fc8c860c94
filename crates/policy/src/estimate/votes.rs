//! What a parent's other keys say of a key: one vote each.
//!
//! A key that has outcomes of both transports says how far its own difference is off the surface at its own network. Only differences
//! within keys count: steering sends keys with bad networks to QUIC, and means over the keys of a parent would take that for QUIC's doing.
//! All is told in the standard deviations by which a key differs from the surface, which are the greater the more the protocols do: half of that variance is
//! taken for the parent's, u ~ N(0, 1/2), and a key's vote is u + N(0, 1/2 + variance of its outcomes). A vote is clipped to a quarter of u's sd, and so is
//! what a key learns of its parent however many vote: whoever has many prefixes within somebody's /16 moves what is expected of them by 0.18 of those
//! standard deviations at most, 0.03 where clients are 0.15 apart.

use bytemuck::Zeroable;

use crate::math;
use crate::policy::Normal;
use crate::state::Votes;

/// A vote beyond so many standard deviations counts as one of so many.
const MOST_SDS: f64 = 0.25;
/// The share of the variance between keys that those of a parent have in common.
const COMMON: f64 = 0.5;

impl Votes {
    /// Of one key whose outcomes differ by `difference` where the surface says `mapped`; `unlike` is the variance by which keys differ from it there.
    pub(crate) fn one(unlike: f64, difference: Normal, mapped: f64) -> Votes {
        if unlike <= 0.0 {
            return Votes::zeroed();
        }
        let most = MOST_SDS * math::sqrt(COMMON);
        let weight = 1.0 / (COMMON + difference.variance / unlike);
        let sds = (difference.mean - mapped) / math::sqrt(unlike);
        Votes {
            weight: weight as f32,
            sum: (weight * sds.clamp(-most, most)) as f32,
        }
    }

    /// What the votes say of the parent, to be added to what is expected of another of its keys, which differ by the variance `unlike` where that one is.
    pub(crate) fn shift(&self, unlike: f64) -> f64 {
        let weight = f64::from(self.weight);
        if unlike <= 0.0 || weight <= 0.0 {
            return 0.0;
        }
        let most = MOST_SDS * math::sqrt(COMMON);
        let sds = f64::from(self.sum) / (1.0 / COMMON + weight);
        sds.clamp(-most, most) * math::sqrt(unlike)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNLIKE: f64 = 0.15 * 0.15 + 0.05 * 0.05;

    fn one(mean: f64) -> Votes {
        let difference = Normal {
            mean,
            variance: 0.01,
        };
        Votes::one(UNLIKE, difference, 0.0)
    }

    #[test]
    fn votes_are_weighed_as_normal_distributions_are() {
        let mut votes = one(0.02);
        votes.add(&one(0.01));
        let (common, precision) = (0.0125, 1.0 / 0.0225);
        let expected = precision * 0.03 / (1.0 / common + 2.0 * precision);
        assert!((votes.shift(UNLIKE) - expected).abs() < 1e-6);
    }

    #[test]
    fn however_many_vote_they_move_a_key_by_no_more_than_one_vote_may_say() {
        let mut votes = Votes::zeroed();
        for _ in 0..100_000 {
            votes.add(&one(6.0));
        }
        let shift = votes.shift(UNLIKE);
        assert!((0.02..0.028).contains(&shift), "{shift}");
    }

    /// Where the protocols are alike, keys differ little, and what they are off by says as little of one where they aren't.
    #[test]
    fn keys_of_different_networks_vote_by_how_far_each_could_be_off() {
        let vote = |unlike: f64, sds: f64| {
            let difference = Normal {
                mean: sds * libm::sqrt(unlike),
                variance: unlike,
            };
            Votes::one(unlike, difference, 0.0)
        };
        let (near, far) = (0.0007, 0.04);
        assert!((vote(near, 0.1).shift(far) - vote(far, 0.1).shift(far)).abs() < 1e-6);
        let mut votes = vote(far, 0.15);
        let alone = votes.shift(far);
        for _ in 0..3 {
            votes.add(&vote(near, 0.0));
        }
        let among = votes.shift(far);
        assert!(among < alone && among > 0.4 * alone, "{among} {alone}");
        assert!((votes.shift(near) / votes.shift(far) - libm::sqrt(near / far)).abs() < 1e-6);
    }

    #[test]
    fn a_vote_can_be_taken_back() {
        let mut votes = one(0.02);
        votes.add(&one(-0.01));
        let left = votes.without(&one(-0.01)).shift(UNLIKE);
        assert!((left - one(0.02).shift(UNLIKE)).abs() < 1e-6);
        assert_eq!(one(0.02).without(&one(0.02)), Votes::zeroed());
    }
}
