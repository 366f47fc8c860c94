//! What a path and its links are asked to be, which are also the engine's protocol: their doc comments stand in
//! `docs/engine-protocol.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::family::Family;
use crate::far::Far;

/// Which way a link carries packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the server to the client.
    #[default]
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

/// A path: its two links, and what concerns both. Its own time starts with its first packet.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathSpec {
    /// The link from the server to the client.
    pub down: LinkSpec,
    /// The link from the client to the server.
    pub up: LinkSpec,
    /// The version of IP that the hosts speak over it, 4 or 6. Absent: 4.
    #[serde(default, skip_serializing_if = "Family::is_four")]
    pub family: Family,
    /// When a NAT before the client gives its flows other addresses and ports, in nanoseconds since the path's first packet,
    /// ascending. The mappings before are then gone. With IPv6 there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rebind_ns: Vec<u64>,
    /// TCP flows that share both links with what is measured. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross: Option<Cross>,
    /// When the client moves to another network, and to which. Absent: it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Box<Handover>>,
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

    /// A path of this one's constant delays ([`LinkSpec::delay_ns`]) and nothing else.
    #[must_use]
    pub fn delays_alone(&self) -> PathSpec {
        let delay = |link: &LinkSpec| LinkSpec {
            delay_ns: link.delay_ns,
            far: link.far.clone(),
            ..LinkSpec::default()
        };
        PathSpec {
            down: delay(&self.down),
            up: delay(&self.up),
            family: self.family,
            ..PathSpec::default()
        }
    }
}

/// A client's move to another network under way: its address and what is inside the links are lost, and both directions
/// go on over another path.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handover {
    /// When, in nanoseconds since the path's first packet.
    pub at_ns: u64,
    /// The other path, of the same `family`. Its own time starts at that instant. Neither path may have `rebind_ns` or
    /// `cross`, nor this one a `handover`.
    pub path: PathSpec,
}

/// Bulk TCP flows of the hosts' kernels, between addresses of their own.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cross {
    /// How many flows, 1 to 64.
    pub flows: u32,
    /// The kernel's name of the flows' congestion control.
    pub tcp_congestion_control: String,
    /// Which way the flows send.
    #[serde(default)]
    pub direction: Direction,
    /// How long the flows send before `open` or `begin` answers, in nanoseconds. At most an hour.
    #[serde(default)]
    pub warmup_ns: u64,
}

/// One direction of a path (paths.md). The default is a link that does nothing at all.
///
/// Where a field's time counts "since the start", that is the link's first packet.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The longest IP packet that passes. Absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Mtu>,
    /// What happens to UDP other than DNS, before anything else. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub udp: Option<Udp>,
    /// When the link loses everything. Absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage: Option<Outage>,
    /// The constant delay of every packet, in nanoseconds. At most an hour.
    #[serde(default)]
    pub delay_ns: u64,
    /// Destinations whose packets are delayed for longer, each of them once; a bench sets them.
    #[serde(skip)]
    pub far: Vec<Far>,
    /// What varies about the delay. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// Which packets skip the delay and so overtake. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder: Option<Reorder>,
    /// How packets get lost. Absent: they don't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// The probability that a packet comes twice, from 0 to 1.
    #[serde(default)]
    pub duplicate: f64,
    /// The correlation of one packet's duplication with the one before, from 0 to 1.
    #[serde(default)]
    pub duplicate_correlation: f64,
    /// The probability that one random bit of a packet flips, from 0 to 1.
    #[serde(default)]
    pub corrupt: f64,
    /// The correlation of one packet's corruption with the one before, from 0 to 1.
    #[serde(default)]
    pub corrupt_correlation: f64,
    /// The token bucket that drops what exceeds it, before the queue. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub police: Option<TokenBucket>,
    /// The bottleneck's rate in bits per second, 1 to 10^12. Absent: no bottleneck, unless there is a trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bit_per_s: Option<u64>,
    /// What a packet takes on the wire beyond its own bytes. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Overhead>,
    /// Instead of a rate, the times at which the bottleneck can deliver: a Mahimahi trace. Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The bound of the bottleneck's buffer. Absent: 1000 packets. It needs a rate, a trace or a schedule of rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
    /// Active queue management of that buffer. Absent: drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aqm: Option<Aqm>,
    /// Values of the above that change over time. Absent: they stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
}

