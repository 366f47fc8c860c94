//! 20 MB over 50 Mbit/s, 40 ms and a queue of one BDP.

use std::time::Duration;

use pronghorn_virtual_quic::{Cause, Record, Transfer, payload_rate_bit_per_s};

use crate::harness::{CONTROLLERS, LOSS_BASED, run};
use crate::patterns::{self, BDP_BYTES, RATE_BIT_PER_S, ROUND_TRIP_MS};

#[test]
fn nothing_outruns_the_path() {
    let round_trip = Duration::from_millis(ROUND_TRIP_MS);
    for controller in CONTROLLERS {
        let record = run(controller, &patterns::no_loss());
        assert!(record.down.balance() && record.up.balance());
        assert!(record.requested >= round_trip);
        assert!(record.first_byte >= record.requested + round_trip);
        assert!(record.server.path.min_rtt >= round_trip);
        assert!(record.down.queue_high_water_bytes <= BDP_BYTES);
        let most = payload_rate_bit_per_s(RATE_BIT_PER_S, record.server.path.current_mtu);
        assert!(record.goodput_since_request_bit_per_s() <= most);
    }
}

/// Whoever carries less over this path on real hosts is held up by something else than its congestion control, its pacing, its
/// search for the MTU or its flow control.
#[test]
fn each_controller_alone_carries_92_hundredths_of_the_payload_rate() {
    for controller in CONTROLLERS {
        let record = run(controller, &patterns::no_loss());
        let most = payload_rate_bit_per_s(RATE_BIT_PER_S, record.server.path.current_mtu);
        let share = record.goodput_bit_per_s() / most;
        assert!(share >= 0.92, "{controller}: {share}");
    }
}

#[test]
fn the_longest_datagram_that_is_tried_is_found() {
    for controller in CONTROLLERS {
        let record = run(controller, &patterns::no_loss());
        assert_eq!(record.server.path.current_mtu, 1452);
        assert_eq!(record.server.path.black_holes_detected, 0);
    }
}

/// quinn's stream window of 1.25 MB is five BDPs and moves on as the stream is read, which a lost packet holds up until it
/// comes again; by then a full queue's worth of other losses may have used the window up. (Frames that say "blocked" tell
/// nothing: an application writes ahead until the window is full, and quinn sends a frame for that.)
#[test]
fn flow_control_holds_a_loss_based_sender_up_for_less_than_a_round_trip() {
    for controller in LOSS_BASED {
        let held_up = held_up(&run(controller, &patterns::no_loss()));
        assert!(
            held_up < Duration::from_millis(ROUND_TRIP_MS),
            "{controller}: {held_up:?}"
        );
    }
}

#[test]
fn a_larger_stream_window_holds_nobody_up() {
    let pattern = patterns::no_loss();
    for controller in CONTROLLERS {
        let mut transfer = Transfer::new(controller.factory(), pattern.path(), pattern.bytes);
        transfer.client.stream_receive_window(4_000_000_u32.into());
        let record = transfer.run().expect("a transfer");
        assert_eq!(held_up(&record), Duration::ZERO, "{controller}");
    }
}

/// How long the sender had nothing that it might send, between the first byte and the last round trips: before each
/// acknowledgement that finds it so.
fn held_up(record: &Record) -> Duration {
    let end = record.last_byte - Duration::from_millis(4 * ROUND_TRIP_MS);
    let acked: Vec<(Duration, bool)> = record
        .samples
        .iter()
        .filter(|sample| record.first_byte < sample.at && sample.at < end)
        .filter_map(|sample| match sample.cause {
            Cause::Acked { app_limited, .. } => Some((sample.at, app_limited)),
            _ => None,
        })
        .collect();
    acked
        .windows(2)
        .filter(|pair| pair[1].1)
        .map(|pair| pair[1].0 - pair[0].0)
        .sum()
}

/// An acknowledgement wakes a sender as well as a timer does.
#[test]
fn timers_of_a_millisecond_cost_little_on_this_path() {
    let pattern = patterns::no_loss();
    for controller in CONTROLLERS {
        let exact = run(controller, &pattern);
        let mut transfer = Transfer::new(controller.factory(), pattern.path(), pattern.bytes);
        transfer.timer_granularity = Duration::from_millis(1);
        let rounded = transfer.run().expect("a transfer");
        let ratio = rounded.last_byte.as_secs_f64() / exact.last_byte.as_secs_f64();
        assert!((0.98..1.02).contains(&ratio), "{controller}: {ratio}");
    }
}
