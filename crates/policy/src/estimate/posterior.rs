//! What is expected of a key: the surface, its parent's other keys and its own responses.
//!
//! Evidence is of logarithms, whose means don't say all of what pages take in the mean: over the transport whose pages scatter more, the mean lies the
//! further above what is typical. Of a lognormal time with variance σ² the mean is e^(σ²/2) times the median, so what is expected of
//! ln(mean time with h3 / mean time with h2) is that of the logarithms and half of what the pages' variances differ by.

use super::expected::Expected;
use super::prior::{page_scatter, prior};
use super::{value, visit};
use crate::math;
use crate::policy::{Normal, Policy};
use crate::state::{Entry, Head, Votes};

/// What is expected, and what the key says to its parent's other keys, of which it is told `others`.
pub(crate) fn posterior(
    policy: &Policy,
    head: &Head,
    own: &Entry,
    others: &Votes,
) -> (Expected, Votes) {
    let response = policy.noise().response;
    let control = head.tcp_control(own);
    let packets = own.outcomes.packets();
    let mapped = prior(policy, control, &own.network, packets);
    let before = mapped.key.mean + others.shift(mapped.unlike);
    let (mut precision, mut sum) = (1.0 / mapped.key.variance, before / mapped.key.variance);
    let mut vote = None;
    if let Some(difference) = own.outcomes.difference(response) {
        precision += 1.0 / difference.variance;
        sum += difference.mean / difference.variance;
        vote = Some(Votes::one(mapped.unlike, difference, mapped.key.mean));
    }
    let pages = page_scatter(policy, control, &own.network, packets);
    let [of_tcp, of_quic] = pages;
    let known = Normal {
        mean: sum / precision + (of_quic - of_tcp) / 2.0,
        variance: 1.0 / precision,
    };
    let visits = f64::from(own.visits);
    let rho = visit::rho(policy, &own.network, pages);
    let expected = Expected {
        mean: known.mean as f32,
        sd: math::sqrt(known.variance) as f32,
        known: own.network.rtt_ms().is_some() || packets.0 > 0.0 || vote.is_some(),
        worth: value::worth(policy, known, &own.outcomes, visits, rho),
    };
    (expected, vote.unwrap_or_else(bytemuck::Zeroable::zeroed))
}
