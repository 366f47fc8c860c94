//! The live correction: how far the laboratory's surface is off here, by the keys that chance pinned.
//!
//! For each congestion control of TCP's, at fixed anchors of round trip and loss, the mean of ln(time / reference) by QUIC of keys pinned to h3 is held against that by TCP
//! of keys pinned to h2: one number a key and epoch, fading by half each epoch. The difference from what the surface says there
//! shifts it, shrunk by its variance, and by no more than twice the surface's own standard deviation. So whoever
//! floods the gateway with prefixes of their own moves another key's prior by at most that, and by 12/n of a mean for each of theirs.
//! Clients that can't do QUIC count in the second mean and not in the first: it is a correction, not the gateway's measure.

use bytemuck::{Pod, Zeroable};

use crate::axis::Place;
use crate::holdout::Tally;
use crate::math;
use crate::policy::{Normal, Surface};
use crate::sample::TcpControl;

/// Anchors an axis.
pub(crate) const ANCHORS: usize = 6;
pub(crate) const RTT_MS: [f64; ANCHORS] = [5.0, 12.0, 30.0, 75.0, 150.0, 300.0];
/// Their natural logarithms.
const RTT_LOGARITHMS: [f64; ANCHORS] = [
    1.609_437_912_434_100_3,
    2.484_906_649_788_000_4,
    3.401_197_381_662_155_5,
    4.317_488_113_536_31,
    5.010_635_294_096_255_6,
    5.703_782_474_656_201,
];
pub(crate) const LOSS: [f64; ANCHORS] = [1e-4, 0.001, 0.003, 0.01, 0.03, 0.1];

/// Standard deviation of ln(time / reference) between keys at one anchor. Assumed, not estimated: a key that is slower must not
/// count less for it.
const KEYS_SD: f64 = 0.7;
/// Keys that each arm needs at an anchor.
const KEYS_LEAST: f64 = 4.0;
/// A shift is at most so many of the surface's standard deviations.
const SHIFT_MOST_SDS: f64 = 2.0;
/// Packets of a key before its loss says where it belongs.
const PACKETS_LEAST: f64 = 50.0;

/// An anchor by its place in [`Correction`]; [`NOWHERE`]: none.
pub(crate) const NOWHERE: u8 = u8::MAX;

/// Of all controls.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Corrections {
    cubic: Correction,
    bbr: Correction,
    reno: Correction,
}

impl Corrections {
    /// One that isn't known counts as cubic.
    pub(crate) fn of(&self, control: TcpControl) -> &Correction {
        match control {
            TcpControl::Unknown | TcpControl::Cubic => &self.cubic,
            TcpControl::Bbr => &self.bbr,
            TcpControl::Reno => &self.reno,
        }
    }

    pub(crate) fn of_mut(&mut self, control: TcpControl) -> &mut Correction {
        match control {
            TcpControl::Unknown | TcpControl::Cubic => &mut self.cubic,
            TcpControl::Bbr => &mut self.bbr,
            TcpControl::Reno => &mut self.reno,
        }
    }

    /// A new epoch begins.
    pub(crate) fn roll(&mut self) {
        for correction in self.each() {
            correction.roll();
        }
    }

    pub(crate) fn make_sound(&mut self) {
        for correction in self.each() {
            correction.make_sound();
        }
    }

    fn each(&mut self) -> [&mut Correction; 3] {
        [&mut self.cubic, &mut self.bbr, &mut self.reno]
    }
}

/// Of one: tallies of TCP's keys (pinned to h2) and QUIC's (pinned to h3), by round trip and loss.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Correction {
    now: [[Tally; ANCHORS * ANCHORS]; 2],
    past: [[Tally; ANCHORS * ANCHORS]; 2],
}

impl Correction {
    /// `transport`: 0 TCP, 1 QUIC.
    pub(crate) fn tally(&mut self, transport: usize, anchor: u8) -> Option<&mut Tally> {
        self.now.get_mut(transport)?.get_mut(usize::from(anchor))
    }