/// The longest packet that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mtu {
    /// In bytes of the IP packet, 68 (RFC 791) to 65535, with IPv6 from 1280 (RFC 8200). Nothing is fragmented.
    pub bytes: u32,
    /// Whether the sender is told (ICMP "fragmentation needed", RFC 1191; ICMPv6 "packet too big", RFC 4443). False: the path
    /// is a black hole to longer packets.
    #[serde(default)]
    pub icmp: bool,
}

/// What happens to UDP other than DNS. Everything else passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Udp {
    /// All of it is dropped.
    Block,
    /// What exceeds the bucket is dropped.
    Police(TokenBucket),
}

/// A token bucket, full at first (RFC 2697, with one rate and one burst).
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenBucket {
    /// Bits per second of IP packets, 1 to 10^12.
    pub rate_bit_per_s: u64,
    /// Bytes that may pass at once, 1 to 10^12. A packet longer than that never passes.
    pub burst_bytes: u64,
}

/// When a link loses everything that enters it.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Outage {
    /// At known times.
    Scheduled {
        /// Ascending and apart.
        windows: Vec<Window>,
        /// After how many nanoseconds it all begins again. Absent: never.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repeat_ns: Option<u64>,
    },
    /// At random, as Mahimahi's mm-onoff: on first, the lengths of on and off drawn from exponential distributions.
    Random {
        /// Mean of the time on, in nanoseconds, a millisecond to an hour.
        on_mean_ns: u64,
        /// Mean of the time off, in nanoseconds, a millisecond to an hour.
        off_mean_ns: u64,
    },
}

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Its start, in nanoseconds since the start of the path.
    pub at_ns: u64,
    /// Its length, in nanoseconds.
    pub for_ns: u64,
}

/// What varies about a link's delay. The sum of delay and jitter never falls below zero.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// The shape of the variation.
    pub distribution: Distribution,
    /// Half the width for `uniform`, the standard deviation for `normal`, netem's `JITTER` for the others, in
    /// nanoseconds. At most an hour.
    pub spread_ns: u64,
    /// The correlation of one packet's jitter with the one before, from 0 to 1.
    #[serde(default)]
    pub correlation: f64,
    /// For `table` alone: the content of one of netem's `.dist` files, whole numbers in units of spread / 8192. At most 1 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Whether packets may overtake.
    #[serde(default)]
    pub order: Order,
}

/// The shape of a jitter, around zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "JitterDistribution")]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Evenly from minus to plus the spread.
    #[default]
    Uniform,
    /// Gaussian, with the spread as its standard deviation.
    Normal,
    /// Pareto as iproute2 makes it for netem.
    Pareto,
    /// A quarter normal and three quarters Pareto, as iproute2 makes it for netem.
    ParetoNormal,
    /// As `table` says.
    Table,
}

/// What becomes of the packets' order when their delays differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "JitterOrder")]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// No packet is due before one that came earlier, as on a link that is one queue.
    #[default]
    Keep,
    /// A packet of a smaller delay overtakes, as in netem without a rate.
    Break,
}

/// Packets that are not delayed, so that they overtake those which are (netem's `reorder`).
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reorder {
    /// The probability that a candidate isn't delayed, from 0 to 1.
    pub probability: f64,
    /// The correlation with the candidate before, from 0 to 1.
    #[serde(default)]
    pub correlation: f64,
    /// Every how many packets one is a candidate, 1 to 10^9.
    #[serde(default = "one")]
    pub gap: u32,
}

fn one() -> u32 {
    1
}

