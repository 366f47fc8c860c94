//! Room in a server's congestion window for a handshake that lost packets.
//!
//! A server that answers early data sends packets that its client can neither read nor acknowledge before it has the whole
//! ServerHello. Where a packet of the ServerHello is lost, the window shrinks below what is in flight, and what was lost waits for a
//! window that nothing can open: quinn 0.11 sends probes where packets are unacknowledged, not where they are known to be lost,
//! so that the connection hangs until it idles out. (The deadlock was discussed as quicwg/base-drafts issue 2984; a post-quantum key exchange,
//! whose ServerHello takes two datagrams, makes it common.)
//!
//! RFC 9002, section 7.3.2, lets a sender send a packet on entering recovery before the window is reduced, so that what was lost goes at once.
//! That is done here for as many bytes as were lost, while the client hasn't finished its handshake and no longer.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use quinn::congestion::{Controller, ControllerFactory, ControllerMetrics};
use quinn_proto::RttEstimator;

/// Beyond the window before the loss: what probes may have added to what is in flight. Ten doublings of a probe timeout outlast quinn's
/// idle timeout.
const PROBES_BYTES: u64 = 10 * 2 * 1500;

/// Makes controllers that leave room.
pub(crate) struct HandshakeRoomFactory(pub(crate) Arc<dyn ControllerFactory + Send + Sync>);

impl ControllerFactory for HandshakeRoomFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(HandshakeRoom {
            controller: Arc::clone(&self.0).build(now, current_mtu),
            shaking_hands: Arc::default(),
            room: 0,
            ceiling: 0,
        })
    }
}

/// A controller, and what may be sent beyond its window.
pub(crate) struct HandshakeRoom {
    controller: Box<dyn Controller>,
    shaking_hands: Arc<AtomicBool>,
    /// Bytes that were lost and not sent again.
    room: u64,
    /// The window as long as there is room.
    ceiling: u64,
}

impl HandshakeRoom {
    /// The state of the controller that decides.
    pub(crate) fn inside(state: Box<dyn Any>) -> Box<dyn Any> {
        match state.downcast::<HandshakeRoom>() {
            Ok(room) => room.controller.into_any(),
            Err(state) => state,
        }
    }

    fn has_room(&self) -> bool {
        self.room > 0 && self.shaking_hands.load(Ordering::Relaxed)
    }
}

/// Says that a connection answers early data of a client that hasn't finished its handshake, until it is dropped.
#[derive(Debug)]
#[must_use = "the handshake counts as finished once this is dropped"]
pub struct ShakingHands(Option<Arc<AtomicBool>>);

impl ShakingHands {
    /// Of a server's connection that was handed over before its handshake was done.
    pub fn on(connection: &quinn::Connection) -> ShakingHands {
        let state = crate::flight::Metered::inside(connection.congestion_state().into_any());
        let flag = state.downcast::<HandshakeRoom>().ok();
        let flag = flag.map(|room| Arc::clone(&room.shaking_hands));
        if let Some(flag) = &flag {
            flag.store(true, Ordering::Relaxed);
        }
        ShakingHands(flag)
    }
}

impl Drop for ShakingHands {
    fn drop(&mut self) {
        if let Some(flag) = &self.0 {
            flag.store(false, Ordering::Relaxed);
        }
    }
}

impl Controller for HandshakeRoom {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.room = self.room.saturating_sub(bytes);
        self.controller.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.controller.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        self.controller
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        if self.shaking_hands.load(Ordering::Relaxed) {
            self.ceiling = self.controller.window().max(self.ceiling);
            self.room = self.room.saturating_add(lost_bytes);
        }
        self.controller
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.controller.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        let window = self.controller.window();
        if self.has_room() {
            window.max(self.ceiling).saturating_add(PROBES_BYTES)
        } else {
            window
        }
    }

    fn metrics(&self) -> ControllerMetrics {
        self.controller.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(HandshakeRoom {
            controller: self.controller.clone_box(),
            shaking_hands: Arc::clone(&self.shaking_hands),
            room: self.room,
            ceiling: self.ceiling,
        })
    }

    fn initial_window(&self) -> u64 {
        self.controller.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuicCongestionControl;

    const LOST: u64 = 1200;

    fn room(control: QuicCongestionControl, shaking_hands: bool) -> Box<HandshakeRoom> {
        let made = Arc::new(HandshakeRoomFactory(control.factory())).build(Instant::now(), 1200);
        let room = made.into_any().downcast::<HandshakeRoom>();
        let room = room.expect("a controller that leaves room");
        room.shaking_hands.store(shaking_hands, Ordering::Relaxed);
        room
    }

    fn filled_and_lost(control: QuicCongestionControl, shaking_hands: bool) -> Box<HandshakeRoom> {
        let (mut room, now) = (room(control, shaking_hands), Instant::now());
        room.on_sent(now, room.initial_window(), 9);
        room.on_congestion_event(now, now, false, LOST);
        room
    }

    #[test]
    fn what_a_handshake_lost_may_be_sent_again_though_the_window_is_full() {
        for control in [QuicCongestionControl::Cubic, QuicCongestionControl::NewReno] {
            let mut room = filled_and_lost(control, true);
            let in_flight = room.initial_window() - LOST;
            assert!(room.controller.window() < in_flight + LOST, "it is full");
            assert!(room.window() > in_flight + LOST);
            room.on_sent(Instant::now(), LOST, 10);
            assert_eq!(room.window(), room.controller.window(), "once");
        }
    }

    #[test]
    fn a_handshake_that_is_done_leaves_the_window_to_the_controller() {
        let (room, now) = (
            filled_and_lost(QuicCongestionControl::Cubic, false),
            Instant::now(),
        );
        let mut bare = QuicCongestionControl::Cubic.factory().build(now, 1200);
        bare.on_sent(now, bare.initial_window(), 9);
        bare.on_congestion_event(now, now, false, LOST);
        assert_eq!(room.window(), bare.window());
        let ended = filled_and_lost(QuicCongestionControl::Cubic, true);
        ended.shaking_hands.store(false, Ordering::Relaxed);
        assert_eq!(ended.window(), bare.window());
    }

    #[test]
    fn the_controller_is_known_by_its_own_name() {
        for control in [QuicCongestionControl::Cubic, QuicCongestionControl::Bbr] {
            let state = room(control, true).into_any();
            assert_eq!(QuicCongestionControl::of_state(state), Some(control));
        }
    }
}
