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

        /// Samples as columns of the same length.
        #[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
        pub struct Columns {
            /// When each was taken, in seconds since the recording began.
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
    /// The congestion window, in bytes.
    cwnd_bytes: u64,
    /// Bytes that are sent and neither acknowledged nor given up as lost.
    in_flight_bytes: u64,
    /// The smoothed round-trip time, in seconds.
    srtt_s: f64,
    /// The variation of the round-trip time, in seconds (RFC 6298's RTTVAR, RFC 9002's rttvar).
    rttvar_s: f64,
    /// The smallest round-trip time that the stack remembers, in seconds.
    min_rtt_s: f64,
    /// The stack's estimate of the rate at which data arrives, in bits per second.
    delivery_rate_bit_per_s: u64,
    /// The rate at which it paces, in bits per second.
    pacing_rate_bit_per_s: u64,
    /// Packets given up as lost, since the connection began.
    lost_packets: u64,
    /// Segments sent again, since the connection began.
    retransmits: u64,
    /// Retransmission timeouts (TCP) and probe timeouts (QUIC) that ran out, since the connection began.
    timeouts: u64,
    /// Bytes that were acknowledged, since the connection began.
    acked_bytes: u64,
}
