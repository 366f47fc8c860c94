//! What the surface says of a key's network, before any of its own responses are compared.

use crate::axis::{AXIS_MOST, Place};
use crate::math;
use crate::policy::{Normal, Policy, mixture};
use crate::sample::TcpControl;
use crate::state::Network;

/// More packets than this say no more of the loss: networks aren't binomial, and evidence has to stay finite.
const PACKETS_MOST: f64 = 1000.0;

/// What the surface says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped {
    /// The mean, and the variance of one key's.
    pub(crate) key: Normal,
    /// What of that variance is the key's own: by which keys differ from the surface.
    pub(crate) unlike: f64,
}

/// `packets`: sent and lost, of both transports.
pub(crate) fn prior(
    policy: &Policy,
    control: TcpControl,
    network: &Network,
    packets: (f64, f64),
) -> Mapped {
    let Some(surface) = policy.surface(control) else {
        return Mapped {
            key: Normal {
                mean: 0.0,
                variance: 1.0,
            },
            unlike: 0.0,
        };
    };
    let axes = policy.axes();
    let weights = loss_weights(policy, packets);
    let rate = network.rate_mbit().map(|mbit| axes.rate_mbit.place(mbit));
    let losses = axes.loss.values().len();
    let nodes = || weights.iter().copied().enumerate().take(losses);

    let (mut whole, mut unlike) = (0.0, 0.0);
    let mut counted = |weight: f64, there: Normal| {
        whole += weight;
        unlike += weight * policy.unlike(surface, there);
        (weight, there)
    };
    let mapped = match network.rtt_ms() {
        Some(rtt_ms) => {
            let rtt = axes.rtt_ms.place(rtt_ms);
            mixture(nodes().map(|(loss, weight)| counted(weight, surface.at(rtt, loss, rate))))
        }
        None => {
            let rtts = 0..axes.rtt_ms.values().len();
            let places = rtts.flat_map(|rtt| nodes().map(move |node| (Place::node(rtt), node)));
            mixture(
                places.map(|(rtt, (loss, weight))| counted(weight, surface.at(rtt, loss, rate))),
            )
        }
    };
    let unlike = unlike / whole;
    Mapped {
        key: Normal {
            mean: mapped.mean,
            variance: mapped.variance + unlike,
        },
        unlike,
    }
}

/// The variance of ln(page load time) by TCP and by QUIC that the laboratory saw on networks which lose and carry as a key's seems to.
pub(crate) fn page_scatter(
    policy: &Policy,
    control: TcpControl,
    network: &Network,
    packets: (f64, f64),
) -> [f64; 2] {
    let Some(surface) = policy.surface(control) else {
        return [0.0; 2];
    };
    let axes = policy.axes();
    let rate = network.rate_mbit().map(|mbit| axes.rate_mbit.place(mbit));
    let losses = axes.loss.values().len();
    let (mut whole, mut found) = (0.0, [0.0; 2]);
    for (loss, weight) in loss_weights(policy, packets)
        .into_iter()
        .enumerate()
        .take(losses)
    {
        whole += weight;
        for (to, one) in found.iter_mut().zip(surface.pages_at(loss, rate)) {
            *to += weight * one;
        }
    }
    found.map(|one| one / whole)
}

/// ∝ share · Binomial(lost | sent, loss), by loss node; the likeliest has 1.
fn loss_weights(policy: &Policy, (sent, lost): (f64, f64)) -> [f64; AXIS_MOST] {
    let scale = if sent > PACKETS_MOST {
        PACKETS_MOST / sent
    } else {
        1.0
    };
    let (lost, kept) = (lost.min(sent) * scale, (sent - lost).max(0.0) * scale);
    let mut logarithms = [f64::NEG_INFINITY; AXIS_MOST];
    let nodes = policy.axes().loss.values().len();
    for (logarithm, (p, q, share)) in logarithms
        .iter_mut()
        .zip(policy.loss_logarithms)
        .take(nodes)
    {
        *logarithm = share + lost * p + kept * q;
    }
    let likeliest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logarithms.map(|logarithm| math::exp(logarithm - likeliest))
}
