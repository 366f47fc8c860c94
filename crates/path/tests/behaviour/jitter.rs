use pronghorn_path::{Departure, Distribution, Jitter, LinkSpec, Order};

use crate::harness::{MS, Numbered, evenly, send};
use crate::statistics::{assert_distributed, assert_normal, normal_cdf};

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

const TABLE: &str = "# five values, of which one is twice as likely\n-24576 -8192\n0 0 4096 32767";

/// Where the Pareto shapes and tables end, in spreads.
const MOST: f64 = 32767.0 / 8192.0;

const SHAPES: [Distribution; 5] = [
    Distribution::Uniform,
    Distribution::Normal,
    Distribution::Pareto,
    Distribution::ParetoNormal,
    Distribution::Table,
];

/// How far the delays of `n` packets, in the order of entry, stray from 50 ms, in units of a spread of 10 ms. The
/// packets are far enough apart for none to overtake another.
fn strays(
    distribution: Distribution,
    correlation: f64,
    order: Order,
    seed: u64,
    n: u64,
) -> Vec<f64> {
    let jitter = Jitter {
        distribution,
        spread_ns: 10 * MS,
        correlation,
        table: (distribution == Distribution::Table).then(|| TABLE.to_owned()),
        order,
    };
    let spec = LinkSpec {
        delay_ns: 50 * MS,
        jitter: Some(jitter),
        ..LinkSpec::default()
    };
    let (departures, _) = send(&spec, seed, &evenly(n, 200 * MS, 100));
    departures
        .iter()
        .map(|d| (delay_ns(d) as f64 - 50e6) / 10e6)
        .collect()
}

/// The share of strays up to `x`, by iproute2's formulas for the Pareto shapes.
fn cdf(distribution: Distribution, x: f64) -> f64 {
    match distribution {
        Distribution::Uniform => ((x + 1.0) / 2.0).clamp(0.0, 1.0),
        Distribution::Normal => normal_cdf(x),
        Distribution::Pareto if x >= MOST - 1e-7 => 1.0,
        Distribution::Pareto => (1.0 - (1.5 + 0.75 * x).max(1.0).powi(-3)).max(0.0),
        Distribution::ParetoNormal if x >= MOST - 1e-7 => 1.0,
        Distribution::ParetoNormal => normal_cdf(score_of_pareto_normal(x)),
        Distribution::Table => {
            let numbers = [-24576, -8192, 0, 0, 4096, 32767];
            let below = numbers
                .iter()
                .filter(|n| f64::from(**n) / 8192.0 <= x + 1e-7);
            below.count() as f64 / 6.0
        }
    }
}

/// The normal score at which a quarter of it and three quarters of Pareto's value make `x`, by bisection.
fn score_of_pareto_normal(x: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let score: f64 = (low + high) / 2.0;
        let pareto = (4.0 / 3.0 * (normal_cdf(-score).powf(-1.0 / 3.0) - 1.5)).min(MOST);
        if 0.25 * score + 0.75 * pareto < x {
            low = score;
        } else {
            high = score;
        }
    }
    low
}

#[test]
fn each_distribution_is_the_one_asked_for_whatever_becomes_of_order() {
    for (seed, distribution) in (10..).zip(SHAPES) {
        for order in [Order::Keep, Order::Break] {
            let strays = strays(distribution, 0.0, order, seed, 100_000);
            assert_distributed(strays, |x| cdf(distribution, x));
        }
    }
}

#[test]
fn uniform_and_table_never_leave_their_values() {
    let uniform = strays(Distribution::Uniform, 0.0, Order::Break, 1, 100_000);
    assert!(uniform.iter().all(|stray| stray.abs() <= 1.0));
    let values = [-3.0, -1.0, 0.0, 0.5, 3.999_878];
    let table = strays(Distribution::Table, 0.0, Order::Break, 2, 1_000);
    let near = |stray: &f64| values.iter().any(|value| (value - stray).abs() < 1e-6);
    assert!(table.iter().all(near));
}

/// Correlated values are thinned until those left are as good as independent: 0.5^40.
#[test]
fn correlation_leaves_each_distribution_as_it_was() {
    for (seed, distribution) in (20..).zip(SHAPES) {
        let strays = strays(distribution, 0.5, Order::Break, seed, 400_000);
        let thinned = strays.into_iter().step_by(40).collect();
        assert_distributed(thinned, |x| cdf(distribution, x));
    }
}

/// What is new in each stray of a normal jitter is normal and has nothing to do with the stray before.
#[test]
fn correlated_normal_jitter_is_a_first_order_autoregression() {
    for (seed, r) in [(30, 0.25_f64), (31, 0.9)] {
        let strays = strays(Distribution::Normal, r, Order::Break, seed, 100_000);
        let news: Vec<f64> = strays
            .windows(2)
            .map(|pair| (pair[1] - r * pair[0]) / (1.0 - r * r).sqrt())
            .collect();
        let products: f64 = news
            .iter()
            .zip(&strays)
            .map(|(new, before)| new * before)
            .sum();
        assert_normal(
            products / news.len() as f64,
            0.0,
            (news.len() as f64).powf(-0.5),
        );
        assert_distributed(news, normal_cdf);
    }
}

/// One seed makes the same normal scores for every shape, so where its distribution has no steps each stray stands
/// where the normal one does; shapes thus inherit the normal jitter's correlation.
#[test]
fn every_distribution_follows_the_same_scores() {
    let ranks = |distribution| {
        let strays = strays(distribution, 0.7, Order::Break, 32, 20_000);
        strays
            .into_iter()
            .map(move |stray| cdf(distribution, stray))
    };
    for distribution in SHAPES {
        for (rank, normal) in ranks(distribution).zip(ranks(Distribution::Normal)) {
            let step = match distribution {
                Distribution::Table => 2.0 / 6.0,
                _ if rank == 1.0 => 0.011,
                _ => 1e-6,
            };
            assert!(
                rank - normal > -1e-6 && rank - normal < step,
                "{distribution:?}"
            );
        }
    }
}

/// Of uniform values with a Gaussian copula Pearson's correlation is 6/π asin(r / 2). The deviation is that of an
/// autocorrelation that falls as r^k (Bartlett's formula), rounded up.
#[test]
fn correlated_uniform_jitter_has_the_correlation_that_the_copula_implies() {
    for (seed, r) in [(33, 0.3_f64), (34, 0.8)] {
        let strays = strays(Distribution::Uniform, r, Order::Break, seed, 200_000);
        let products: f64 = strays.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let found = products / strays.iter().map(|stray| stray * stray).sum::<f64>();
        let expected = 6.0 / std::f64::consts::PI * (r / 2.0).asin();
        let deviation = ((1.0 + r * r) / (1.0 - r * r) / 200_000.0).sqrt();
        assert_normal(found, expected, deviation);
    }
}

#[test]
fn a_full_correlation_gives_every_packet_the_first_ones_stray() {
    let strays = strays(Distribution::Normal, 1.0, Order::Break, 35, 1_000);
    assert!(strays.iter().all(|stray| (stray - strays[0]).abs() < 1e-6));
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
    for distribution in SHAPES {
        let mut spec = spec(MS, distribution, 10 * MS, Order::Break);
        if let (Distribution::Table, Some(jitter)) = (distribution, &mut spec.jitter) {
            jitter.table = Some(TABLE.to_owned());
        }
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
