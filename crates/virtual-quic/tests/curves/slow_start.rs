//! How windows grow before the first loss.

use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_virtual_quic::{Cause, Record, Sample, Transfer};

use crate::harness::{LOSS_BASED, run};
use crate::patterns::{self, ROUND_TRIP_MS};

/// The samples before the first loss.
fn until_first_loss(record: &Record) -> impl Iterator<Item = &Sample> {
    record
        .samples
        .iter()
        .take_while(|sample| !matches!(sample.cause, Cause::Congestion { .. }))
}

/// RFC 9002, section 7.2, with quinn's first datagrams of 1200 bytes; two hundred of these for BBR.
#[test]
fn windows_begin_with_so_many_datagrams() {
    for (controller, datagrams) in [
        (QuicCongestionControl::Cubic, 10),
        (QuicCongestionControl::NewReno, 10),
        (QuicCongestionControl::Bbr, 200),
    ] {
        let record = run(controller, &patterns::one_loss_in_slow_start());
        assert_eq!(record.samples[0].window, datagrams * 1200, "{controller}");
    }
}

/// Bytes that the server sent from the request's arrival on, for a round trip.
fn sent_in_first_round_trip(record: &Record) -> u64 {
    let one_way = Duration::from_millis(ROUND_TRIP_MS / 2);
    let begin = record.requested + one_way;
    let first_round_trip = begin..begin + 2 * one_way;
    let sent = record
        .samples
        .iter()
        .filter(|sample| first_round_trip.contains(&sample.at))
        .filter_map(|sample| match sample.cause {
            Cause::Sent { bytes } => Some(bytes),
            _ => None,
        });
    sent.sum()
}

#[test]
fn the_window_asked_for_leaves_in_the_first_round_trip() {
    for controller in LOSS_BASED {
        for window in [14_480, 60_000] {
            let pattern = patterns::one_loss_in_slow_start();
            let factory = controller.factory_beginning_with(Some(window));
            let transfer = Transfer::new(factory, pattern.path(), pattern.bytes);
            let record = transfer.run().expect("one loss is made good");
            assert_eq!(record.samples[0].window, window);
            let sent = sent_in_first_round_trip(&record);
            // A probe of the MTU may come on top.
            let expected = window * 4 / 5..=window + 1452;
            assert!(expected.contains(&sent), "{controller}: {sent} of {window}");
        }
    }
}

/// quinn stays below its window: where the kernel's TCP fills ten packets, it fills nine.
#[test]
fn of_tcps_ten_segments_nine_full_datagrams_leave_at_once() {
    for controller in LOSS_BASED {
        let pattern = patterns::one_loss_in_slow_start();
        let factory = controller.factory_beginning_with(Some(14_480));
        let mut transfer = Transfer::new(factory, pattern.path(), pattern.bytes);
        let server = &mut transfer.server;
        server.initial_mtu(1472).mtu_discovery_config(None);
        let record = transfer.run().expect("one loss is made good");
        assert_eq!(sent_in_first_round_trip(&record), 9 * 1472, "{controller}");
    }
}

/// RFC 9002, section 7.3.1; section 7.8: not by those of a sender whom its window didn't hold back.
#[test]
fn slow_start_adds_the_bytes_acknowledged() {
    for controller in LOSS_BASED {
        let record = run(controller, &patterns::one_loss_in_slow_start());
        let mut window = record.samples[0].window;
        let mut added = 0;
        for sample in until_first_loss(&record) {
            assert!(sample.in_slow_start());
            if let Cause::Acked {
                bytes,
                app_limited: false,
                ..
            } = sample.cause
            {
                window += bytes;
                added += bytes;
            }
            assert_eq!(sample.window, window, "{controller} at {:?}", sample.at);
        }
        assert!(added > 100_000, "{controller}: {added}");
    }
}

/// It would double each round trip (RFC 9002, section 7.3.1), but for pacing at 1.25 windows a round trip (section 7.7): what
/// isn't sent in a round trip isn't acknowledged in the next.
#[test]
fn pacing_keeps_slow_start_below_doubling_each_round_trip() {
    for controller in LOSS_BASED {
        let record = run(controller, &patterns::one_loss_in_slow_start());
        let initial = record.samples[0].window;
        let reaches = |window: u64| {
            until_first_loss(&record)
                .find(|sample| sample.window >= window)
                .expect("a window so large")
        };
        let (begin, end) = (reaches(2 * initial), reaches(10 * initial));
        let time = (end.at - begin.at).as_millis() as f64;
        let factor = end.window as f64 / begin.window as f64;
        let a_round_trip = factor.powf(ROUND_TRIP_MS as f64 / time);
        assert!(
            (1.5..2.0).contains(&a_round_trip),
            "{controller}: {a_round_trip}"
        );
    }
}
