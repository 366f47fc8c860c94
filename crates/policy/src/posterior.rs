//! What is expected of a key: prior, own responses and its parent's other keys, weighted by precision.

use crate::entry::Entry;
use crate::head::Head;
use crate::math;
use crate::policy::{Normal, Policy};
use crate::prior::prior;

/// ln(time with h3 / time with h2) of the key's responses.
pub(crate) fn posterior(
    policy: &Policy,
    head: &Head,
    own: &Entry,
    parent: Option<&Entry>,
) -> Normal {
    let noise = policy.noise();
    let control = own.tcp_control(head);
    // A key that knows nothing of its network is taken for one like its parent's.
    let (mut network, mut packets) = (&own.network, own.outcomes.packets());
    if let Some(parent) = parent {
        if network.rtt_ms().is_none() {
            network = &parent.network;
        }
        if packets.0 < 1.0 {
            packets = parent.outcomes.packets();
        }
    }
    let before = prior(policy, &head.correction, control, network, packets);
    let from_own = own.outcomes.difference(None, noise.response);
    let from_others = parent
        .and_then(|parent| {
            parent
                .outcomes
                .difference(Some(&own.outcomes), noise.response)
        })
        .map(|others| Normal {
            mean: others.mean,
            variance: others.variance + math::square(noise.between_clients),
        });

    let (mut precision, mut sum) = (1.0 / before.variance, before.mean / before.variance);
    for source in [from_own, from_others].into_iter().flatten() {
        precision += 1.0 / source.variance;
        sum += source.mean / source.variance;
    }
    Normal {
        mean: sum / precision,
        variance: 1.0 / precision,
    }
}
