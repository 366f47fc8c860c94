//! What paths and random stages may not be, each told by its key, value and what is allowed.

use pronghorn_path::{
    Cross, Direction, Distribution, Jitter, Link, LinkSpec, Loss, Order, PathSpec, Queue, Reorder,
    SpecError,
};

use crate::harness::message;
use crate::specification::lossy;

#[test]
fn what_is_allowed_is_allowed_to_its_ends() {
    LinkSpec::default()
        .validate()
        .expect("a link that does nothing");
    LinkSpec {
        delay_ns: 3_600_000_000_000,
        duplicate: 1.0,
        corrupt: 1.0,
        ..LinkSpec::default()
    }
    .validate()
    .expect("an hour and certainty");
}

#[test]
fn probabilities_lie_between_nothing_and_certainty() {
    for (value, written) in [
        (-0.1, "-0.1"),
        (1.01, "1.01"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
    ] {
        let duplicate = LinkSpec {
            duplicate: value,
            ..LinkSpec::default()
        };
        assert_eq!(
            message(&duplicate),
            format!("duplicate is {written}; allowed is 0 to 1")
        );
        let corrupt = LinkSpec {
            corrupt: value,
            ..LinkSpec::default()
        };
        assert_eq!(
            message(&corrupt),
            format!("corrupt is {written}; allowed is 0 to 1")
        );
        let loss = Some(Loss::independent(value));
        let loss = LinkSpec {
            loss,
            ..LinkSpec::default()
        };
        assert_eq!(
            message(&loss),
            format!("loss.probability is {written}; allowed is 0 to 1")
        );
    }
}

#[test]
fn each_of_the_chains_probabilities_is_checked_by_name() {
    for (i, key) in ["enter", "leave", "loss_bad", "loss_good"]
        .into_iter()
        .enumerate()
    {
        let mut p = [0.5; 4];
        p[i] = 2.0;
        let [enter, leave, loss_bad, loss_good] = p;
        let loss = Some(Loss::GilbertElliott {
            enter,
            leave,
            loss_bad,
            loss_good,
        });
        let spec = LinkSpec {
            loss,
            ..LinkSpec::default()
        };
        assert_eq!(
            message(&spec),
            format!("loss.{key} is 2; allowed is 0 to 1")
        );
    }
}

#[test]
fn the_four_states_probabilities_are_checked_by_name_and_in_pairs() {
    let four_state = |p: [f64; 5]| {
        let [p13, p31, p32, p23, p14] = p;
        lossy(Loss::FourState {
            p13,
            p31,
            p32,
            p23,
            p14,
        })
    };
    for (i, key) in ["p13", "p31", "p32", "p23", "p14"].into_iter().enumerate() {
        let mut p = [0.5; 5];
        p[i] = -1.0;
        assert_eq!(
            message(&four_state(p)),
            format!("loss.{key} is -1; allowed is 0 to 1")
        );
    }
    assert_eq!(
        message(&four_state([0.75, 0.5, 0.5, 0.5, 0.5])),
        "loss.p14 is 0.5; allowed is 0 to 0.25, since p13 is 0.75"
    );
    assert_eq!(
        message(&four_state([0.5, 0.75, 0.5, 0.5, 0.5])),
        "loss.p32 is 0.5; allowed is 0 to 0.25, since p31 is 0.75"
    );
}

#[test]
fn lost_packets_numbers_ascend_from_one() {
    let numbers = |numbers: &[u64]| {
        lossy(Loss::Packets {
            numbers: numbers.to_vec(),
        })
    };
    numbers(&[]).validate().expect("none of them");
    for (wrong, problem) in [
        (
            &[0, 1][..],
            "loss.numbers.0 is 0; allowed is more than 0, since the numbers ascend from 1",
        ),
        (
            &[1, 5, 5],
            "loss.numbers.2 is 5; allowed is more than 5, since the numbers ascend from 1",
        ),
    ] {
        assert_eq!(message(&numbers(wrong)), problem);
    }
    let many: Vec<u64> = (1..=1_000_001).collect();
    assert_eq!(
        message(&numbers(&many)),
        "loss.numbers is a list of 1000001; allowed is a list of 1000000 at most"
    );
}

#[test]
fn correlations_are_from_nothing_to_certainty_and_counts_from_one() {
    let correlated = |correlation| Loss::Independent {
        probability: 0.5,
        correlation,
        longest_burst: None,
    };
    let specs = [
        (
            "jitter.correlation",
            LinkSpec {
                jitter: Some(Jitter {
                    correlation: 1.5,
                    ..Jitter::default()
                }),
                ..LinkSpec::default()
            },
        ),
        (
            "reorder.probability",
            LinkSpec {
                reorder: Some(Reorder {
                    probability: 1.5,
                    correlation: 0.0,
                    gap: 1,
                }),
                ..LinkSpec::default()
            },
        ),
        (
            "reorder.correlation",
            LinkSpec {
                reorder: Some(Reorder {
                    probability: 0.5,
                    correlation: 1.5,
                    gap: 1,
                }),
                ..LinkSpec::default()
            },
        ),
        (
            "duplicate_correlation",
            LinkSpec {
                duplicate_correlation: 1.5,
                ..LinkSpec::default()
            },
        ),
        (
            "corrupt_correlation",
            LinkSpec {
                corrupt_correlation: 1.5,
                ..LinkSpec::default()
            },
        ),
        ("loss.correlation", lossy(correlated(1.5))),
    ];
    for (key, spec) in specs {
        assert_eq!(message(&spec), format!("{key} is 1.5; allowed is 0 to 1"));
    }
    assert!(lossy(correlated(f64::NAN)).validate().is_err());
    let gap = LinkSpec {
        reorder: Some(Reorder {
            probability: 0.5,
            correlation: 0.0,
            gap: 0,
        }),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&gap),
        "reorder.gap is 0; allowed is 1 to 1000000000"
    );
    let burst = lossy(Loss::Independent {
        probability: 0.5,
        correlation: 0.0,
        longest_burst: Some(0),
    });
    assert_eq!(
        message(&burst),
        "loss.longest_burst is 0; allowed is 1 to 1000000000"
    );
}

