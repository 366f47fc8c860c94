//! What a response takes, and what a gateway sees of it.
//!
//! A model of a load over HTTP/2, not a measurement: what counts here is the ratio of the protocols' times, which is the
//! truth's. Its times only have to depend on size and network as real ones do, so that a gateway can't tell the
//! protocols apart by less than it could in the field.

use crate::network::Network;
use crate::random::Random;
use crate::spec::NoiseSpec;

/// What a gateway sees of one response whose last byte was acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) bytes: u64,
    pub(crate) time_us: u64,
    /// On its connection before.
    pub(crate) delivered: u64,
    pub(crate) min_rtt_us: u32,
    pub(crate) sent: u32,
    pub(crate) lost: u32,
    /// 0 where the response was too small to tell.
    pub(crate) rate_bytes_per_s: u64,
}

impl Seen {
    /// What is known of a connection before its first response: its round trip.
    pub(crate) fn of_handshake(min_rtt_us: u32) -> Seen {
        Seen {
            min_rtt_us,
            ..Seen::default()
        }
    }
}

/// What a network carries for one connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacity {
    rtt_s: f64,
    /// Bytes per second in the long run.
    rate: f64,
}

/// A page over one connection.
#[derive(Debug)]
pub(crate) struct Load {
    /// Share of packets that the network loses.
    pub(crate) loss: f64,
    pub(crate) capacity: Capacity,
    /// Of the times to the expected ones.
    pub(crate) factor: f64,
    pub(crate) min_rtt_us: u32,
}

const SEGMENT: f64 = 1400.0;

/// Ten segments (RFC 6928).
pub(crate) const INITIAL_WINDOW: f64 = 10.0 * 1460.0;

/// A response of so many bandwidth-delay products shows the rate.
const BULK: f64 = 4.0;

/// The standard deviation of ln(rate) as it is seen.
const RATE_SD: f64 = 0.1;

/// A round trip as a connection sees its least, beyond the path's own: half-normal, this share of it.
const RTT_SD: f64 = 0.03;

/// The smallest round trip that a connection sees.
pub(crate) fn min_rtt_us(network: &Network, random: &mut Random) -> u32 {
    (network.rtt_ms * 1e3 * (1.0 + RTT_SD * random.normal().abs())) as u32
}

impl Capacity {
    /// Of a network to a sender that takes loss for congestion, or that doesn't: the line's rate, or what loss leaves of
    /// it (Mathis et al., "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm", CCR 27, 1997).
    pub(crate) fn of(network: &Network, loss_based: bool) -> Capacity {
        let line = network.rate_mbit * 1e6 / 8.0;
        let rtt_s = network.rtt_ms / 1e3;
        let rate = if loss_based && network.loss > 0.0 {
            line.min(SEGMENT * 1.22 / (rtt_s * network.loss.sqrt()))
        } else {
            line * (1.0 - network.loss)
        };
        Capacity { rtt_s, rate }
    }

    /// What HTTP/2 is expected to take for so many bytes, in seconds: a round trip for the request, one each time the
    /// `window`, in bytes, doubles up to what the way holds, and the bytes at the rate.
    pub(crate) fn expected_s(&self, bytes: f64, window: f64) -> f64 {
        let filling = bytes.min(self.held());
        self.rtt_s * (1.0 + (1.0 + filling / window).log2()) + bytes / self.rate
    }

    /// The window, in bytes, after so many bytes were acknowledged: it grows by them up to what the way holds.
    pub(crate) fn grown(&self, window: f64, bytes: f64) -> f64 {
        (window + bytes).min(self.held()).max(window)
    }

    fn held(&self) -> f64 {
        self.rate * self.rtt_s
    }
}

impl Load {
    /// One response of so many bytes that is expected to take so long, on a connection that has `delivered` so many.
    pub(crate) fn response(
        &self,
        bytes: f64,
        delivered: f64,
        expected_s: f64,
        noise: &NoiseSpec,
        random: &mut Random,
    ) -> Seen {
        let time_s = expected_s * self.factor * (noise.response * random.normal()).exp();
        let bulk = bytes > BULK * self.capacity.held().max(INITIAL_WINDOW);
        let own = if bulk { noise.own_loss } else { 0.0 };
        let sent = (bytes / SEGMENT).ceil() as u32 + 1;
        let shown = (self.capacity.rate * (RATE_SD * random.normal()).exp()) as u64;
        Seen {
            bytes: bytes as u64,
            time_us: (time_s * 1e6).max(1.0) as u64,
            delivered: delivered as u64,
            min_rtt_us: self.min_rtt_us,
            sent,
            lost: random.binomial(sent, (self.loss + own).min(1.0)),
            rate_bytes_per_s: if bulk { shown } else { 0 },
        }
    }
}
