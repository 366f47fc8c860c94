//! Whether another look at a protocol is worth what it costs: a try of h3 where it isn't expected to be faster, and of h2 where it is.
//!
//! m is what is expected of a key's ln(mean time with h3 / mean time with h2), normal with mean μ and variance s². After k visits over a protocol it will be
//! known better: its mean will have moved by a normal step of variance σ² = s² − s'², where s' is the standard deviation then. Whoever chooses by
//! the mean then gains, of each further visit, σ · (φ(z) − z Φ(−z)) with z = |μ|/σ over choosing now: the knowledge gradient of two arms (Frazier,
//! Powell and Dayanik 2008, A knowledge-gradient policy for sequential information collection; Gupta and Miescke 1996, Bayesian look ahead
//! one-stage sampling allocations for selection of the best population). The try costs |μ| in each of its visits, where μ speaks against the
//! protocol, and of h3 `enter` on top for what isn't in μ, such as clients whom no QUIC reaches. One visit alone may say too little to be worth
//! anything where several aren't (Frazier and Powell 2010, Paradoxes in learning and the marginal value of information), so tries of several
//! lengths are held against their cost.
//!
//! A key that came n times is expected to come `explore` times n + 1 times more.

use super::visit::Rho;
use crate::math;
use crate::policy::{Normal, Policy};
use crate::state::Outcomes;

/// Visits that a try may last.
const TRIES: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// A visit counts at least as this many independent responses, whatever is left of those it was reckoned from; or as its first one does, where that is
/// less.
const VISIT_LEAST: f64 = 0.5;

/// A visit's responses are at most what they count as divided by this: of visits of several pages they are fewer than their weight says.
const RESPONSES_LEAST: f64 = 0.1;

/// Which looks are worth it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Worth {
    /// Once it isn't, it isn't at any greater mean either.
    pub(crate) h3: bool,
    /// Once it isn't, it isn't at any smaller mean either.
    pub(crate) h2: bool,
}

/// `expected` is the posterior, `visits` came so far by either transport, and `rho` is that of visits by TCP and by QUIC (`visit.rs`). Where there is nothing to compare a try with, it isn't worth it.
pub(crate) fn worth(
    policy: &Policy,
    expected: Normal,
    outcomes: &Outcomes,
    visits: f64,
    rho: [Rho; 2],
) -> Worth {
    let further = policy.steering.explore * (visits + 1.0);
    let noise = math::square(policy.noise.response);
    let [tcp, quic] = outcomes.weights();
    let [of_tcp, of_quic] = rho.map(|rho| rho.of_one_page());
    let responses = responses([(tcp, of_tcp), (quic, of_quic)], visits);
    let pays = |tried: f64, other: f64, rho: f64, costs: f64| {
        let each = responses / (1.0 + responses * rho);
        let each = each.max(VISIT_LEAST.min(1.0 / (1.0 + rho)));
        let precision = |tried: f64| tried * other / (tried + other) / noise;
        other > 0.0
            && TRIES.iter().any(|tries| {
                let learned = precision(tried + tries * each) - precision(tried);
                let after = 1.0 / (1.0 / expected.variance + learned);
                let step = math::sqrt((expected.variance - after).max(0.0));
                further * gained(expected.mean, step) > tries * costs
            })
    };
    Worth {
        h3: pays(
            quic,
            tcp,
            of_quic,
            expected.mean.max(0.0) + policy.steering.enter,
        ),
        h2: pays(tcp, quic, of_tcp, (-expected.mean).max(0.0)),
    }
}

/// How many responses a visit has, by what those of both transports count as, each with its ρ: of n a visit's count as n / (1 + nρ).
fn responses(told: [(f64, f64); 2], visits: f64) -> f64 {
    let whole: f64 = told.iter().map(|(weight, _)| weight).sum();
    if whole <= 0.0 {
        return 0.0;
    }
    let rho = told.iter().map(|(weight, rho)| weight * rho).sum::<f64>() / whole;
    let each = whole / visits.max(1.0);
    each / (1.0 - each * rho).max(RESPONSES_LEAST)
}

