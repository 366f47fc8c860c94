use pronghorn_path::{LinkSpec, Loss};

use crate::harness::{evenly, send};
use crate::statistics::assert_binomial;

/// Which of `n` packets are lost.
fn losses(loss: Loss, seed: u64, n: u64) -> Vec<bool> {
    let spec = LinkSpec {
        loss: Some(loss),
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, seed, &evenly(n, 1, 100));
    let mut lost = vec![true; n as usize];
    for departure in departures {
        lost[departure.packet.id as usize] = false;
    }
    assert_eq!(count(&lost), counters.lost);
    lost
}

fn count(which: &[bool]) -> u64 {
    which.iter().filter(|hit| **hit).count() as u64
}

/// The lengths of the stretches of `true`, without one that the end cuts off.
fn bursts(lost: &[bool]) -> Vec<usize> {
    let mut lengths: Vec<usize> = lost.split(|lost| !lost).map(<[bool]>::len).collect();
    lengths.pop();
    lengths.retain(|length| *length > 0);
    lengths
}

#[test]
fn independent_losses_are_as_many_as_asked() {
    for (seed, probability) in [(1, 0.001), (2, 0.15), (3, 0.5), (4, 0.97)] {
        let lost = losses(Loss::independent(probability), seed, 200_000);
        assert_binomial(count(&lost), 200_000, probability);
    }
}

#[test]
fn independent_losses_do_not_come_in_bursts() {
    let lost = losses(Loss::independent(0.15), 5, 200_000);
    let after_a_loss: Vec<bool> = lost
        .windows(2)
        .filter(|w| w[0])
        .map(|w| w[1])
        .take(20_000)
        .collect();
    assert_binomial(count(&after_a_loss), 20_000, 0.15);
}

#[test]
fn no_probability_loses_nothing_and_one_loses_all() {
    assert_eq!(count(&losses(Loss::independent(0.0), 6, 10_000)), 0);
    assert_eq!(count(&losses(Loss::independent(1.0), 6, 10_000)), 10_000);
}

#[test]
fn a_packet_is_lost_by_the_state_that_it_finds_and_the_chain_starts_good() {
    let flip_flop = Loss::GilbertElliott {
        enter: 1.0,
        leave: 1.0,
        loss_bad: 1.0,
        loss_good: 0.0,
    };
    assert_eq!(losses(flip_flop, 7, 5), [false, true, false, true, false]);
}

/// With certain loss in the bad state only, losses show the states; each visit to a state is then
/// one trial of its transition, so the first so many visits are binomial.
#[test]
fn the_chain_moves_as_often_as_asked() {
    let model = Loss::GilbertElliott {
        enter: 0.01,
        leave: 0.3,
        loss_bad: 1.0,
        loss_good: 0.0,
    };
    let lost = losses(model, 8, 1_000_000);
    let moves = |from: bool, visits: usize| {
        let visited: Vec<bool> = lost
            .windows(2)
            .filter(|w| w[0] == from)
            .map(|w| w[1] != from)
            .take(visits)
            .collect();
        assert_eq!(visited.len(), visits);
        count(&visited)
    };
    assert_binomial(moves(false, 900_000), 900_000, 0.01);
    assert_binomial(moves(true, 20_000), 20_000, 0.3);
}

#[test]
fn bursts_are_geometrically_long() {
    let model = Loss::GilbertElliott {
        enter: 0.01,
        leave: 0.3,
        loss_bad: 1.0,
        loss_good: 0.0,
    };
    let lengths = bursts(&losses(model, 9, 1_000_000));
    let lengths = &lengths[..8_000];
    for at_least in 2..8 {
        let hits = lengths.iter().filter(|length| **length >= at_least).count() as u64;
        assert_binomial(hits, 8_000, 0.7_f64.powi(at_least as i32 - 1));
    }
}

/// The share of lost packets is normal in the long run; its variance is that of a two-state chain
/// plus that of the losses within the states. 4.9 standard deviations are a false alarm of 1e-6.
#[test]
fn the_stationary_loss_is_what_the_chain_implies() {
    let (enter, leave, loss_bad, loss_good) = (0.02, 0.1, 0.6, 0.05);
    let n = 1_000_000;
    let lost = losses(
        Loss::GilbertElliott {
            enter,
            leave,
            loss_bad,
            loss_good,
        },
        10,
        n,
    );
    let bad = enter / (enter + leave);
    let expected = bad * loss_bad + (1.0 - bad) * loss_good;
    let correlation: f64 = 1.0 - enter - leave;
    let step = (loss_bad - loss_good) * (loss_bad - loss_good);
    let between = bad * (1.0 - bad) * step * (1.0 + correlation) / (1.0 - correlation);
    let within = bad * loss_bad * (1.0 - loss_bad) + (1.0 - bad) * loss_good * (1.0 - loss_good);
    let deviation = ((between + within) / n as f64).sqrt();
    let found = count(&lost) as f64 / n as f64;
    assert!(
        (found - expected).abs() < 4.9 * deviation,
        "{found} for {expected} ± {deviation}"
    );
}
