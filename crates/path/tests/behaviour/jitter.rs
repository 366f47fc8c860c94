use pronghorn_path::{Departure, Distribution, Jitter, LinkSpec, Order};

use crate::harness::{MS, Numbered, evenly, send};
use crate::statistics::{assert_distributed, normal_cdf};

fn spec(delay_ns: u64, distribution: Distribution, spread_ns: u64, order: Order) -> LinkSpec {
    let jitter = Some(Jitter {
        distribution,
        spread_ns,
        order,
        ..Jitter::default()
    });
    LinkSpec {
        delay_ns,
        jitter,
        ..LinkSpec::default()
    }
}

fn delay_ns(departure: &Departure<Numbered>) -> u64 {
    departure.due.0 - departure.arrived.0
}

/// How far each delay strays from 50 ms, in units of a spread of 10 ms.
fn strays(distribution: Distribution, seed: u64) -> Vec<f64> {
    let spec = spec(50 * MS, distribution, 10 * MS, Order::Break);
    let (departures, _) = send(&spec, seed, &evenly(100_000, MS, 100));
    departures
        .iter()
        .map(|d| (delay_ns(d) as f64 - 50e6) / 10e6)
        .collect()
}

#[test]
fn uniform_jitter_is_uniform() {
    let strays = strays(Distribution::Uniform, 1);
    assert!(strays.iter().all(|stray| stray.abs() <= 1.0));
    assert_distributed(strays, |x| ((x + 1.0) / 2.0).clamp(0.0, 1.0));
}

#[test]
fn normal_jitter_is_normal() {
    assert_distributed(strays(Distribution::Normal, 2), normal_cdf);
}

#[test]
fn a_uniform_spread_of_one_nanosecond_takes_its_three_values() {
    let spec = spec(10, Distribution::Uniform, 1, Order::Break);
    let (departures, _) = send(&spec, 3, &evenly(1000, 100, 1));
    for value in 9..=11 {
        assert!(departures.iter().any(|d| delay_ns(d) == value), "{value}");
    }
    assert!(departures.iter().all(|d| (9..=11).contains(&delay_ns(d))));
}

#[test]
fn a_delay_never_falls_below_zero() {
    for distribution in [Distribution::Uniform, Distribution::Normal] {
        let spec = spec(MS, distribution, 10 * MS, Order::Break);
        let (departures, _) = send(&spec, 4, &evenly(10_000, 100 * MS, 1));
        assert!(departures.iter().any(|d| delay_ns(d) == 0));
        assert_eq!(departures.len(), 10_000);
    }
}

#[test]
fn order_kept_is_order_kept() {
    let spec = spec(50 * MS, Distribution::Normal, 10 * MS, Order::Keep);
    let (departures, counters) = send(&spec, 5, &evenly(20_000, MS, 100));
    assert!(departures.iter().map(|d| d.packet.id).eq(0..20_000));
    assert!(departures.is_sorted_by_key(|d| d.due));
    assert_eq!(counters.reordered, 0);
}

/// A packet that keeps order is due when its own draw says or when the one before it is.
#[test]
fn order_kept_delays_only_what_would_have_overtaken() {
    let keep = spec(50 * MS, Distribution::Uniform, 10 * MS, Order::Keep);
    let breaking = spec(50 * MS, Distribution::Uniform, 10 * MS, Order::Break);
    let (kept, _) = send(&keep, 6, &evenly(5_000, MS, 100));
    let (mut broken, _) = send(&breaking, 6, &evenly(5_000, MS, 100));
    broken.sort_by_key(|d| d.packet.id);
    let mut latest = 0;
    for (kept, own) in kept.iter().zip(&broken) {
        latest = latest.max(own.due.0);
        assert_eq!((kept.packet.id, kept.due.0), (own.packet.id, latest));
    }
}

#[test]
fn order_broken_lets_packets_overtake_and_counts_those_overtaken() {
    let spec = spec(50 * MS, Distribution::Uniform, 10 * MS, Order::Break);
    let (departures, counters) = send(&spec, 7, &evenly(20_000, MS, 100));
    assert!(departures.is_sorted_by_key(|d| d.due));
    let mut highest = 0;
    let mut overtaken = 0;
    for departure in &departures {
        overtaken += u64::from(departure.packet.id < highest);
        highest = highest.max(departure.packet.id);
    }
    assert!(overtaken > 0);
    assert_eq!(counters.reordered, overtaken);
}