    /// By how much the surface is shifted at a round trip's [`place`] and an anchor of loss.
    pub(crate) fn shift(&self, surface: &Surface, rtt: Place, loss: usize) -> f64 {
        rtt.weights()
            .map(|(row, weight)| weight * self.shift_at(surface, row, loss))
            .sum()
    }

    fn roll(&mut self) {
        let tallies = self.now.iter_mut().flatten();
        for (now, past) in tallies.zip(self.past.iter_mut().flatten()) {
            past.fade();
            past.merge(now);
            *now = Tally::zeroed();
        }
    }

    fn make_sound(&mut self) {
        for tally in self.now.iter_mut().chain(&mut self.past).flatten() {
            tally.make_sound();
        }
    }

    fn shift_at(&self, surface: &Surface, row: usize, column: usize) -> f64 {
        let Some(expected) = surface.anchors.get(row).and_then(|row| row.get(column)) else {
            return 0.0;
        };
        let index = row * ANCHORS + column;
        let (Some(tcp), Some(quic)) = (self.mean(0, index), self.mean(1, index)) else {
            return 0.0;
        };
        let observed = Normal {
            mean: quic.mean - tcp.mean,
            variance: quic.variance + tcp.variance,
        };
        let shrunk = expected.variance / (expected.variance + observed.variance);
        let most = SHIFT_MOST_SDS * math::sqrt(expected.variance);
        ((observed.mean - expected.mean) * shrunk).clamp(-most, most)
    }

    fn mean(&self, transport: usize, index: usize) -> Option<Normal> {
        let mut tally = *self.past.get(transport)?.get(index)?;
        tally.merge(self.now.get(transport)?.get(index)?);
        (tally.keys >= KEYS_LEAST).then(|| Normal {
            mean: tally.mean(),
            variance: math::square(KEYS_SD) / tally.keys,
        })
    }
}

/// The anchor of a network; [`NOWHERE`] where it isn't known well enough.
pub(crate) fn anchor(rtt_ms: Option<f64>, sent: f64, lost: f64) -> u8 {
    let Some(rtt_ms) = rtt_ms.filter(|_| sent >= PACKETS_LEAST) else {
        return NOWHERE;
    };
    let row = nearest(&RTT_MS, rtt_ms);
    let column = nearest_loss(lost / sent);
    u8::try_from(row * ANCHORS + column).unwrap_or(NOWHERE)
}

pub(crate) fn nearest_loss(loss: f64) -> usize {
    nearest(&LOSS, loss)
}

/// The nearest on a logarithmic scale.
fn nearest(anchors: &[f64; ANCHORS], value: f64) -> usize {
    let ends = anchors.windows(2).filter_map(|pair| match pair {
        [a, b] => Some(a * b),
        _ => None,
    });
    ends.take_while(|product| value * value > *product).count()
}

/// Where a round trip lies among the anchors.
pub(crate) fn place(rtt_ms: f64) -> Place {
    Place::among(&RTT_LOGARITHMS, math::ln(rtt_ms.max(f64::MIN_POSITIVE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_belongs_to_the_nearest_anchor() {
        assert_eq!(anchor(None, 1000.0, 0.0), NOWHERE);
        assert_eq!(anchor(Some(50.0), 10.0, 0.0), NOWHERE);
        assert_eq!(anchor(Some(1.0), 1000.0, 0.0), 0);
        assert_eq!(anchor(Some(70.0), 1000.0, 11.0), 3 * ANCHORS as u8 + 3);
        assert_eq!(anchor(Some(9e9), 1000.0, 1000.0), 35);
    }

    #[test]
    fn the_logarithms_are_those_of_the_anchors() {
        for (ms, logarithm) in RTT_MS.iter().zip(RTT_LOGARITHMS) {
            assert!((libm::log(*ms) - logarithm).abs() < 1e-12);
        }
    }

    #[test]
    fn places_lie_between_the_anchors_around_them() {
        assert_eq!(place(1.0), Place::node(0));
        assert_eq!(place(1000.0), Place::node(5));
        let middle = place(libm::sqrt(12.0 * 30.0));
        assert_eq!(middle.lower, 1);
        assert!((middle.share - 0.5).abs() < 1e-12);
    }
}
