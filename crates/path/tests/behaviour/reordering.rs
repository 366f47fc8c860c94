use pronghorn_path::{Departure, Distribution, Jitter, LinkSpec, Order, Reorder};

use crate::harness::{MS, Numbered, evenly, send};
use crate::statistics::{assert_correlated, assert_counts};

fn spec(delay_ns: u64, probability: f64, correlation: f64, gap: u32) -> LinkSpec {
    LinkSpec {
        delay_ns,
        reorder: Some(Reorder {
            probability,
            correlation,
            gap,
        }),
        ..LinkSpec::default()
    }
}

/// Which of `n` packets, a millisecond apart, skip a delay of 10 ms.
fn hurried(spec: &LinkSpec, seed: u64, n: u64) -> Vec<bool> {
    let (mut departures, _) = send(spec, seed, &evenly(n, MS, 100));
    assert_eq!(departures.len() as u64, n);
    departures.sort_by_key(|d| d.packet.id);
    for departure in &departures {
        let delay = if departure.marks.hurried { 0 } else { 10 * MS };
        assert_eq!(departure.due.0 - departure.arrived.0, delay);
    }
    departures.iter().map(|d| d.marks.hurried).collect()
}

#[test]
fn packets_skip_the_delay_as_often_as_asked() {
    for (seed, probability, correlation) in [(1, 0.25, 0.0), (2, 0.25, 0.5), (3, 0.02, 0.8)] {
        let hits = hurried(&spec(10 * MS, probability, correlation, 1), seed, 400_000);
        assert_correlated(&hits, probability, correlation);
    }
}

/// tc-netem(8): with `gap 5` alone every fifth packet is sent at once.
#[test]
fn with_a_gap_and_certainty_every_so_many_packets_skip() {
    let hits = hurried(&spec(10 * MS, 1.0, 0.0, 5), 4, 1_000);
    assert!((0..).zip(&hits).all(|(id, hit)| *hit == (id % 5 == 4)));
}

#[test]
fn a_candidate_that_is_delayed_makes_the_next_one_a_candidate() {
    let hits = hurried(&spec(10 * MS, 0.3, 0.0, 5), 5, 400_000);
    let mut gaps: Vec<usize> = hits.split(|hit| *hit).map(<[bool]>::len).collect();
    gaps.pop();
    assert!(gaps.iter().all(|gap| *gap >= 4));
    let mut counts = [0; 8];
    for gap in gaps {
        counts[(gap - 4).min(7)] += 1;
    }
    let mut probabilities: Vec<f64> = (0..7).map(|i| 0.3 * 0.7_f64.powi(i)).collect();
    probabilities.push(0.7_f64.powi(7));
    assert_counts(&counts, &probabilities);
}

#[test]
fn the_correlation_is_with_the_candidate_before() {
    let mut delayed = 0;
    let mut candidates = Vec::new();
    for hit in hurried(&spec(10 * MS, 0.3, 0.5, 4), 6, 600_000) {
        if delayed >= 3 {
            candidates.push(hit);
        }
        delayed = if hit { 0 } else { delayed + 1 };
    }
    assert_correlated(&candidates, 0.3, 0.5);
}

/// How many packets that entered before a departure leave after it.
fn overtaken(departures: &[Departure<Numbered>], place: usize) -> usize {
    let id = departures[place].packet.id;
    departures[place..]
        .iter()
        .filter(|later| later.packet.id < id)
        .count()
}

#[test]
fn delay_and_spacing_settle_how_many_packets_are_overtaken() {
    for (delay_ns, depth) in [
        (10 * MS, 9),
        (10 * MS + 1, 10),
        (11 * MS - 1, 10),
        (MS, 0),
        (0, 0),
    ] {
        let spec = spec(delay_ns, 1.0, 0.0, 50);
        let (departures, counters) = send(&spec, 7, &evenly(1_000, MS, 100));
        let mut all = 0;
        for (place, departure) in departures.iter().enumerate() {
            let expected = if departure.marks.hurried { depth } else { 0 };
            assert_eq!(overtaken(&departures, place), expected);
            all += expected as u64;
        }
        assert_eq!(counters.reordered, all, "each is overtaken once");
    }
}

/// Those that skipped the delay themselves are gone already.
#[test]
fn only_delayed_packets_are_overtaken() {
    let (departures, _) = send(&spec(10 * MS, 1.0, 0.0, 4), 8, &evenly(1_000, MS, 100));
    for (place, departure) in departures.iter().enumerate().skip(50) {
        let expected = if departure.marks.hurried { 9 - 2 } else { 0 };
        assert_eq!(overtaken(&departures, place), expected);
    }
}

#[test]
fn whoever_skips_overtakes_where_order_is_kept_and_the_others_keep_it() {
    let jitter = Jitter {
        distribution: Distribution::Normal,
        spread_ns: 3 * MS,
        order: Order::Keep,
        ..Jitter::default()
    };
    let spec = LinkSpec {
        jitter: Some(jitter),
        ..spec(10 * MS, 0.1, 0.0, 1)
    };
    let (departures, counters) = send(&spec, 9, &evenly(10_000, MS, 100));
    let (skipped, delayed): (Vec<_>, Vec<_>) = departures.iter().partition(|d| d.marks.hurried);
    assert!(skipped.iter().all(|d| d.due == d.arrived));
    assert!(delayed.is_sorted_by_key(|d| d.packet.id));
    assert!(delayed.is_sorted_by_key(|d| d.due));
    assert!(counters.reordered > 0 && !skipped.is_empty());
}

#[test]
fn whoever_skips_reaches_the_bottleneck_at_once() {
    let spec = LinkSpec {
        rate_bit_per_s: Some(8_000_000),
        ..spec(10 * MS, 1.0, 0.0, 10)
    };
    let (departures, _) = send(&spec, 10, &evenly(100, MS, 100));
    for departure in departures {
        let reached = departure.reached.0 - departure.arrived.0;
        let hurried = departure.marks.hurried;
        assert_eq!(reached, if hurried { 0 } else { 10 * MS });
    }
}