/// What each further visit gains by a mean that moves by a normal step of standard deviation `step` before it is chosen by.
fn gained(mean: f64, step: f64) -> f64 {
    if step <= 0.0 {
        return 0.0;
    }
    let z = mean.abs() / step;
    (step * (math::normal_density(z) - z * math::normal_tail(z))).max(0.0)
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;
    use proptest::prelude::*;

    use super::*;
    use crate::sample::{Outcome, Protocol};

    fn policy(explore: f64) -> Policy {
        let policy = Policy::parse(include_str!("../../tests/data/small.toml")).expect("a policy");
        let mut steering = *policy.steering();
        steering.explore = explore;
        policy.with_steering(steering)
    }

    fn outcomes(tcp: u32, quic: u32) -> Outcomes {
        let mut outcomes = Outcomes::zeroed();
        for (protocol, count) in [(Protocol::Tcp, tcp), (Protocol::Quic, quic)] {
            for _ in 0..count {
                outcomes.add(protocol, Outcome { stratum: 1, x: 0.0 }, Rho::default(), 0);
            }
        }
        outcomes
    }

    fn worth_h3(policy: &Policy, expected: Normal, outcomes: &Outcomes, visits: f64) -> bool {
        worth(policy, expected, outcomes, visits, [Rho::default(); 2]).h3
    }

    fn tried(mean: f64, visits: f64) -> bool {
        let expected = Normal {
            mean,
            variance: 0.0256,
        };
        let told = outcomes(4 * visits as u32, 0);
        worth_h3(&policy(1.0), expected, &told, visits)
    }

    /// E max(−m, 0) − max(−E m, 0) by summing over the step's distribution.
    #[test]
    fn what_is_gained_is_the_expected_gain_of_choosing_later() {
        for (mean, step) in [(0.05, 0.1), (-0.05, 0.1), (0.0, 0.2), (0.3, 0.1)] {
            let (mut sum, width) = (0.0, 1e-3);
            for i in -8000..8000 {
                let z = (f64::from(i) + 0.5) * width;
                let later = mean + step * z;
                sum += math::normal_density(z) * width * f64::max(-later, 0.0);
            }
            let expected = sum - f64::max(-mean, 0.0);
            assert!(
                (gained(mean, step) - expected).abs() < 1e-6,
                "{mean} {step}"
            );
        }
    }

    #[test]
    fn who_comes_more_often_is_tried_at_a_greater_expected_cost() {
        assert!(tried(0.0, 2.0));
        assert!(!tried(0.1, 2.0) && tried(0.1, 60.0));
        assert!(!tried(1.0, 60.0));
    }

    #[test]
    fn a_key_that_is_known_well_is_not_tried() {
        let known = Normal {
            mean: 0.05,
            variance: 0.0001,
        };
        assert!(!worth_h3(&policy(1.0), known, &outcomes(900, 900), 100.0));
    }

    #[test]
    fn one_unlucky_try_does_not_end_it_for_who_comes_often() {
        // A try of eight responses was slow; what is expected now lies at +0.1, and is still uncertain.
        let after = Normal {
            mean: 0.1,
            variance: 0.015,
        };
        let again = |visits: u32| {
            let told = outcomes(4 * visits, 8);
            worth_h3(&policy(1.0), after, &told, f64::from(visits))
        };
        assert!(!again(3) && again(100));
    }

    #[test]
    fn nothing_is_tried_where_exploring_is_off_or_nothing_is_there_to_compare_with() {
        let open = Normal {
            mean: 0.0,
            variance: 0.04,
        };
        assert!(!worth_h3(&policy(0.0), open, &outcomes(8, 0), 100.0));
        assert!(!worth_h3(&policy(1.0), open, &outcomes(0, 8), 100.0));
    }

    #[test]
    fn h2_is_looked_at_again_as_long_as_it_is_not_sure_to_be_slower() {
        let again = |mean| {
            let expected = Normal {
                mean,
                variance: 0.0169,
            };
            worth(
                &policy(1.0),
                expected,
                &outcomes(8, 16),
                12.0,
                [Rho::default(); 2],
            )
            .h2
        };
        assert!(again(0.02) && again(-0.02));
        assert!(!again(-0.3));
    }

    #[test]
    fn a_visit_s_responses_are_those_that_count_as_what_they_do() {
        for rho in [0.0, 0.2, 0.6] {
            let weight = |n: f64| n / (1.0 + n * rho);
            let found = responses([(3.0 * weight(8.0), rho), (2.0 * weight(8.0), rho)], 5.0);
            assert!((found - 8.0).abs() < 1e-9, "{rho}: {found}");
        }
        assert!(responses([(100.0, 0.6), (0.0, 0.1)], 5.0).is_finite());
        assert_eq!(responses([(0.0, 0.6), (0.0, 0.1)], 5.0), 0.0);
    }

    #[test]
    fn a_look_is_worth_the_less_the_less_a_visit_by_that_transport_tells() {
        let expected = Normal {
            mean: -0.05,
            variance: 0.0169,
        };
        let page = |page| Rho { mood: 0.2, page };
        let looks = |tcp| {
            let outcomes = outcomes(2, 24);
            worth(
                &policy(1.0),
                expected,
                &outcomes,
                9.0,
                [page(tcp), page(0.0)],
            )
            .h2
        };
        assert!(looks(0.0) && !looks(3.0));
    }

    proptest! {
        #[test]
        fn a_protocol_is_tried_the_less_the_slower_it_is_expected_to_be(
            mean in 0.0..0.5f64,
            more in 0.0..0.5f64,
            sd in 0.01..0.5f64,
            tcp in 1u32..40,
            quic in 1u32..40,
            visits in 0.0..200.0f64,
        ) {
            let outcomes = outcomes(tcp, quic);
            let at = |mean| {
                let expected = Normal { mean, variance: sd * sd };
                worth(&policy(1.0), expected, &outcomes, visits, [Rho::default(); 2])
            };
            prop_assert!(at(mean).h3 || !at(mean + more).h3);
            prop_assert!(at(-mean).h2 || !at(-mean - more).h2);
        }
    }
}
