//! How windows grow after a loss.

use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_virtual_quic::{Cause, Sample};

use crate::harness::{Reduction, reductions, run};
use crate::patterns::{self, ROUND_TRIP_MS};

const DATAGRAM: f64 = 1452.0;

/// The one reduction of `one-loss-in-slow-start`, and the acknowledgements from three round trips later on, when recovery
/// is over and the longest datagram found, up to the last one before the sender has nothing new to send.
fn after_recovery(controller: QuicCongestionControl) -> (Reduction, Vec<Sample>) {
    let mut record = run(controller, &patterns::one_loss_in_slow_start());
    let mut found = reductions(&record.samples);
    assert_eq!(found.len(), 1, "{controller}: {found:?}");
    let reduction = found.remove(0);
    let round_trip = Duration::from_millis(ROUND_TRIP_MS);
    let (begin, end) = (
        reduction.at + 3 * round_trip,
        record.last_byte - 2 * round_trip,
    );
    record.samples.retain(|sample| {
        let acked = matches!(sample.cause, Cause::Acked { .. });
        acked && begin < sample.at && sample.at < end
    });
    assert!(record.samples.len() > 100, "{controller}");
    (reduction, record.samples)
}

/// RFC 9002, section 7.3.3.
#[test]
fn newreno_adds_a_datagram_a_round_trip() {
    let (_, samples) = after_recovery(QuicCongestionControl::NewReno);
    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    let added = (last.window - first.window) as f64 / DATAGRAM;
    let round_trip = last.rtt.expect("an estimate");
    let round_trips = (last.at - first.at).as_secs_f64() / round_trip.as_secs_f64();
    assert!(round_trips > 20.0);
    assert!(
        (added / round_trips - 1.0).abs() < 0.1,
        "{added} datagrams in {round_trips} round trips"
    );
}

/// RFC 9438, figures 1 and 2, and RFC 8312, equation 4, by which quinn estimates Reno's window: within a datagram or two of
/// the larger one, which it approaches from below over a round trip.
#[test]
fn cubic_follows_its_curve_or_reno_s() {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;
    let (reduction, samples) = after_recovery(QuicCongestionControl::Cubic);
    let most = reduction.before as f64 / DATAGRAM;
    let k = (most * (1.0 - BETA) / C).cbrt();
    for sample in samples {
        let time = (sample.at - reduction.at).as_secs_f64();
        let round_trip = sample.rtt.expect("an estimate").as_secs_f64();
        let cubic = |time: f64| C * (time - k).powi(3) + most;
        let reno = BETA * most + 3.0 * (1.0 - BETA) / (1.0 + BETA) * time / round_trip;
        let window = sample.window as f64 / DATAGRAM;
        let (low, high) = (cubic(time).max(reno), cubic(time + round_trip).max(reno));
        assert!(
            (low - 2.0..=high + 1.5).contains(&window),
            "{window} at {time} s, for {low} to {high}"
        );
    }
}
