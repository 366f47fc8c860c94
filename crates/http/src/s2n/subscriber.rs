//! Hears s2n-quic's events. They come on the thread that drives the connection, while it holds its lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use s2n_quic::provider::event::events::{self, Frame, MtuUpdatedCause};
use s2n_quic::provider::event::{ConnectionMeta, Subscriber as Events};

use super::told::{Path, Told};

/// What an endpoint's socket can do.
#[derive(Debug, Default)]
pub(super) struct Features {
    /// Whether it takes several datagrams at once (GSO). The kernel may prove not to while it is used.
    pub(super) segments: AtomicBool,
}

/// One endpoint's subscriber; each connection's context is what it told.
pub(super) struct Subscriber {
    pub(super) features: Arc<Features>,
}

impl Events for Subscriber {
    type ConnectionContext = Arc<Told>;

    fn create_connection_context(
        &mut self,
        _: &ConnectionMeta,
        _: &events::ConnectionInfo,
    ) -> Arc<Told> {
        Arc::new(Told::new())
    }

    fn on_platform_feature_configured(
        &mut self,
        _: &events::EndpointMeta,
        event: &events::PlatformFeatureConfigured,
    ) {
        if let events::PlatformFeatureConfiguration::Gso { max_segments, .. } = event.configuration
        {
            self.features
                .segments
                .store(max_segments > 1, Ordering::Relaxed);
        }
    }

    fn on_transport_parameters_received(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::TransportParametersReceived,
    ) {
        let parameters = &event.transport_parameters;
        // Streams that the peer opens are local to it.
        let limit = parameters.initial_max_stream_data_bidi_local;
        told.state().order.begin_with(limit);
    }

    fn on_recovery_metrics(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::RecoveryMetrics,
    ) {
        let path = Path {
            window: event.congestion_window.into(),
            in_flight: event.bytes_in_flight.into(),
            smoothed_rtt: event.smoothed_rtt,
            rtt_variance: event.rtt_variance,
            min_rtt: event.min_rtt,
        };
        told.state().path_told(path, event.pto_count);
    }

    fn on_ack_range_received(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        _: &events::AckRangeReceived,
    ) {
        told.state().acknowledged = true;
    }

    fn on_packet_sent(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::PacketSent,
    ) {
        told.state().packet_sent(event.packet_len as u64);
    }

    fn on_packet_lost(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::PacketLost,
    ) {
        if !event.is_mtu_probe {
            told.state().lost_packets += 1;
        }
    }

    fn on_frame_sent(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::FrameSent,
    ) {
        match event.frame {
            Frame::Stream {
                id, offset, len, ..
            } => told.state().order.sent(id, offset + u64::from(len)),
            Frame::ResetStream { id, .. } => told.state().order.gone(id),
            _ => {}
        }
    }

    fn on_frame_received(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::FrameReceived,
    ) {
        match event.frame {
            Frame::MaxStreamData { id, value, .. } => told.state().order.allow(id, value),
            Frame::StopSending { id, .. } => told.state().order.gone(id),
            _ => {}
        }
    }

    fn on_mtu_updated(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::MtuUpdated,
    ) {
        let mut state = told.state();
        state.udp_payload = event.mtu;
        state.black_holes += u64::from(matches!(event.cause, MtuUpdatedCause::Blackhole { .. }));
    }

    fn on_delivery_rate_sampled(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::DeliveryRateSampled,
    ) {
        let mut state = told.state();
        let rate = event.rate_sample.delivery_rate_bytes_per_second;
        state.delivery_rate_bit_per_s = Some(rate.saturating_mul(8));
        state.bbr_told();
    }

    fn on_bbr_state_changed(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        _: &events::BbrStateChanged,
    ) {
        told.state().bbr_told();
    }

    fn on_pacing_rate_updated(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        event: &events::PacingRateUpdated,
    ) {
        told.state().pacing_rate_bit_per_s = Some(event.bytes_per_second.saturating_mul(8));
    }

    fn on_connection_closed(
        &mut self,
        told: &mut Arc<Told>,
        _: &ConnectionMeta,
        _: &events::ConnectionClosed,
    ) {
        told.close();
    }
}
