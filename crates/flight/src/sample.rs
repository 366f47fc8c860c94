//! What a stack tells of a connection's sending at one time, and many of these as columns.

use schemars::JsonSchema;
use serde::Serialize;

/// Defines [`Sample`] and [`Columns`] with the same fields.
macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident: $unit:ty,)*) => {
        /// What one end's stack tells of its sending at one time. A figure that it doesn't tell is none.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Sample {
            $($(#[$doc])* pub $name: Option<$unit>,)*
        }

        /// Samples as columns of one length, with null where the stack doesn't tell. A sample that equals the one before except for its
        /// time is left out. Counts are since the connection's beginning.
        #[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
        pub struct Columns {
            /// When each was taken, in seconds since `clock_base_monotonic_s`.
            pub at_s: Vec<f64>,
            $($(#[$doc])* pub $name: Vec<Option<$unit>>,)*
        }

        impl Columns {
            pub(crate) fn push(&mut self, at_s: f64, sample: &Sample) {
                self.at_s.push(at_s);
                $(self.$name.push(sample.$name);)*
            }
        }
    };
}

figures! {
    /// The congestion window in bytes. TCP: `snd_cwnd` × `snd_mss`. QUIC: the controller's window.
    cwnd_bytes: u64,
    /// Bytes that are sent and neither acknowledged nor given up. TCP: (`unacked` − `sacked` − `lost` + `retrans`) ×
    /// `snd_mss`. QUIC: as quinn counted at the last acknowledgement, and what was sent and given up since; within a
    /// quarter of a packet.
    in_flight_bytes: u64,
    /// The smoothed round-trip time in seconds. QUIC: null before the first acknowledgement.
    srtt_s: f64,
    /// The variation of the round-trip time in seconds. QUIC: null.
    rttvar_s: f64,
    /// The smallest round-trip time in seconds. TCP: of the last five minutes. QUIC: null before the first acknowledgement.
    min_rtt_s: f64,
    /// TCP's estimate of the rate at which data arrives, in bits per second. QUIC: null.
    delivery_rate_bit_per_s: u64,
    /// The pacing rate in bits per second. TCP: also where nothing is paced. QUIC: BBR's, null of others.
    pacing_rate_bit_per_s: u64,
    /// Packets given up as lost. TCP: null, the kernel tells only of what is not sent again yet. QUIC: probes of the MTU not
    /// counted.
    lost_packets: u64,
    /// Segments sent again. QUIC: null, it sends no packet again.
    retransmits: u64,
    /// Timeouts. TCP: `total_rto` (since Linux 6.7). QUIC: PTOs that ran out.
    timeouts: u64,
    /// Bytes that were acknowledged. TCP: payload, TLS included. QUIC: of whole packets.
    acked_bytes: u64,
}