#[test]
fn delays_and_spreads_are_an_hour_at_most() {
    let hour = "3600000000001; allowed is 0 to 3600000000000 (an hour)";
    let spec = LinkSpec {
        delay_ns: 3_600_000_000_001,
        ..LinkSpec::default()
    };
    assert_eq!(message(&spec), format!("delay_ns is {hour}"));
    let jitter = Jitter {
        distribution: Distribution::Normal,
        spread_ns: 3_600_000_000_001,
        order: Order::Keep,
        ..Jitter::default()
    };
    let spec = LinkSpec {
        jitter: Some(jitter),
        ..LinkSpec::default()
    };
    assert_eq!(message(&spec), format!("jitter.spread_ns is {hour}"));
}

#[test]
fn a_rate_is_above_zero_and_a_queue_holds_something() {
    let rate = LinkSpec {
        rate_bit_per_s: Some(0),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&rate),
        "rate_bit_per_s is 0; allowed is 1 to 1000000000000 (1 Tbit/s)"
    );
    let queue = |queue| LinkSpec {
        rate_bit_per_s: Some(1),
        queue: Some(queue),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&queue(Queue::Bytes(0))),
        "queue.bytes is 0; allowed is 1 to 1000000000000"
    );
    assert_eq!(
        message(&queue(Queue::Packets(0))),
        "queue.packets is 0; allowed is 1 to 1000000000"
    );
}

#[test]
fn a_queue_needs_a_rate() {
    let spec = LinkSpec {
        queue: Some(Queue::Packets(5)),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&spec),
        "queue is 5 packets; allowed is a queue only beside rate_bit_per_s or trace, neither of which is set"
    );
}

#[test]
fn a_paths_errors_name_the_direction_and_a_link_refuses_them_too() {
    let bad = LinkSpec {
        duplicate: 3.0,
        ..LinkSpec::default()
    };
    let path = PathSpec {
        down: LinkSpec::default(),
        up: bad.clone(),
        ..PathSpec::default()
    };
    let error = path.validate().expect_err("it must be refused");
    assert_eq!(error.to_string(), "up.duplicate is 3; allowed is 0 to 1");
    let link = Link::<Vec<u8>>::new(&bad, 1, Direction::Up);
    assert!(matches!(link, Err(SpecError::OutOfRange { key, .. }) if key == "duplicate"));
}

#[test]
fn rebindings_ascend() {
    let path = PathSpec {
        rebind_ns: vec![5, 7, 7],
        ..PathSpec::default()
    };
    let error = path.validate().expect_err("twice the same");
    assert_eq!(
        error.to_string(),
        "rebind_ns.2 is 7; allowed is more than 7, since the times ascend"
    );
    let ascending = PathSpec {
        rebind_ns: vec![0, 5, 7],
        ..path
    };
    assert_eq!(ascending.validate(), Ok(()));
}

#[test]
fn cross_traffic_is_checked_by_name() {
    let cross = Cross {
        flows: 64,
        tcp_congestion_control: "reno".into(),
        direction: Direction::Up,
        warmup_ns: 3_600_000_000_000,
    };
    let check = |cross: Cross| {
        PathSpec {
            cross: Some(cross),
            ..PathSpec::default()
        }
        .validate()
        .map_err(|error| error.to_string())
    };
    assert_eq!(check(cross.clone()), Ok(()));
    for flows in [0, 65] {
        let error = check(Cross {
            flows,
            ..cross.clone()
        })
        .expect_err("too few or too many");
        assert_eq!(error, format!("cross.flows is {flows}; allowed is 1 to 64"));
    }
    for name in ["", "a name of sixteen", "re\0no"] {
        let tcp_congestion_control = name.to_owned();
        let error = check(Cross {
            tcp_congestion_control,
            ..cross.clone()
        })
        .expect_err("no name");
        assert!(
            error.starts_with("cross.tcp_congestion_control is \""),
            "{error}"
        );
    }
    let warmup_ns = 3_600_000_000_001;
    let error = check(Cross { warmup_ns, ..cross }).expect_err("too long");
    assert!(
        error.starts_with("cross.warmup_ns is 3600000000001;"),
        "{error}"
    );
}
