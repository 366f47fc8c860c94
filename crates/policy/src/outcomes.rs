//! How responses went: decayed sums for each arm and size bucket.

use bytemuck::{Pod, Zeroable};

use crate::math;
use crate::policy::Normal;
use crate::sample::{BUCKETS, CLIP, Outcome, Protocol};

/// More outcomes than this in one bucket add no precision; older ones make room.
const WEIGHT_MOST: f32 = 65_536.0;
/// Less of an arm's weight than this is a rest of what decayed.
const WEIGHT_LEAST: f64 = 1e-3;

/// Of one transport.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Transport {
    /// How many outcomes, by bucket, decayed.
    weight: [f32; BUCKETS],
    /// Their sum.
    sum: [f32; BUCKETS],
    sent: f32,
    lost: f32,
}

/// Of both: TCP, QUIC.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Outcomes {
    transports: [Transport; 2],
}

impl Outcomes {
    pub(crate) fn decay(&mut self, factor: f64) {
        let factor = factor as f32;
        for transport in &mut self.transports {
            for value in transport.weight.iter_mut().chain(&mut transport.sum) {
                *value *= factor;
            }
            transport.sent *= factor;
            transport.lost *= factor;
        }
    }

    pub(crate) fn add(&mut self, protocol: Protocol, outcome: Outcome) {
        let transport = self.of_mut(protocol);
        let (Some(weight), Some(sum)) = (
            transport.weight.get_mut(outcome.bucket),
            transport.sum.get_mut(outcome.bucket),
        ) else {
            return;
        };
        if *weight >= WEIGHT_MOST {
            let room = (WEIGHT_MOST - 1.0) / *weight;
            *weight *= room;
            *sum *= room;
        }
        *weight += 1.0;
        *sum += outcome.x as f32;
    }

    pub(crate) fn add_packets(&mut self, protocol: Protocol, sent: f64, lost: f64) {
        let transport = self.of_mut(protocol);
        transport.sent += sent as f32;
        transport.lost += lost as f32;
    }

    /// Packets sent and lost, of both.
    pub(crate) fn packets(&self) -> (f64, f64) {
        let [tcp, quic] = &self.transports;
        (
            f64::from(tcp.sent) + f64::from(quic.sent),
            f64::from(tcp.lost) + f64::from(quic.lost),
        )
    }

    /// QUIC's mean less TCP's, buckets pooled by precision, where `response` is the standard deviation of one outcome. None where no
    /// bucket has both.
    pub(crate) fn difference(&self, response: f64) -> Option<Normal> {
        let [tcp, quic] = &self.transports;
        let (mut precision, mut sum) = (0.0, 0.0);
        for bucket in 0..BUCKETS {
            let ((w_tcp, x_tcp), (w_quic, x_quic)) = (tcp.mean(bucket), quic.mean(bucket));
            if w_tcp < WEIGHT_LEAST || w_quic < WEIGHT_LEAST {
                continue;
            }
            let share = w_tcp * w_quic / (w_tcp + w_quic) / math::square(response);
            precision += share;
            sum += share * (x_quic - x_tcp);
        }
        let mean = sum / precision;
        mean.is_finite().then_some(Normal {
            mean,
            variance: 1.0 / precision,
        })
    }

    /// Whether some bucket has both.
    pub(crate) fn has_both(&self) -> bool {
        let [tcp, quic] = &self.transports;
        let both = tcp.weight.iter().zip(&quic.weight);
        both.into_iter()
            .any(|(tcp, quic)| tcp.min(*quic) >= WEIGHT_LEAST as f32)
    }

    /// Whether all is what samples can have made it.
    pub(crate) fn is_sound(&self) -> bool {
        self.transports.iter().all(|transport| {
            let buckets = transport.weight.iter().zip(&transport.sum);
            let bounded = |value: f32| value.is_finite() && value >= 0.0;
            buckets.into_iter().all(|(weight, sum)| {
                bounded(*weight) && sum.is_finite() && sum.abs() <= *weight * 1.001 * CLIP as f32
            }) && bounded(transport.sent)
                && bounded(transport.lost)
        })
    }

    fn of_mut(&mut self, protocol: Protocol) -> &mut Transport {
        let [tcp, quic] = &mut self.transports;
        match protocol {
            Protocol::Tcp => tcp,
            Protocol::Quic => quic,
        }
    }
}

impl Transport {
    /// A bucket's weight and mean.
    fn mean(&self, bucket: usize) -> (f64, f64) {
        let value = |of: &[f32; BUCKETS]| of.get(bucket).copied().map_or(0.0, f64::from);
        let (weight, sum) = (value(&self.weight), value(&self.sum));
        (weight, (sum / weight).clamp(-CLIP, CLIP))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(bucket: usize, x: f64) -> Outcome {
        Outcome { bucket, x }
    }

    #[test]
    fn buckets_are_pooled_by_their_precision() {
        let mut outcomes = Outcomes::zeroed();
        for _ in 0..4 {
            outcomes.add(Protocol::Tcp, outcome(0, 1.0));
            outcomes.add(Protocol::Quic, outcome(0, 0.5));
        }
        outcomes.add(Protocol::Tcp, outcome(3, 2.0));
        outcomes.add(Protocol::Quic, outcome(3, 2.5));
        outcomes.add(Protocol::Quic, outcome(2, -6.0)); // nothing to compare it with
        let difference = outcomes.difference(0.5).expect("both arms");
        let expected = (2.0 * -0.5 + 0.5 * 0.5) / 2.5;
        assert!((difference.mean - expected).abs() < 1e-6);
        assert!((difference.variance - 0.25 / 2.5).abs() < 1e-6);
    }

    #[test]
    fn one_arm_alone_says_nothing() {
        let mut outcomes = Outcomes::zeroed();
        outcomes.add(Protocol::Quic, outcome(0, 0.5));
        assert_eq!(outcomes.difference(0.5), None);
    }

    #[test]
    fn a_bucket_that_is_full_still_follows() {
        let mut outcomes = Outcomes::zeroed();
        outcomes.add(Protocol::Tcp, outcome(0, 0.0));
        for _ in 0..70_000 {
            outcomes.add(Protocol::Quic, outcome(0, 1.0));
        }
        for _ in 0..400_000 {
            outcomes.add(Protocol::Quic, outcome(0, -1.0));
        }
        let difference = outcomes.difference(0.5).expect("both arms");
        assert!(difference.mean < -0.9, "{difference:?}");
        assert!(outcomes.is_sound());
    }
}
