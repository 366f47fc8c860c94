//! How often quinn takes random losses for an MTU black hole, and what that costs, in virtual time.
//!
//!     cargo run --release -p pronghorn-virtual-quic --example black_holes [BYTES BIT_PER_S ROUND_TRIP_MS LOSS_PPM SEEDS]
//!
//! Prints a Markdown table, one row a seed. Each transfer is run as quinn is by default, and with datagrams of 1452 bytes
//! that no loss makes smaller. Without arguments: 100 MB, 200 Mbit/s, 45 ms, 0.05 % loss, five seeds.

use std::error::Error;
use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_path::{LinkSpec, Loss, PathSpec, Queue};
use pronghorn_virtual_quic::{Cause, Record, Transfer};

/// What quinn looks for at most: 1500 bytes without the headers of IPv6 and UDP.
const LARGEST: u16 = 1452;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>())
        .collect::<Result<Vec<u64>, _>>()?;
    let (bytes, rate, round_trip_ms, loss_ppm, seeds) = match arguments[..] {
        [] => (100_000_000, 200_000_000, 45, 500, 5),
        [bytes, rate, round_trip_ms, loss_ppm, seeds] => {
            (bytes, rate, round_trip_ms, loss_ppm, seeds)
        }
        _ => return Err("allowed are five numbers, or none".into()),
    };
    let link = LinkSpec {
        delay_ns: round_trip_ms * 500_000,
        rate_bit_per_s: Some(rate),
        queue: Some(Queue::Bytes(rate / 8 * round_trip_ms / 1000)),
        ..LinkSpec::default()
    };
    let down = LinkSpec {
        loss: Some(Loss::independent(loss_ppm as f64 / 1e6)),
        ..link.clone()
    };
    let path = PathSpec {
        down,
        up: link,
        ..PathSpec::default()
    };
    println!(
        "| controller | seed | lost | black holes | below {LARGEST} bytes, s | last byte, s | the same with a fixed MTU, s |"
    );
    println!("|---|---|---|---|---|---|---|");
    for controller in [
        QuicCongestionControl::Cubic,
        QuicCongestionControl::NewReno,
        QuicCongestionControl::Bbr,
    ] {
        for seed in 1..=seeds {
            let run = |fixed: bool| {
                let mut transfer = Transfer::new(controller.factory(), path.clone(), bytes);
                transfer.seed = seed;
                transfer.limit = Duration::from_secs(3600);
                if fixed {
                    transfer.server.initial_mtu(LARGEST).min_mtu(LARGEST);
                    transfer.server.mtu_discovery_config(None);
                }
                transfer.run()
            };
            let (found, fixed) = (run(false)?, run(true)?);
            println!(
                "| {controller} | {seed} | {} | {} | {:.2} | {:.2} | {:.2} |",
                found.server.path.lost_packets,
                found.server.path.black_holes_detected,
                small(&found).as_secs_f64(),
                found.last_byte.as_secs_f64(),
                fixed.last_byte.as_secs_f64(),
            );
        }
    }
    Ok(())
}

/// For how long datagrams were smaller than the largest.
fn small(record: &Record) -> Duration {
    let mut since = Some(Duration::ZERO);
    let mut total = Duration::ZERO;
    for sample in &record.samples {
        let Cause::Mtu { bytes } = sample.cause else {
            continue;
        };
        match (bytes == LARGEST, since) {
            (true, Some(began)) => {
                total += sample.at.saturating_sub(began);
                since = None;
            }
            (false, None) => since = Some(sample.at),
            _ => {}
        }
    }
    total
        + since.map_or(Duration::ZERO, |began| {
            record.last_byte.saturating_sub(began)
        })
}
