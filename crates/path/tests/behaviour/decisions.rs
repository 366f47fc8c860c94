//! The decision stream of a million packets, with every random stage on.

use pronghorn_path::{
    Direction, Distribution, Jitter, Link, LinkSpec, Loss, Marks, Order, Packet, Reorder, Time,
};

const PACKETS: u32 = 1_000_000;

/// A number and the bit that was flipped.
#[derive(Clone)]
struct Plain {
    id: u32,
    bit: u32,
}

impl Packet for Plain {
    fn len(&self) -> usize {
        1200
    }

    fn flip_bit(&mut self, bit: usize) {
        self.bit = bit as u32 + 1;
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}

fn spec(distribution: Distribution, loss: Loss) -> LinkSpec {
    let table = (distribution == Distribution::Table).then(|| "-8192 -100 0 3000 20000".to_owned());
    LinkSpec {
        delay_ns: 10_000_000,
        jitter: Some(Jitter {
            distribution,
            spread_ns: 1_000_000,
            correlation: 0.5,
            table,
            order: Order::Break,
        }),
        reorder: Some(Reorder {
            probability: 0.1,
            correlation: 0.3,
            gap: 3,
        }),
        loss: Some(loss),
        duplicate: 0.02,
        duplicate_correlation: 0.2,
        corrupt: 0.03,
        corrupt_correlation: 0.4,
        ..LinkSpec::default()
    }
}

/// FNV-1a (Fowler, Noll, Vo) of all that is decided on each packet, in the order of departure; who is missing
/// was lost.
fn fingerprint(spec: &LinkSpec) -> u64 {
    let mut link = Link::new(spec, 1, Direction::Down).expect("a valid specification");
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |link: &mut Link<Plain>, now| {
        while let Some(departure) = link.pop(now) {
            let Marks {
                copy,
                corrupted,
                hurried,
                ..
            } = departure.marks;
            for word in [
                departure.packet.id.into(),
                departure.packet.bit.into(),
                u64::from(copy) << 2 | u64::from(corrupted) << 1 | u64::from(hurried),
                departure.due.0,
            ] {
                for byte in word.to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
                }
            }
        }
    };
    for id in 0..PACKETS {
        let now = Time(u64::from(id) * 50_000);
        take(&mut link, now);
        link.push(now, Plain { id, bit: 0 });
    }
    take(&mut link, Time::MAX);
    assert!(link.counters().balance());
    hash
}

/// If a fingerprint changes, no recorded run with such a path can be repeated. The logarithms, roots and
/// exponentials in them are the platform's; where these differ in the last place, about one offset in 10^9 is
/// rounded to another nanosecond, so a million packets of two platforms agree but for one time in a thousand.
#[test]
fn a_million_packets_meet_the_same_decisions_in_every_run_and_version() {
    let independent = Loss::Independent {
        probability: 0.01,
        correlation: 0.25,
        longest_burst: Some(3),
    };
    let four_state = Loss::FourState {
        p13: 0.01,
        p31: 0.3,
        p32: 0.2,
        p23: 0.4,
        p14: 0.01,
    };
    let gilbert_elliott = Loss::GilbertElliott {
        enter: 0.01,
        leave: 0.3,
        loss_bad: 0.8,
        loss_good: 0.001,
    };
    for (distribution, loss, expected) in [
        (Distribution::Uniform, independent, 699_620_267_359_663_615),
        (
            Distribution::ParetoNormal,
            four_state,
            12_502_114_084_759_899_216,
        ),
        (
            Distribution::Table,
            gilbert_elliott,
            4_380_960_903_081_914_408,
        ),
    ] {
        let spec = spec(distribution, loss);
        let found = fingerprint(&spec);
        assert_eq!(found, fingerprint(&spec), "two runs of {distribution:?}");
        assert_eq!(found, expected, "{distribution:?} before");
    }
}
