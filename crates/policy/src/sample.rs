//! What is told of one response, and what of it is believed.

use crate::math;

/// An outcome's logarithm lies within ± this, so that one sample moves a mean by a bounded amount: e^6 is 403 times the reference.
pub const CLIP: f64 = 6.0;

/// A response that its connection's death cut off counts as if it had taken e^this, four times, as long as until the death: the
/// client has at least to ask again.
const STALL: f64 = 1.386_294_361_119_890_6;

/// Strata of responses; only within one are protocols compared: by size (below 16 kB, below 128 kB, more), over a connection whose window is cold,
/// and over a warm one. Who comes back comes by TCP first, so that of TCP's responses more are over cold ones than of QUIC's.
pub(crate) const STRATA: usize = 2 * SIZES;
const SIZES: usize = 3;
const SIZE_ENDS: [u64; SIZES - 1] = [16_000, 128_000];
/// A connection that delivered so much is warm: its window has doubled three times from ten segments (RFC 6928).
const WARM_FROM: u64 = 100_000;

/// Longer than an hour is no response but a clock's mistake.
const TIME_MOST_US: u64 = 3_600_000_000;
const RTT_US: core::ops::RangeInclusive<u32> = 1..=60_000_000;
/// 400 Gbit/s.
const RATE_MOST: u64 = 50_000_000_000;
/// Packets of one sample beyond this say no more.
const PACKETS_MOST: u32 = 1_000_000;

/// What a response came by, or a client asks by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// HTTP/1.1 or 2.
    Tcp = 0,
    /// HTTP/3.
    Quic = 1,
}

/// What the server's TCP connections are controlled by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TcpControl {
    /// Not told: what was told last counts, else cubic.
    #[default]
    Unknown = 0,
    /// CUBIC.
    Cubic = 1,
    /// BBR, whichever version the kernel has.
    Bbr = 2,
    /// Reno.
    Reno = 3,
}

impl TcpControl {
    /// By the C ABI's number; others are unknown.
    pub fn of(number: u8) -> TcpControl {
        match number {
            1 => TcpControl::Cubic,
            2 => TcpControl::Bbr,
            3 => TcpControl::Reno,
            _ => TcpControl::Unknown,
        }
    }
}

/// One response whose last byte was acknowledged, or that its connection's death left unacknowledged.
/// Without bytes or time it is no outcome, but what it says of the network counts all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Of the response: head and body.
    pub bytes: u64,
    /// From the request's first byte to the last byte's acknowledgement, or to the connection's death.
    pub time_us: u64,
    /// Delivery rate; 0: unknown, or limited by the application.
    pub rate_bytes_per_s: u64,
    /// The smallest of the connection; 0: unknown.
    pub min_rtt_us: u32,
    /// Packets, on the connection since its last sample.
    pub sent: u32,
    /// Of these, those that the sender took for lost.
    pub lost: u32,
    /// What TCP connections are controlled by, whatever this sample's protocol.
    pub tcp_control: TcpControl,
    /// The connection died with bytes of the response unacknowledged.
    pub stalled: bool,
    /// What its connection had delivered before the response began, in bytes.
    pub delivered: u64,
    /// It came about in a dry run: whoever sent it was treated as no arm says.
    pub dry_run: bool,
}

/// How a response went, as far as arms are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Only within one are arms compared.
    pub stratum: usize,
    /// ln(time / a reference of its size), within ± [`CLIP`].
    pub x: f64,
}

/// What a sample says of the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traits {
    pub(crate) rtt_us: Option<f64>,
    pub(crate) rate_bytes_per_s: Option<f64>,
    pub(crate) sent: f64,
    pub(crate) lost: f64,
}

impl Sample {
    /// None where there is no outcome to be believed.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.bytes == 0 || self.time_us == 0 || self.time_us > TIME_MOST_US {
            return None;
        }
        let size = SIZE_ENDS.iter().filter(|end| self.bytes >= **end).count();
        let is_warm = self.delivered >= WARM_FROM;
        let stratum = size + if is_warm { SIZES } else { 0 };
        let x = math::ln(self.time_us as f64 / reference_us(self.bytes));
        let x = if self.stalled { x + STALL } else { x };
        Some(Outcome {
            stratum,
            x: x.clamp(-CLIP, CLIP),
        })
    }

    pub(crate) fn traits(&self) -> Traits {
        let sent = self.sent.min(PACKETS_MOST);
        let rate = self.rate_bytes_per_s;
        Traits {
            rtt_us: RTT_US
                .contains(&self.min_rtt_us)
                .then_some(f64::from(self.min_rtt_us)),
            rate_bytes_per_s: (rate > 0 && rate <= RATE_MOST).then_some(rate as f64),
            sent: f64::from(sent),
            lost: f64::from(self.lost.min(sent)),
        }
    }
}

impl Traits {
    pub(crate) fn say_something(&self) -> bool {
        self.rtt_us.is_some() || self.rate_bytes_per_s.is_some() || self.sent > 0.0
    }
}

/// The time against which responses of a size are held, the same for both arms: 50 ms and 10 Mbit/s. It only takes out most of what
/// sizes within a stratum differ by; nothing depends on its level.
fn reference_us(bytes: u64) -> f64 {
    50_000.0 + 0.8 * bytes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(bytes: u64, time_us: u64) -> Sample {
        Sample {
            bytes,
            time_us,
            ..Sample::default()
        }
    }

    #[test]
    fn strata_are_divided_by_size_and_by_whether_the_connection_is_warm() {
        let stratum = |bytes, delivered| {
            let sample = Sample {
                delivered,
                ..sample(bytes, 1000)
            };
            sample.outcome().map(|outcome| outcome.stratum)
        };
        assert_eq!(stratum(15_999, 0), Some(0));
        assert_eq!(stratum(16_000, 0), Some(1));
        assert_eq!(stratum(u64::MAX, 99_999), Some(2));
        assert_eq!(stratum(15_999, 100_000), Some(3));
        assert_eq!(stratum(u64::MAX, u64::MAX), Some(STRATA - 1));
    }

    #[test]
    fn what_took_no_time_or_hours_is_no_outcome() {
        assert_eq!(sample(1000, 0).outcome(), None);
        assert_eq!(sample(0, 1000).outcome(), None);
        assert_eq!(sample(1000, TIME_MOST_US + 1).outcome(), None);
    }

    #[test]
    fn an_outcome_is_bounded() {
        let x = |bytes, time_us| sample(bytes, time_us).outcome().map(|outcome| outcome.x);
        assert_eq!(x(1, TIME_MOST_US), Some(CLIP));
        assert_eq!(x(u64::MAX, 1), Some(-CLIP));
    }

    #[test]
    fn a_stall_counts_as_four_times_as_long() {
        let whole = sample(10_000, 400_000).outcome().expect("an outcome");
        let stalled = Sample {
            stalled: true,
            ..sample(10_000, 100_000)
        };
        let cut = stalled.outcome().expect("an outcome");
        assert!((whole.x - cut.x).abs() < 1e-12);
    }

    #[test]
    fn no_more_packets_are_lost_than_were_sent() {
        let traits = Sample {
            sent: 5,
            lost: 9,
            ..Sample::default()
        }
        .traits();
        assert_eq!((traits.sent, traits.lost), (5.0, 5.0));
    }

    #[test]
    fn absurd_round_trips_and_rates_are_unknown() {
        let traits = Sample {
            min_rtt_us: 60_000_001,
            rate_bytes_per_s: u64::MAX,
            ..Sample::default()
        }
        .traits();
        assert_eq!((traits.rtt_us, traits.rate_bytes_per_s), (None, None));
    }
}
