//! What a driver tells of its link.

use hdrhistogram::Histogram;
use pronghorn_path::Counters;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::seconds;

/// What one link counted. Always `packets_in` + `duplicated` = `packets_out` + `lost` + `too_big` + `udp_dropped` +
/// `outage_dropped` + `policed` + `queue_dropped` + `aqm_dropped` + `left_behind` + `held`.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "LinkCounters")]
pub struct LinkReport {
    /// What the emulated link has counted.
    #[serde(flatten)]
    pub counters: Counters,
    /// Packets that a TUN device at either end dropped because its ring was full or the kernel had no memory. They are not
    /// part of the path that was asked for. A super-packet that the near device drops counts once.
    pub ring_dropped: u64,
    /// Packets of several segments that the near host's kernel left to the path to divide. The other counters count
    /// segments.
    pub superpackets_in: u64,
    /// Packets of several segments that were given to the far host.
    pub superpackets_out: u64,
    /// Packets of another version of IP than the path's, to groups of IPv6, or of no IP. They don't enter the link.
    pub ignored: u64,
    /// Packets whose headers contradict themselves. They don't enter the link.
    pub malformed: u64,
    /// Packets to an address or port that the NAT no longer has (`rebind_ns`), dropped as they left the link.
    pub nat_dropped: u64,
    /// Corrupted packets that left the link but can't be given to the far host: they no longer say their version of IP, or their TCP header
    /// states an impossible length. Kernels drop these without counting them.
    pub undeliverable: u64,
    /// The time that all packets which left spent at the bottleneck together, waiting and being sent, in seconds.
    pub bottleneck_s: f64,
    /// The shortest time that any packet spent in the link, in seconds. Null where none left.
    pub delay_min_s: Option<f64>,
    /// How late packets left the link against their due time, which counts from when the link's thread took the packet. One
    /// value a packet. A thread that is more than 50 ms late leaves new packets in the device's ring until it caught up, so
    /// overload fills that ring and not the memory.
    pub lateness: Lateness,
    /// How long the link's thread was ready to run without a CPU when it came for packets. One value a batch. Zeros where
    /// the kernel doesn't tell.
    pub intake_wait: Lateness,
    /// How long after a knock of the path's other thread this one looked for packets: a packet's delay begins that much
    /// after it was sent. One value a knock, at most 50 a second while packets come.
    pub wake: Lateness,
    /// How long the far host's kernel took to take and to handle or forward a packet or super-packet. One value each.
    pub handover: Lateness,
    /// Why the link's thread ended; nothing moved since. Absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A distribution of delays in seconds. All are 0 where `count` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "Delays")]
pub struct Lateness {
    /// How many values there are.
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
