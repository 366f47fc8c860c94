//! What of a key's responses is evidence, and how much of it.

use crate::common::{
    Memory, NOON_MS, keys, policy, policy_of, sample, scattering, sloping, steered,
};
use pronghorn_policy::{Decision, Policy, Protocol, Sample, TcpControl};

/// What is decided after these samples, each with its time in seconds.
fn after(policy: &Policy, told: &[(u64, Protocol, Sample)]) -> Decision {
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    let network = Sample {
        min_rtt_us: 50_000,
        sent: 1000,
        lost: 3,
        ..Sample::default()
    };
    table.observe(policy, keys(1), Protocol::Tcp, &network, NOON_MS);
    let mut now_ms = NOON_MS;
    for (second, protocol, sample) in told {
        now_ms = NOON_MS + second * 1000;
        table.observe(policy, keys(1), *protocol, sample, now_ms);
    }
    table.decide(policy, keys(1), Protocol::Quic, &steered(), now_ms)
}

fn response(time_us: u64, delivered: u64) -> Sample {
    Sample {
        delivered,
        ..sample(20_000, time_us)
    }
}

#[test]
fn what_comes_over_a_cold_connection_is_compared_with_such_alone() {
    let policy = policy();
    let mut told = Vec::new();
    for _ in 0..20 {
        told.push((0, Protocol::Tcp, response(400_000, 0)));
        told.push((0, Protocol::Quic, response(100_000, 1_000_000)));
    }
    let apart = after(&policy, &told);
    let untold = after(&policy, &[]);
    assert_eq!((apart.gain, apart.sd), (untold.gain, untold.sd));

    for _ in 0..20 {
        told.push((0, Protocol::Quic, response(400_000, 0)));
    }
    let alike = after(&policy, &told);
    assert!(alike.sd < 0.7 * untold.sd);
    assert!(alike.gain.abs() < 0.02, "{alike:?}");
}

#[test]
fn responses_of_one_visit_say_less_than_those_of_many() {
    let text = include_str!("../data/small.toml");
    let text = text.replace("response = 0.35", "response = 0.35\nvisit = 0.3");
    let moody = Policy::parse(&text).expect("sound");
    let told = |seconds: u64| -> Vec<(u64, Protocol, Sample)> {
        (0..40)
            .map(|number| {
                let protocol = [Protocol::Tcp, Protocol::Quic][number as usize % 2];
                (number / 2 * seconds, protocol, response(100_000, 1_000_000))
            })
            .collect()
    };
    let (at_once, apart) = (after(&moody, &told(1)), after(&moody, &told(400)));
    assert!(at_once.sd > 1.1 * apart.sd, "{at_once:?}, {apart:?}");
    let steady = after(&policy(), &told(1));
    assert!(apart.sd > steady.sd);
}

#[test]
fn packets_lost_over_quic_do_not_move_what_those_over_tcp_said() {
    let policy = policy();
    let packets = |lost| Sample {
        sent: 5000,
        lost,
        ..Sample::default()
    };
    let (none, many) = (packets(0), packets(1000));
    let gain = |told: &Sample| after(&policy, &[(0, Protocol::Quic, *told)]).gain;
    assert_eq!(gain(&none), gain(&many));
}

/// By how much a visit of slow responses by this transport moves what is expected, where so many of 1000 packets are lost.
fn moved_by(policy: &Policy, slow: Protocol, lost: u32) -> f32 {
    let told = |slow: Option<Protocol>| -> Vec<(u64, Protocol, Sample)> {
        (0..20)
            .map(|number| {
                let protocol = [Protocol::Tcp, Protocol::Quic][number % 2];
                let time_us = if slow == Some(protocol) {
                    900_000
                } else {
                    300_000
                };
                let seen = Sample {
                    sent: 100,
                    lost: lost / 10,
                    ..response(time_us, 0)
                };
                (1, protocol, seen)
            })
            .collect()
    };
    let (even, uneven) = (after(policy, &told(None)), after(policy, &told(Some(slow))));
    (uneven.gain - even.gain).abs()
}

