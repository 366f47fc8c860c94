//! What a key's network looks like: features that select the prior and say how alike a key's connections are, never outcomes.

use crate::math;
use crate::sample::{Protocol, Traits};
use crate::state::{Network, Remembered, Spread};

/// QUIC's word counts where TCP's is unknown, or has faded by so much: what is expected must not change with the transport that a client
/// happens to be on.
const FADED: f32 = 0.5;

/// How much connections differ is known from about so many of them.
const CONNECTIONS: f64 = 8.0;
/// ln(round trip / 1 µs) is at most this, …
const LOG_MOST: f64 = 17.0;
/// … and its variance this.
const VARIANCE_MOST: f64 = 9.0;

impl Network {
    pub(crate) fn add(&mut self, protocol: Protocol, traits: &Traits) {
        if let Some(rtt_us) = traits.rtt_us {
            self.rtt_us.add(protocol, rtt_us, f64::min);
        }
        if let Some(rate) = traits.rate_bytes_per_s {
            self.rate_bytes_per_s.add(protocol, rate, f64::max);
        }
    }

    /// A connection over TCP begins, with this round trip.
    pub(crate) fn meet(&mut self, traits: &Traits) {
        if let Some(rtt_us) = traits.rtt_us {
            self.spread.add(rtt_us);
        }
    }

    /// The variance that different round trips bring into what is told of the key: a short response's time is proportional to its round trip.
    pub(crate) fn spread(&self) -> f64 {
        self.spread.variance()
    }

    pub(crate) fn rtt_ms(&self) -> Option<f64> {
        self.rtt_us.known().map(|us| us / 1e3)
    }

    pub(crate) fn rate_mbit(&self) -> Option<f64> {
        self.rate_bytes_per_s.known().map(|bytes| bytes * 8.0 / 1e6)
    }
}

impl Remembered {
    fn add(&mut self, protocol: Protocol, value: f64, extreme_of: fn(f64, f64) -> f64) {
        let extreme = match self.known() {
            None => value,
            Some(_) if protocol == Protocol::Quic && self.faded < FADED => return,
            Some(known) => {
                let faded = f64::from(self.faded);
                extreme_of(known * (1.0 - faded) + value * faded, value)
            }
        };
        *self = Remembered {
            extreme: extreme as f32,
            faded: 0.0,
        };
    }

    fn known(&self) -> Option<f64> {
        let extreme = self.extreme;
        (extreme.is_finite() && extreme > 0.0).then_some(f64::from(extreme))
    }
}

impl Spread {
    fn add(&mut self, rtt_us: f64) {
        let log = math::ln(rtt_us).clamp(0.0, LOG_MOST);
        let (mean, variance) = if self.mean == 0 {
            (log, 0.0)
        } else {
            let apart = log - self.mean();
            let share = 1.0 / CONNECTIONS;
            let variance = (1.0 - share) * (self.variance() + share * math::square(apart));
            (self.mean() + share * apart, variance)
        };
        *self = Spread {
            mean: steps(mean / LOG_MOST).max(1),
            variance: steps(variance / VARIANCE_MOST),
        };
    }

    fn mean(&self) -> f64 {
        f64::from(self.mean) / f64::from(u16::MAX) * LOG_MOST
    }

    fn variance(&self) -> f64 {
        f64::from(self.variance) / f64::from(u16::MAX) * VARIANCE_MOST
    }
}

/// Of 0 to 1.
fn steps(share: f64) -> u16 {
    (share.clamp(0.0, 1.0) * f64::from(u16::MAX) + 0.5) as u16
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;

    fn traits(rtt_us: f64, rate: f64) -> Traits {
        Traits {
            rtt_us: Some(rtt_us),
            rate_bytes_per_s: Some(rate),
            sent: 0.0,
            lost: 0.0,
        }
    }

    #[test]
    fn the_smallest_round_trip_and_the_highest_rate_are_remembered() {
        let mut network = Network::zeroed();
        assert_eq!((network.rtt_ms(), network.rate_mbit()), (None, None));
        network.add(Protocol::Tcp, &traits(80_000.0, 1e6));
        network.add(Protocol::Tcp, &traits(60_000.0, 5e6));
        network.add(Protocol::Tcp, &traits(90_000.0, 2e6));
        assert_eq!(network.rtt_ms(), Some(60.0));
        assert_eq!(network.rate_mbit(), Some(40.0));
    }

    #[test]
    fn round_trips_of_one_network_hardly_differ_and_those_of_several_do() {
        let spread = |rtts_ms: [f64; 2]| {
            let mut network = Network::zeroed();
            let mut sum = 0.0;
            for connection in 0..400 {
                let rtt_us = rtts_ms[connection % 2] * 1e3;
                network.meet(&traits(rtt_us, 1e6));
                sum += if connection < 200 {
                    0.0
                } else {
                    network.spread() / 200.0
                };
            }
            sum
        };
        assert!(spread([50.0, 55.0]) < 0.004);
        let variance = ((200f64 / 20.0).ln() / 2.0).powi(2);
        assert!((0.8..1.2).contains(&(spread([20.0, 200.0]) / variance)));
    }

    #[test]
    fn they_drift_as_memory_fades() {
        let mut network = Network::zeroed();
        network.add(Protocol::Tcp, &traits(60_000.0, 5e6));
        network.decay(0.5);
        network.add(Protocol::Tcp, &traits(100_000.0, 1e6));
        assert_eq!(network.rtt_ms(), Some(80.0));
        assert_eq!(network.rate_mbit(), Some(24.0));
    }

    #[test]
    fn quic_is_heeded_where_tcp_said_nothing_or_too_long_ago() {
        let mut network = Network::zeroed();
        network.add(Protocol::Quic, &traits(90_000.0, 1e6));
        assert_eq!(network.rtt_ms(), Some(90.0));
        network.add(Protocol::Tcp, &traits(60_000.0, 1e6));
        network.add(Protocol::Quic, &traits(20_000.0, 9e6));
        assert_eq!(
            (network.rtt_ms(), network.rate_mbit()),
            (Some(60.0), Some(8.0))
        );
        network.decay(0.5);
        network.add(Protocol::Quic, &traits(20_000.0, 1e6));
        assert_eq!(network.rtt_ms(), Some(20.0));
    }
}
