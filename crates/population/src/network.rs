//! Networks, and how they are drawn.

use crate::random::Random;
use crate::spec::NetworkSpec;
use crate::truth::{LOSS_BEND, bent_loss};

/// One client's way to the server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Network {
    /// Which of the kinds it is.
    pub(crate) kind: usize,
    /// The round trip of an empty way, milliseconds.
    pub(crate) rtt_ms: f64,
    /// Share of packets lost on the way down.
    pub(crate) loss: f64,
    /// Mbit/s.
    pub(crate) rate_mbit: f64,
    /// Whether UDP doesn't pass.
    pub(crate) udp_blocked: bool,
}

impl Network {
    /// A network of this kind.
    pub(crate) fn drawn(kind: usize, spec: &NetworkSpec, random: &mut Random) -> Self {
        let mut even = |[low, high]: [f64; 2]| random.between(low, high);
        Network {
            kind,
            rtt_ms: even(spec.rtt_ms.map(f64::ln)).exp(),
            loss: even(spec.loss.map(bent_loss)).exp_m1() * LOSS_BEND,
            rate_mbit: even(spec.rate_mbit.map(f64::ln)).exp(),
            udp_blocked: random.happens(spec.udp_blocked),
        }
    }

    /// A network of one of the kinds, by their shares.
    pub(crate) fn any(specs: &[NetworkSpec], random: &mut Random) -> Self {
        let kind = random.by_share(specs.iter().map(|one| one.share));
        Network::drawn(kind, &specs[kind], random)
    }

    /// On the way from this one to another, `part` of it done; of its kind until half of it is.
    pub(crate) fn towards(&self, other: &Network, part: f64) -> Network {
        let mix = |low: f64, high: f64| low + (high - low) * part;
        let nearer = if part < 0.5 { self } else { other };
        Network {
            rtt_ms: mix(self.rtt_ms.ln(), other.rtt_ms.ln()).exp(),
            loss: mix(bent_loss(self.loss), bent_loss(other.loss)).exp_m1() * LOSS_BEND,
            rate_mbit: mix(self.rate_mbit.ln(), other.rate_mbit.ln()).exp(),
            ..*nearer
        }
    }
}
