//! What a connection of s2n-quic does over time, for the flight recorder.

use std::net::SocketAddr;

use pronghorn_flight::Sample;

use super::connection::S2nConnection;
use crate::flight::{Observed, Seen};

/// A connection that is looked at.
pub(crate) struct Watched {
    pub(crate) connection: S2nConnection,
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
}

impl Observed for Watched {
    fn look(&mut self) -> Seen {
        let state = self.connection.told.state();
        let path = state.path;
        let measured = path.filter(|_| state.acknowledged);
        let sample = Sample {
            cwnd_bytes: path.map(|path| path.window),
            in_flight_bytes: path.map(|path| path.in_flight),
            srtt_s: measured.map(|path| path.smoothed_rtt.as_secs_f64()),
            rttvar_s: measured.map(|path| path.rtt_variance.as_secs_f64()),
            min_rtt_s: measured.map(|path| path.min_rtt.as_secs_f64()),
            delivery_rate_bit_per_s: state.delivery_rate_bit_per_s,
            pacing_rate_bit_per_s: state.pacing_rate_bit_per_s,
            lost_packets: Some(state.lost_packets),
            retransmits: None,
            timeouts: Some(state.timeouts),
            acked_bytes: None,
        };
        Seen {
            local: self.local,
            peer: self.peer,
            program: "s2n-quic",
            control: state.control(),
            mss: (state.udp_payload > 0).then_some(state.udp_payload.into()),
            black_holes: state.black_holes,
            sample,
        }
    }

    fn is_closed(&self) -> bool {
        self.connection.is_closed()
    }

    async fn closed(&self) {
        self.connection.told.closed().await;
    }
}
