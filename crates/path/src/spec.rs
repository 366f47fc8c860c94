//! What a path and its links are asked to be, as in `docs/engine-protocol.md`.

use serde::{Deserialize, Serialize};

/// Which way a link carries packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the server to the client.
    Down,
    /// From the client to the server.
    Up,
}

impl Direction {
    /// The direction's name in specifications, messages and seeds: `down` or `up`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Direction::Down => "down",
            Direction::Up => "up",
        }
    }
}

/// A path: its two links.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathSpec {
    /// The link from the server to the client.
    pub down: LinkSpec,
    /// The link from the client to the server.
    pub up: LinkSpec,
}

impl PathSpec {
    /// The link of one direction.
    #[must_use]
    pub fn link(&self, direction: Direction) -> &LinkSpec {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }
}

/// One direction of a path. The default is a link that does nothing at all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The constant delay of every packet, in nanoseconds; at most an hour.
    pub delay_ns: u64,
    /// What varies about the delay; none: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// How packets get lost; none: they don't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// The probability that a packet comes twice, from 0 to 1.
    #[serde(default)]
    pub duplicate: f64,
    /// The probability that one random bit of a packet flips, from 0 to 1.
    #[serde(default)]
    pub corrupt: f64,
    /// The bottleneck's rate in bits per second, 1 to 10^12; none: no bottleneck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bit_per_s: Option<u64>,
    /// The bound of the bottleneck's buffer; none: [`Queue::DEFAULT`]. It needs a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
}

/// What varies about a link's delay. The sum of delay and jitter never falls below zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// The shape of the variation.
    pub distribution: Distribution,
    /// Half the width for uniform, the standard deviation for normal, in nanoseconds; at most an hour.
    pub spread_ns: u64,
    /// Whether packets may overtake.
    #[serde(default)]
    pub order: Order,
}

/// The shape of a jitter, around zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Evenly from minus to plus the spread.
    Uniform,
    /// Gaussian, with the spread as its standard deviation.
    Normal,
}

/// What becomes of the packets' order when their delays differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// No packet is due before one that came earlier, as on a link that is one queue.
    #[default]
    Keep,
    /// A packet of a smaller delay overtakes, as in netem without a rate.
    Break,
}

/// How a link loses packets. All fields are probabilities from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Loss {
    /// Each packet for itself.
    Independent {
        /// The probability that a packet is lost.
        probability: f64,
    },
    /// In bursts: a chain of two states, good and bad, which starts in the good one.
    ///
    /// The names in netem's `loss gemodel p r 1-h 1-k`: `enter` is p, `leave` is r, `loss_bad` is
    /// 1-h, `loss_good` is 1-k.
    GilbertElliott {
        /// The probability, a packet, of going from good to bad.
        enter: f64,
        /// The probability, a packet, of going from bad to good.
        leave: f64,
        /// The probability that a packet is lost in the bad state.
        loss_bad: f64,
        /// The probability that a packet is lost in the good state.
        loss_good: f64,
    },
}

/// The bound of the drop-tail buffer before the bottleneck. The packet being serialised counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Queue {
    /// So many bytes, 1 to 10^12. A packet longer than the bound never passes.
    Bytes(u64),
    /// So many packets, 1 to 10^9.
    Packets(u64),
}

impl Queue {
    /// The buffer of a rate without a queue: 1000 packets, which is netem's default `limit`.
    pub const DEFAULT: Queue = Queue::Packets(1000);
}
