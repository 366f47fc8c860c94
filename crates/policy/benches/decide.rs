//! What a sample and a decision cost with 100 000 keys, beside a look-up in a plain hash map of as many, in one run.
//!
//! Each round runs all three over the same random keys, of all and of one alone, whose memory stays in the cache; told is the median of 15 rounds, and how far the rounds were apart.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use pronghorn_policy::{Ask, Keys, Policy, Protocol, Sample, Table};

const KEYS: u64 = 100_000;
const CALLS: u64 = 200_000;
const ROUNDS: usize = 15;

fn main() {
    let policy = Policy::parse(include_str!("../tests/data/small.toml")).expect("sound");
    let mut memory = vec![0u64; 32_000_000 / 8];
    let mut table = Table::init(&mut memory, [7; 16]).expect("large enough");
    let sample = Sample {
        bytes: 20_000,
        time_us: 180_000,
        min_rtt_us: 60_000,
        rate_bytes_per_s: 2_000_000,
        sent: 20,
        lost: 1,
        ..Sample::default()
    };
    let mut map: HashMap<u64, [u8; 184]> = HashMap::new();
    let mut now_ms = 1_728_043_200_000;
    for number in 0..KEYS {
        map.insert(keys(number).own, [0; 184]);
        for protocol in [Protocol::Tcp, Protocol::Quic] {
            table.decide(&policy, keys(number), protocol, &Ask::default(), now_ms);
            table.observe(&policy, keys(number), protocol, &sample, now_ms);
        }
    }

    let mut random = 1;
    let mut measured = |name: &str, spread: u64| {
        let mut ns: [Vec<f64>; 3] = Default::default();
        for _ in 0..ROUNDS {
            let draws = (0..CALLS).map(|_| {
                random = mix(random);
                keys(random % spread)
            });
            let order: Vec<Keys> = draws.collect();
            now_ms += 1000;
            let begun = Instant::now();
            for keys in &order {
                black_box(map.get(&keys.own));
            }
            ns[0].push(each_ns(begun));
            let begun = Instant::now();
            for keys in &order {
                let ask = Ask::default();
                black_box(table.decide(&policy, *keys, Protocol::Tcp, &ask, now_ms));
            }
            ns[1].push(each_ns(begun));
            let begun = Instant::now();
            for keys in &order {
                table.observe(&policy, *keys, Protocol::Quic, &sample, now_ms);
            }
            ns[2].push(each_ns(begun));
        }
        for (call, mut ns) in ["hash map look-up", "decide", "observe"]
            .into_iter()
            .zip(ns)
        {
            ns.sort_by(f64::total_cmp);
            println!(
                "{name:<10} {call:<17} {:5.0} ns (rounds {:.0} to {:.0})",
                ns[ROUNDS / 2],
                ns[0],
                ns[ROUNDS - 1]
            );
        }
    };
    measured("all keys", KEYS);
    measured("one key", 1);
    assert_eq!(table.snapshot(&policy, now_ms).evicted, 0);
}

fn each_ns(begun: Instant) -> f64 {
    begun.elapsed().as_nanos() as f64 / CALLS as f64
}

/// 16 keys a parent.
fn keys(number: u64) -> Keys {
    Keys {
        own: mix(number),
        parent: mix(number / 16 + (1 << 40)),
        client: mix(number + (1 << 41)),
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
