//! Notes on a congestion controller, taken from inside.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::clock::Clock;
use crate::record::{Cause, Sample};

/// The notes on one connection's controller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<Sample>>>);

impl Notes {
    pub(crate) fn take(&self) -> Vec<Sample> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, sample: Sample) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(sample);
    }
}

/// Makes another factory's controllers, on which it takes notes.
pub(crate) struct Watching {
    pub(crate) factory: Arc<dyn ControllerFactory + Send + Sync>,
    pub(crate) clock: Clock,
    pub(crate) notes: Notes,
}

impl ControllerFactory for Watching {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Watched {
            controller: self.factory.clone().build(now, current_mtu),
            clock: self.clock,
            notes: self.notes.clone(),
            acked_bytes: 0,
            mtu: None,
            rtt: None,
        })
    }
}

/// A controller, and somebody who writes down what it is told and what it makes of that.
struct Watched {
    controller: Box<dyn Controller>,
    clock: Clock,
    notes: Notes,
    /// Bytes of the acknowledgement that is being told.
    acked_bytes: u64,
    /// A size of datagrams that has just been told, without the time; it is that of the next note.
    mtu: Option<u16>,
    rtt: Option<Duration>,
}

impl Watched {
    fn note(&mut self, now: Instant, cause: Cause) {
        let sample = Sample {
            at: self.clock.since_zero(now),
            cause,
            window: self.controller.window(),
            threshold: self.controller.metrics().ssthresh,
            rtt: self.rtt,
        };
        let mtu = self.mtu.take().map(|bytes| Sample {
            cause: Cause::Mtu { bytes },
            ..sample.clone()
        });
        self.notes.add(sample);
        if let Some(mtu) = mtu {
            self.notes.add(mtu);
        }
    }
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.controller.on_sent(now, bytes, last_packet_number);
        self.note(now, Cause::Sent { bytes });
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
        self.acked_bytes += bytes;
        self.rtt = Some(rtt.get());
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
        let bytes = std::mem::take(&mut self.acked_bytes);
        self.note(
            now,
            Cause::Acked {
                bytes,
                in_flight,
                app_limited,
            },
        );
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        let before = self.controller.window();
        self.controller
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
        self.note(
            now,
            Cause::Congestion {
                sent: self.clock.since_zero(sent),
                lost_bytes,
                persistent: is_persistent_congestion,
                before,
            },
        );
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.controller.on_mtu_update(new_mtu);
        self.mtu = Some(new_mtu);
    }

    fn window(&self) -> u64 {
        self.controller.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.controller.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Watched {
            controller: self.controller.clone_box(),
            clock: self.clock,
            notes: self.notes.clone(),
            acked_bytes: self.acked_bytes,
            mtu: self.mtu,
            rtt: self.rtt,
        })
    }

    fn initial_window(&self) -> u64 {
        self.controller.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.controller.into_any()
    }
}
