//! What was seen of a transfer.

use std::time::Duration;

use pronghorn_path::Counters;
use quinn_proto::ConnectionStats;

/// A transfer that ended with its last byte. Times count from the first packet of the handshake.
#[derive(Clone, Debug)]
pub struct Record {
    /// Bytes asked for, all of which came.
    pub bytes: u64,
    /// When the client had a connection and sent its request.
    pub requested: Duration,
    /// When the client read the response's first byte.
    pub first_byte: Duration,
    /// When the client read its last.
    pub last_byte: Duration,
    /// Whatever the server's congestion controller was told, in the order of events.
    pub samples: Vec<Sample>,
    /// quinn's own counts at the client.
    pub client: ConnectionStats,
    /// quinn's own counts at the server.
    pub server: ConnectionStats,
    /// What the link from the server to the client did.
    pub down: Counters,
    /// What the link from the client to the server did.
    pub up: Counters,
}

impl Record {
    /// Bits of the response a second, from the first packet of the handshake to the response's last byte.
    #[must_use]
    pub fn goodput_bit_per_s(&self) -> f64 {
        self.bytes as f64 * 8.0 / self.last_byte.as_secs_f64()
    }

    /// Bits of the response a second, from the request to the response's last byte.
    #[must_use]
    pub fn goodput_since_request_bit_per_s(&self) -> f64 {
        let time = self.last_byte.saturating_sub(self.requested);
        self.bytes as f64 * 8.0 / time.as_secs_f64()
    }
}

/// A congestion controller after it was told something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Virtual time since the handshake's first packet.
    pub at: Duration,
    /// What it was told.
    pub cause: Cause,
    /// Its congestion window since, in bytes.
    pub window: u64,
    /// Its slow start threshold since, in bytes; none where it has no such thing.
    pub threshold: Option<u64>,
    /// The smoothed round trip that it was last told of, which is the one before the latest acknowledgement's; none before.
    pub rtt: Option<Duration>,
}

impl Sample {
    /// Whether the controller is in slow start: below its threshold (RFC 9002, section 7.3). False for one without.
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.threshold
            .is_some_and(|threshold| self.window < threshold)
    }
}

/// What a congestion controller is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Datagrams were sent at once.
    Sent {
        /// Their UDP payloads, in bytes.
        bytes: u64,
    },
    /// An acknowledgement came.
    Acked {
        /// Bytes that it acknowledged for the first time, of packets that ask for acknowledgement.
        bytes: u64,
        /// Bytes then still under way, those not included that the same acknowledgement shows to be lost.
        in_flight: u64,
        /// Whether the application, and not the window or pacing, held the sender back before.
        app_limited: bool,
    },
    /// Packets were lost, or marked by the path.
    Congestion {
        /// When the latest of them had been sent.
        sent: Duration,
        /// Their bytes; zero where they were marked.
        lost_bytes: u64,
        /// Whether it amounts to persistent congestion (RFC 9002, section 7.6).
        persistent: bool,
        /// The window before, in bytes.
        before: u64,
    },
    /// Datagrams of this size are known to pass, or black holes to swallow longer ones.
    Mtu {
        /// UDP payload, in bytes.
        bytes: u16,
    },
}
