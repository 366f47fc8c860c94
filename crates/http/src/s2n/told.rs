//! What s2n-quic tells of a connection, event by event, kept as it stands now.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::order::Order;
use crate::QuicCongestionControl;

/// What one connection has told. Shared by its subscriber and whoever asks.
#[derive(Debug)]
pub(super) struct Told {
    state: Mutex<State>,
    closed: watch::Sender<bool>,
}

/// As it stands now. Until an event tells, figures are none or 0.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) path: Option<Path>,
    pub(super) delivery_rate_bit_per_s: Option<u64>,
    pub(super) pacing_rate_bit_per_s: Option<u64>,
    pub(super) lost_packets: u64,
    pub(super) timeouts: u64,
    pub(super) udp_payload: u16,
    pub(super) black_holes: u64,
    pub(super) order: Order,
    /// The window that the first of its figures told: nothing had changed it.
    pub(super) first_window: Option<u64>,
    /// Whether a packet was ever acknowledged: before, the round trip is RFC 9002's initial one (§6.2.2).
    pub(super) acknowledged: bool,
    /// Whether BBR's events came, which CUBIC has none of.
    bbr: bool,
    probes: u32,
}

/// The figures of the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub(super) window: u64,
    pub(super) in_flight: u64,
    pub(super) smoothed_rtt: Duration,
    pub(super) rtt_variance: Duration,
    pub(super) min_rtt: Duration,
}

impl Told {
    pub(super) fn new() -> Told {
        Told {
            state: Mutex::default(),
            closed: watch::Sender::new(false),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn close(&self) {
        self.state().order.end();
        self.closed.send_replace(true);
    }

    pub(super) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    pub(super) async fn closed(&self) {
        // The sender lives as long as this does.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }
}

impl State {
    /// The controller by its events: at each acknowledgement BBR tells a delivery rate, CUBIC doesn't. None before one.
    pub(super) fn control(&self) -> Option<QuicCongestionControl> {
        match (self.bbr, self.acknowledged) {
            (true, _) => Some(QuicCongestionControl::Bbr2),
            (false, true) => Some(QuicCongestionControl::Cubic),
            (false, false) => None,
        }
    }

    pub(super) fn bbr_told(&mut self) {
        self.bbr = true;
    }

    /// The path's figures after an acknowledgement, a loss or a timeout; `probes` counts PTOs in a row.
    pub(super) fn path_told(&mut self, path: Path, probes: u32) {
        self.timeouts += u64::from(probes.saturating_sub(self.probes));
        self.probes = probes;
        self.first_window.get_or_insert(path.window);
        self.path = Some(path);
        self.make_room();
    }

    /// A packet was sent. Acknowledgements alone don't count against the window; the next figures say so.
    pub(super) fn packet_sent(&mut self, bytes: u64) {
        if let Some(path) = &mut self.path {
            path.in_flight += bytes;
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        let room = self
            .path
            .map(|path| path.window.saturating_sub(path.in_flight));
        self.order.make_room(room.unwrap_or(0));
    }
}
