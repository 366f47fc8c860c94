use pronghorn_path::{LinkSpec, Loss};

use crate::chain::Chain;
use crate::harness::{evenly, send};
use crate::statistics::{assert_binomial, assert_correlated, assert_counts, assert_normal, count};

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

/// How many of the bursts are 1 to `longest` - 1 long, and how many longer. Of bursts that depend on those before
/// every twentieth is taken, which is as good as independent.
fn burst_counts(lost: &[bool], every: usize, longest: usize) -> Vec<u64> {
    let mut counts = vec![0; longest];
    for length in bursts(lost).into_iter().step_by(every) {
        counts[length.min(longest) - 1] += 1;
    }
    counts
}

#[test]
fn gilbert_elliotts_share_and_bursts_are_what_the_chain_implies() {
    let (enter, leave, loss_bad, loss_good) = (0.02, 0.1, 0.6, 0.05);
    let chain = Chain {
        moves: [[1.0 - enter, enter], [leave, 1.0 - leave]],
        loss: [loss_good, loss_bad],
    };
    let model = Loss::GilbertElliott {
        enter,
        leave,
        loss_bad,
        loss_good,
    };
    let lost = losses(model, 10, 1_000_000);
    let (share, deviation) = chain.share(1_000_000);
    assert!((share - (0.02 * 0.6 + 0.1 * 0.05) / 0.12).abs() < 1e-12);
    assert_normal(count(&lost) as f64 / 1e6, share, deviation);
    assert_counts(&burst_counts(&lost, 20, 5), &chain.bursts(5));
}

/// The four-state model as a chain in which states 3 and 4 lose.
fn four_state(p: [f64; 5]) -> (Loss, Chain<4>) {
    let [p13, p31, p32, p23, p14] = p;
    let model = Loss::FourState {
        p13,
        p31,
        p32,
        p23,
        p14,
    };
    let chain = Chain {
        moves: [
            [1.0 - p13 - p14, 0.0, p13, p14],
            [0.0, 1.0 - p23, p23, 0.0],
            [p31, p32, 1.0 - p31 - p32, 0.0],
            [1.0, 0.0, 0.0, 0.0],
        ],
        loss: [0.0, 0.0, 1.0, 1.0],
    };
    (model, chain)
}

#[test]
fn the_four_states_share_and_bursts_are_what_the_chain_implies() {
    for (seed, p) in [
        (11, [0.02, 0.3, 0.2, 0.4, 0.03]),
        (12, [0.1, 0.1, 0.6, 0.9, 0.0]),
    ] {
        let (model, chain) = four_state(p);
        let lost = losses(model, seed, 1_000_000);
        let (share, deviation) = chain.share(1_000_000);
        assert_normal(count(&lost) as f64 / 1e6, share, deviation);
        assert_counts(&burst_counts(&lost, 20, 5), &chain.bursts(5));
    }
}

/// tc-netem(8): p13 alone, with netem's default p31 = 1 - p13, is independent loss.
#[test]
fn the_four_states_with_p13_alone_are_independent_loss() {
    let (model, _) = four_state([0.15, 0.85, 0.0, 1.0, 0.0]);
    assert_correlated(&losses(model, 13, 300_000), 0.15, 0.0);
}

#[test]
fn a_packets_fate_is_the_state_to_which_the_four_move() {
    let round = |p: [f64; 5]| losses(four_state(p).0, 14, 6);
    let gap_and_burst = [true, false, true, false, true, false];
    assert_eq!(round([1.0, 1.0, 0.0, 0.0, 0.0]), gap_and_burst);
    assert_eq!(round([1.0, 0.0, 1.0, 1.0, 0.0]), gap_and_burst);
    assert_eq!(round([0.0, 0.0, 0.0, 0.0, 1.0]), gap_and_burst);
    assert_eq!(round([1.0, 0.0, 0.0, 0.0, 0.0]), [true; 6]);
    assert_eq!(round([0.0, 1.0, 0.0, 1.0, 0.0]), [false; 6]);
}

#[test]
fn correlated_losses_keep_their_share() {
    for (seed, probability, correlation) in [(15, 0.01, 0.25), (16, 0.3, 0.5), (17, 0.05, 0.9)] {
        let model = Loss::Independent {
            probability,
            correlation,
            longest_burst: None,
        };
        let lost = losses(model, seed, 1_000_000);
        assert_correlated(&lost, probability, correlation);
    }
}

fn bounded(probability: f64, longest_burst: Option<u32>) -> Loss {
    Loss::Independent {
        probability,
        correlation: 0.0,
        longest_burst,
    }
}

#[test]
fn a_longest_burst_is_never_exceeded_and_shortens_the_others_not() {
    let p = 0.6;
    let lost = losses(bounded(p, Some(3)), 18, 300_000);
    let unbounded = losses(bounded(p, None), 18, 300_000);
    assert!(
        lost.iter()
            .zip(&unbounded)
            .all(|(lost, chance)| *chance || !lost)
    );
    let chain = Chain {
        moves: [
            [1.0 - p, p, 0.0, 0.0],
            [1.0 - p, 0.0, p, 0.0],
            [1.0 - p, 0.0, 0.0, p],
            [1.0, 0.0, 0.0, 0.0],
        ],
        loss: [0.0, 1.0, 1.0, 1.0],
    };
    let (share, deviation) = chain.share(300_000);
    assert!((share - p * (1.0 - p.powi(3)) / (1.0 - p.powi(4))).abs() < 1e-9);
    assert_normal(count(&lost) as f64 / 300_000.0, share, deviation);
    let counts = burst_counts(&lost, 1, 4);
    assert_eq!(counts[3], 0);
    assert_counts(&counts[..3], &chain.bursts(3));
}

#[test]
fn the_packet_after_the_longest_burst_passes_even_at_certain_loss() {
    let lost = losses(bounded(1.0, Some(2)), 19, 7);
    assert_eq!(lost, [true, true, false, true, true, false, true]);
}

#[test]
fn listed_packets_are_lost_and_no_others() {
    let numbers = vec![1, 2, 5, 9, 1_000];
    let lost = losses(Loss::Packets { numbers }, 20, 10);
    let expected = [1, 1, 0, 0, 1, 0, 0, 0, 1, 0].map(|lost| lost == 1);
    assert_eq!(lost, expected);
    let none = losses(Loss::Packets { numbers: vec![] }, 21, 10);
    assert_eq!(count(&none), 0);
}

#[test]
fn a_copy_has_no_number_and_is_never_lost_by_the_list() {
    let spec = LinkSpec {
        duplicate: 1.0,
        loss: Some(Loss::Packets {
            numbers: vec![2, 3],
        }),
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, 22, &evenly(5, 1, 100));
    let ids: Vec<u64> = departures.iter().map(|d| d.packet.id).collect();
    assert_eq!(ids, [0, 0, 1, 2, 3, 3, 4, 4]);
    assert_eq!((counters.lost, counters.duplicated), (2, 5));
}
