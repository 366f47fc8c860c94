//! A congestion controller that counts what passes by it, and leaves every decision to another one.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn::congestion::{Controller, ControllerFactory, ControllerMetrics};
use quinn_proto::RttEstimator;

use super::timeouts;

/// Makes controllers that count.
pub(crate) struct MeteredFactory(pub(crate) Arc<dyn ControllerFactory + Send + Sync>);

impl ControllerFactory for MeteredFactory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Metered {
            controller: Arc::clone(&self.0).build(now, current_mtu),
            small: u64::from(current_mtu) / 4,
            tally: Tally::default(),
        })
    }
}

/// A controller and what it was told.
pub(crate) struct Metered {
    controller: Box<dyn Controller>,
    /// Transmissions smaller than this many bytes are taken for acknowledgements.
    small: u64,
    tally: Tally,
}

/// What a controller was told of its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Bytes of packets that were acknowledged.
    pub(crate) acked_bytes: u64,
    /// Bytes in flight: as quinn has counted them at the last acknowledgement, and what was sent or given up since.
    ///
    /// quinn tells a controller also of packets that elicit no acknowledgement and so are never in flight. These are small, so
    /// small transmissions aren't counted; what that misses is less than a quarter of a packet until the next acknowledgement.
    pub(crate) in_flight_bytes: u64,
    /// Probe timeouts of the connection until its last transmission; none where they aren't counted.
    pub(crate) timeouts: Option<u64>,
}

impl Metered {
    /// What was counted, where `state` is that of a controller that counts.
    pub(crate) fn tally_of(state: &dyn Any) -> Option<Tally> {
        state.downcast_ref::<Metered>().map(|metered| metered.tally)
    }

    /// The state of the controller that decides.
    pub(crate) fn inside(state: Box<dyn Any>) -> Box<dyn Any> {
        match state.downcast::<Metered>() {
            Ok(metered) => metered.controller.into_any(),
            Err(state) => state,
        }
    }
}

impl Controller for Metered {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        if bytes >= self.small {
            self.tally.in_flight_bytes += bytes;
        }
        // A probe timeout is followed by a probe.
        self.tally.timeouts = timeouts::of_current_connection();
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
        self.tally.acked_bytes += bytes;
        self.controller.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        self.tally.in_flight_bytes = in_flight;
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
        self.tally.in_flight_bytes = self.tally.in_flight_bytes.saturating_sub(lost_bytes);
        self.controller
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.controller.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.controller.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.controller.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Metered {
            controller: self.controller.clone_box(),
            small: self.small,
            tally: self.tally,
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

    fn pair(control: QuicCongestionControl) -> [Box<dyn Controller>; 2] {
        let now = Instant::now();
        let bare = control.factory().build(now, 1200);
        let metered = Arc::new(MeteredFactory(control.factory())).build(now, 1200);
        [bare, metered]
    }

    fn tally(controller: &dyn Controller) -> Tally {
        Metered::tally_of(controller.clone_box().into_any().as_ref()).expect("it counts")
    }

    #[test]
    fn every_decision_is_the_other_controllers() {
        for control in [QuicCongestionControl::Cubic, QuicCongestionControl::NewReno] {
            let [mut bare, mut metered] = pair(control);
            let now = Instant::now();
            assert_eq!(metered.initial_window(), bare.initial_window());
            for controller in [&mut bare, &mut metered] {
                controller.on_sent(now, 12_000, 9);
                controller.on_congestion_event(now, now, false, 1200);
                controller.on_mtu_update(1452);
            }
            assert_eq!(metered.window(), bare.window());
            assert_ne!(metered.window(), metered.initial_window());
            let told = [bare.metrics(), metered.metrics()].map(|metrics| metrics.ssthresh);
            assert_eq!(told[0], told[1]);
            let named = QuicCongestionControl::of_state(metered.into_any());
            assert_eq!(named, Some(control));
        }
    }

    #[test]
    fn bytes_in_flight_are_those_of_the_last_acknowledgement_and_what_was_sent_and_lost_since() {
        let [_, mut metered] = pair(QuicCongestionControl::Cubic);
        let now = Instant::now();
        metered.on_sent(now, 12_000, 9);
        metered.on_sent(now, 50, 10);
        assert_eq!(tally(metered.as_ref()).in_flight_bytes, 12_000);
        metered.on_end_acks(now, 9_600, false, Some(1));
        metered.on_sent(now, 2_400, 12);
        metered.on_congestion_event(now, now, false, 1_200);
        assert_eq!(tally(metered.as_ref()).in_flight_bytes, 10_800);
        metered.on_congestion_event(now, now, false, 50_000);
        assert_eq!(tally(metered.as_ref()).in_flight_bytes, 0);
    }
}