#[test]
fn one_slow_page_says_little_where_pages_were_seen_to_scatter() {
    let (steady, scattering) = (policy(), scattering());
    let share =
        |protocol, lost| moved_by(&scattering, protocol, lost) / moved_by(&steady, protocol, lost);
    let (few, many) = (share(Protocol::Tcp, 0), share(Protocol::Tcp, 100));
    assert!(many < 0.5 && many < 0.7 * few, "{many} {few}");
}

#[test]
fn with_each_congestion_control_clients_differ_as_was_measured_with_it() {
    let scatter = |tcp| {
        format!(
            "[[scatter]]\ntcp = \"{tcp}\"\nh2 = [[0, 0, 0, 0], [0, 0, 0, 0]]\nh3 = [[0, 0, 0, 0], [0, 0, 0, 0]]\n"
        )
    };
    let bbr = include_str!("../data/small.toml");
    let bbr = &bbr[bbr.find("[[prior]]").expect("a prior")..];
    let both = format!(
        "{}\n{}\n{}between_clients = 0.4\n",
        bbr.replace("\"cubic\"", "\"bbr\""),
        scatter("cubic"),
        scatter("bbr"),
    );
    let policy = policy_of(&both);
    let sd = |tcp_control| {
        let seen = Sample {
            tcp_control,
            min_rtt_us: 30_000,
            sent: 1000,
            ..Sample::default()
        };
        after(&policy, &[(1, Protocol::Tcp, seen)]).sd
    };
    let (cubic, bbr) = (
        f64::from(sd(TcpControl::Cubic)),
        f64::from(sd(TcpControl::Bbr)),
    );
    // The file's [noise] has 0.15.
    assert!(
        (bbr * bbr - cubic * cubic - (0.16 - 0.0225)).abs() < 1e-4,
        "{bbr} {cubic}"
    );
}

#[test]
fn clients_differ_the_more_the_further_apart_the_protocols_are() {
    // At 5 Mbit/s and 10 % of loss the surface has 0.95, 0.8, 0.65, each with an sd of 0.04.
    for (rtt_ms, ratio) in [(10, 0.95f64), (50, 0.8), (200, 0.65)] {
        let seen = Sample {
            min_rtt_us: rtt_ms * 1000,
            sent: 100_000,
            lost: 10_000,
            rate_bytes_per_s: 625_000,
            ..Sample::default()
        };
        let decided = |policy: &Policy| {
            let mut memory = Memory::new(1 << 16);
            let mut table = memory.table();
            table.observe(policy, keys(1), Protocol::Tcp, &seen, NOON_MS);
            table.decide(policy, keys(1), Protocol::Tcp, &steered(), NOON_MS)
        };
        let [even, sloping] = [0.0, 0.5].map(|slope| decided(&sloping(slope)));
        assert_eq!(even.gain, sloping.gain);
        let variance = |sd: f32| f64::from(sd) * f64::from(sd);
        let added = variance(sloping.sd) - variance(even.sd);
        let expected = 0.25 * (ratio.ln() * ratio.ln() + 0.04 * 0.04);
        assert!((added / expected - 1.0).abs() < 0.01, "{added} {expected}");
    }
}

#[test]
fn what_is_expected_is_of_mean_times_which_lie_the_higher_the_more_pages_scatter() {
    let gain = |policy: &Policy, rate_mbit: u64| {
        let seen = Sample {
            min_rtt_us: 30_000,
            rate_bytes_per_s: rate_mbit * 125_000,
            sent: 100_000,
            lost: 50_000,
            ..Sample::default()
        };
        f64::from(after(policy, &[(1, Protocol::Tcp, seen)]).gain)
    };
    // At the greatest loss over TCP 0.4 at the least rate, 0.6 at the greatest; over QUIC 0.1.
    for (rate_mbit, tcp) in [(1, 0.16), (100_000, 0.36), (0, 0.26)] {
        let moved = gain(&scattering(), rate_mbit) - gain(&policy(), rate_mbit);
        assert!(
            (moved - (0.01 - tcp) / 2.0).abs() < 1e-4,
            "{rate_mbit}: {moved}"
        );
    }
}