/// How a link loses packets. Probabilities and correlations are from 0 to 1.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Loss {
    /// Each packet by one probability.
    Independent {
        /// The probability that a packet is lost.
        probability: f64,
        /// The correlation of one packet's loss with the one before.
        #[serde(default)]
        correlation: f64,
        /// The most packets lost in a row, 1 to 10^9; the next one then passes. Absent: no bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        longest_burst: Option<u32>,
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
    /// netem's `loss state p13 p31 p32 p23 p14`: a Markov chain of four states (Salsano, Ludovici, Ordine,
    /// "Definition of a general and intuitive loss model for packet networks", 2009).
    FourState {
        /// From good to a loss within a burst.
        p13: f64,
        /// From a loss within a burst to good.
        p31: f64,
        /// From a loss within a burst to a packet received within a burst.
        p32: f64,
        /// From a packet received within a burst to a loss within a burst.
        p23: f64,
        /// From good to an isolated loss.
        p14: f64,
    },
    /// These packets and no others.
    Packets {
        /// Their places among the packets that enter the link, the first being 1; ascending.
        numbers: Vec<u64>,
    },
}

impl Loss {
    /// Each packet for itself, by one probability.
    #[must_use]
    pub fn independent(probability: f64) -> Loss {
        Loss::Independent {
            probability,
            correlation: 0.0,
            longest_burst: None,
        }
    }
}

/// What a packet takes on the wire beyond its own bytes (netem's `rate RATE OVERHEAD CELLSIZE CELLOVERHEAD`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overhead {
    /// Bytes added to each packet, -65535 to 65535; a packet takes at least one byte.
    #[serde(default)]
    pub packet_bytes: i32,
    /// Payload of a cell in bytes, 1 to 65535 (48 for ATM). A packet takes whole cells. Absent: no cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_bytes: Option<u32>,
    /// Bytes added to each cell, 0 to 65535 (5 for ATM).
    #[serde(default)]
    pub cell_overhead_bytes: u32,
}

/// A trace of packet deliveries (Mahimahi, mm-link(1)). Each line is the millisecond at which 1504 bytes can leave; a packet
/// takes 4 bytes beside its own, as there.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The trace's content, at most 16 MiB.
    pub text: String,
    /// Whether it begins again at its end, as Mahimahi's do. False: nothing leaves after its end.
    #[serde(default = "yes")]
    pub repeat: bool,
}

fn yes() -> bool {
    true
}

/// Values of a link that change over time, step by step.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// CSV, at most 16 MiB: a header of `time` and parameters, then a line for each change, times ascending.
    pub text: String,
    /// After how many nanoseconds it begins again. Absent: the last line stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_ns: Option<u64>,
}

/// The bound of the buffer before the bottleneck. The packet being serialised counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// In bytes, 1 to 10^12. A packet longer than the bound never passes.
    Bytes(u64),
    /// In packets, 1 to 10^9.
    Packets(u64),
    /// In nanoseconds of the rate at the time of entry (of a trace: its mean), 1 to an hour. At least one packet fits.
    TimeNs(u64),
}

impl Queue {
    /// The buffer of a rate without a queue: 1000 packets, which is netem's default `limit`.
    pub const DEFAULT: Queue = Queue::Packets(1000);
}

/// Active queue management.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "discipline", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Aqm {
    /// CoDel (RFC 8289).
    Codel {
        /// The standing delay that is accepted, in nanoseconds; 5 ms in the RFC.
        target_ns: u64,
        /// How long the delay must stand, in nanoseconds; 100 ms in the RFC.
        interval_ns: u64,
        /// Whether packets that allow it are marked (RFC 3168) instead of dropped.
        #[serde(default)]
        ecn: bool,
    },
    /// FQ-CoDel (RFC 8290).
    FqCodel {
        /// As with CoDel.
        target_ns: u64,
        /// As with CoDel.
        interval_ns: u64,
        /// Queues that flows are hashed to, 1 to 65536; 1024 in the RFC.
        flows: u32,
        /// Bytes a queue may send a round, 1 to 1000000; in the RFC the MTU with its Ethernet header, 1514.
        quantum_bytes: u32,
        /// As with CoDel.
        #[serde(default)]
        ecn: bool,
    },
}
