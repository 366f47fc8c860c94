//! How responses went: by which protocol they were faster, and by how much.

use super::visit::Rho;
use crate::math;
use crate::policy::Normal;
use crate::sample::{CLIP, Outcome, Protocol, STRATA};
use crate::state::{Outcomes, Transport};

/// More outcomes than this in one stratum add no precision; older ones make room.
const WEIGHT_MOST: f32 = 65_536.0;
/// Less of an arm's weight than this is a rest of what decayed.
const WEIGHT_LEAST: f64 = 1e-3;
/// TCP's packets from which on they alone tell the loss.
const PACKETS_LEAST: f64 = 50.0;

impl Outcomes {
    /// Takes in an outcome at `now_ms`, where `rho` is that of a visit's responses; whether it begins a visit.
    pub(crate) fn add(
        &mut self,
        protocol: Protocol,
        outcome: Outcome,
        rho: Rho,
        now_ms: u64,
    ) -> bool {
        let transport = self.of_mut(protocol);
        let (begins, counts) = transport.visit.count(now_ms, rho);
        if let (Some(weight), Some(sum)) = (
            transport.weight.get_mut(outcome.stratum),
            transport.sum.get_mut(outcome.stratum),
        ) {
            if *weight >= WEIGHT_MOST {
                let room = (WEIGHT_MOST - 1.0) / *weight;
                *weight *= room;
                *sum *= room;
            }
            *weight += counts as f32;
            *sum += (counts * outcome.x) as f32;
        }
        begins
    }

    pub(crate) fn add_packets(&mut self, protocol: Protocol, sent: f64, lost: f64) {
        let transport = self.of_mut(protocol);
        transport.sent += sent as f32;
        transport.lost += lost as f32;
    }

    /// Packets sent and lost by which a network is judged: TCP's, and QUIC's where TCP's are too few. A server may count QUIC's losses
    /// otherwise than TCP's, and what is expected must not change with the transport that a client happens to be on.
    pub(crate) fn packets(&self) -> (f64, f64) {
        let [tcp, quic] = &self.transports;
        let (sent, lost) = (f64::from(tcp.sent), f64::from(tcp.lost));
        if sent >= PACKETS_LEAST {
            (sent, lost)
        } else {
            (sent + f64::from(quic.sent), lost + f64::from(quic.lost))
        }
    }

    /// As how many independent responses those by TCP and by QUIC count.
    pub(crate) fn weights(&self) -> [f64; 2] {
        self.transports
            .each_ref()
            .map(|of| of.weight.iter().copied().map(f64::from).sum())
    }

    /// QUIC's mean less TCP's, strata pooled by precision, where `response` is the standard deviation of one outcome. None where no
    /// stratum has both.
    pub(crate) fn difference(&self, response: f64) -> Option<Normal> {
        let [tcp, quic] = &self.transports;
        let (mut precision, mut sum) = (0.0, 0.0);
        for stratum in 0..STRATA {
            let ((w_tcp, x_tcp), (w_quic, x_quic)) = (tcp.mean(stratum), quic.mean(stratum));
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

    /// Whether some stratum has both.
    pub(crate) fn has_both(&self) -> bool {
        let [tcp, quic] = &self.transports;
        let both = tcp.weight.iter().zip(&quic.weight);
        both.into_iter()
            .any(|(tcp, quic)| tcp.min(*quic) >= WEIGHT_LEAST as f32)
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
    /// A stratum's weight and mean.
    fn mean(&self, stratum: usize) -> (f64, f64) {
        let value = |of: &[f32; STRATA]| of.get(stratum).copied().map_or(0.0, f64::from);
        let (weight, sum) = (value(&self.weight), value(&self.sum));
        (weight, (sum / weight).clamp(-CLIP, CLIP))
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;

    /// Outcomes whose visits have no mood, all of one instant.
    fn add(outcomes: &mut Outcomes, protocol: Protocol, stratum: usize, x: f64) {
        outcomes.add(protocol, Outcome { stratum, x }, Rho::default(), 0);
    }

    #[test]
    fn strata_are_pooled_by_their_precision() {
        let mut outcomes = Outcomes::zeroed();
        for _ in 0..4 {
            add(&mut outcomes, Protocol::Tcp, 0, 1.0);
            add(&mut outcomes, Protocol::Quic, 0, 0.5);
        }
        add(&mut outcomes, Protocol::Tcp, 3, 2.0);
        add(&mut outcomes, Protocol::Quic, 3, 2.5);
        add(&mut outcomes, Protocol::Quic, 2, -6.0); // nothing to compare it with
        let difference = outcomes.difference(0.5).expect("both arms");
        let expected = (2.0 * -0.5 + 0.5 * 0.5) / 2.5;
        assert!((difference.mean - expected).abs() < 1e-6);
        assert!((difference.variance - 0.25 / 2.5).abs() < 1e-6);
    }

    #[test]
    fn one_arm_alone_says_nothing() {
        let mut outcomes = Outcomes::zeroed();
        add(&mut outcomes, Protocol::Quic, 0, 0.5);
        assert_eq!(outcomes.difference(0.5), None);
    }

    #[test]
    fn responses_of_one_visit_say_no_more_than_its_mood_lets_them() {
        let (response, rho) = (0.35, 0.5);
        let mut outcomes = Outcomes::zeroed();
        for _ in 0..1000 {
            for protocol in [Protocol::Tcp, Protocol::Quic] {
                let outcome = Outcome { stratum: 1, x: 0.1 };
                outcomes.add(
                    protocol,
                    outcome,
                    Rho {
                        mood: rho,
                        page: 0.0,
                    },
                    7,
                );
            }
        }
        let difference = outcomes.difference(response).expect("both arms");
        let moods = 2.0 * rho * response * response;
        assert!((difference.variance / moods - 1.0).abs() < 0.01);
        assert!(difference.mean.abs() < 1e-6);
    }

    #[test]
    fn tcp_tells_the_loss_and_quic_only_where_tcp_hardly_can() {
        let mut outcomes = Outcomes::zeroed();
        outcomes.add_packets(Protocol::Tcp, 40.0, 4.0);
        outcomes.add_packets(Protocol::Quic, 1000.0, 0.0);
        assert_eq!(outcomes.packets(), (1040.0, 4.0));
        outcomes.add_packets(Protocol::Tcp, 10.0, 1.0);
        assert_eq!(outcomes.packets(), (50.0, 5.0));
    }

    #[test]
    fn a_stratum_that_is_full_still_follows() {
        let mut outcomes = Outcomes::zeroed();
        add(&mut outcomes, Protocol::Tcp, 0, 0.0);
        for _ in 0..70_000 {
            add(&mut outcomes, Protocol::Quic, 0, 1.0);
        }
        for _ in 0..400_000 {
            add(&mut outcomes, Protocol::Quic, 0, -1.0);
        }
        let difference = outcomes.difference(0.5).expect("both arms");
        assert!(difference.mean < -0.9, "{difference:?}");
        assert!(outcomes.is_sound());
    }
}
