//! quinn's congestion controllers on one path in virtual time, side by side.
//!
//!     cargo run --release -p pronghorn-virtual-quic --example controllers [BYTES RATE_BIT_PER_S ROUND_TRIP_MS QUEUE_BYTES]
//!
//! Prints a Markdown table. Without arguments: 20 MB, 50 Mbit/s, 40 ms, a queue of one BDP.

use std::error::Error;
use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_path::{LinkSpec, PathSpec, Queue};
use pronghorn_virtual_quic::{Cause, Record, Sample, Transfer, payload_rate_bit_per_s};

/// TCP's payload in a packet of 1500 bytes with timestamps.
const TCP_SHARE: f64 = 1448.0 / 1500.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>())
        .collect::<Result<Vec<u64>, _>>()?;
    let (bytes, rate, round_trip_ms, queue) = match arguments[..] {
        [] => (20_000_000, 50_000_000, 40, 250_000),
        [bytes, rate, round_trip_ms, queue] => (bytes, rate, round_trip_ms, queue),
        _ => return Err("allowed are four numbers, or none".into()),
    };
    let link = LinkSpec {
        delay_ns: round_trip_ms * 500_000,
        rate_bit_per_s: Some(rate),
        queue: Some(Queue::Bytes(queue)),
        ..LinkSpec::default()
    };
    let path = PathSpec {
        down: link.clone(),
        up: link,
        ..PathSpec::default()
    };
    println!(
        "| controller | timers | last byte, s | of the payload rate | since the request | of TCP's | largest window, kB | \
         lost | windows reduced | slow start ended, ms | MTU found, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for controller in [
        QuicCongestionControl::Cubic,
        QuicCongestionControl::NewReno,
        QuicCongestionControl::Bbr,
    ] {
        for (name, granularity) in [
            ("exact", Duration::ZERO),
            ("1 ms", Duration::from_millis(1)),
        ] {
            let mut transfer = Transfer::new(controller.factory(), path.clone(), bytes);
            transfer.timer_granularity = granularity;
            let record = transfer.run()?;
            println!("| {controller} | {name} | {} |", row(&record, rate));
        }
    }
    Ok(())
}

fn row(record: &Record, rate: u64) -> String {
    let most = payload_rate_bit_per_s(rate, record.server.path.current_mtu);
    let tcp = rate as f64 * TCP_SHARE;
    let largest = record.samples.iter().map(|sample| sample.window).max();
    let reduced = record.samples.iter().filter(
        |sample| matches!(sample.cause, Cause::Congestion { before, .. } if sample.window < before),
    );
    let slow_start_end = record
        .samples
        .iter()
        .find(|sample| sample.threshold.is_some() && !sample.in_slow_start());
    let found = record.server.path.current_mtu;
    let mtu = record
        .samples
        .iter()
        .find(|sample| matches!(sample.cause, Cause::Mtu { bytes } if bytes == found));
    let ms = |sample: Option<&Sample>| {
        sample.map_or("–".to_owned(), |it| it.at.as_millis().to_string())
    };
    format!(
        "{:.3} | {:.3} | {:.3} | {:.3} | {} | {} | {} | {} | {}",
        record.last_byte.as_secs_f64(),
        record.goodput_bit_per_s() / most,
        record.goodput_since_request_bit_per_s() / most,
        record.goodput_bit_per_s() / tcp,
        largest.unwrap_or_default() / 1000,
        record.server.path.lost_packets,
        reduced.count(),
        ms(slow_start_end),
        ms(mtu),
    )
}
