//! What a driver tells of its link.

use hdrhistogram::Histogram;
use pronghorn_path::Counters;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::seconds;

/// One link: what the path has counted, and what its driver has seen.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "LinkCounters")]
pub struct LinkReport {
    /// What the emulated link has counted.
    #[serde(flatten)]
    pub counters: Counters,
    /// Packets that a TUN device at either end has dropped: its ring was full, or the kernel had no
    /// memory. Not part of the path that was asked for. A super-packet that the near device drops counts once.
    pub ring_dropped: u64,
    /// Packets of several segments that the near host's kernel left to the path to divide. The path decides
    /// on each segment, and all other counters count segments.
    pub superpackets_in: u64,
    /// Packets of several segments given to the far host: segments of one super-packet that left together.
    pub superpackets_out: u64,
    /// Packets that weren't IPv4; they never entered the link.
    pub ignored: u64,
    /// Packets whose headers, or whose device header, contradict themselves; they never entered the link.
    pub malformed: u64,
    /// Packets to an address or port that the NAT no longer has (`PathSpec::rebind_ns`), dropped as they
    /// left the link.
    pub nat_dropped: u64,
    /// Corrupted packets that no kernel would count: their version field no longer says IPv4, which no
    /// device takes, or their TCP header is of a length that can't be. They aren't given to the far host,
    /// and are among those that left the link.
    pub undeliverable: u64,
    /// The time that all packets which left the link have spent at its bottleneck together, waiting and
    /// being sent, in seconds.
    pub bottleneck_s: f64,
    /// The shortest time that any packet spent in the link, in seconds; null where none has left.
    pub delay_min_s: Option<f64>,
    /// How late packets left the link against their due time.
    pub lateness: Lateness,
    /// How long the driver, when it came for packets, had been ready to run without a CPU: at most so
    /// much later than they were sent did these packets enter the link. One value a batch; zeros
    /// where the kernel keeps no such account.
    pub intake_wait: Lateness,
    /// How long after a knock of the path's other driver this one looked for packets. One value a knock, at most fifty a second
    /// while packets come: a sample of how much later than they were sent packets enter the link.
    pub wake: Lateness,
    /// How long the far host's kernel took to take a packet or super-packet from the driver, which includes
    /// what it does with it at once: handling it, or forwarding it to the next device. One value each.
    pub handover: Lateness,
    /// The error that stopped the driver, if one did: nothing has moved since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A distribution of delays in seconds; all zero where `count` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "Delays")]
pub struct Lateness {
    /// Packets, or batches of them.
    pub count: u64,
    /// The mean.
    pub mean_s: f64,
    /// The median.
    pub median_s: f64,
    /// The 99th percentile.
    pub p99_s: f64,
    /// The largest.
    pub max_s: f64,
}

impl Lateness {
    /// Sums up a histogram of nanoseconds.
    pub(crate) fn of(nanoseconds: &Histogram<u32>) -> Lateness {
        Lateness {
            count: nanoseconds.len(),
            mean_s: nanoseconds.mean() / 1e9,
            median_s: seconds(nanoseconds.value_at_quantile(0.5)),
            p99_s: seconds(nanoseconds.value_at_quantile(0.99)),
            max_s: seconds(nanoseconds.max()),
        }
    }
}
