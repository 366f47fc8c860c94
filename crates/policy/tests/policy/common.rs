//! What the tests of the decision core share: the policy for tests, a table with its memory, samples, a generator of numbers.

use pronghorn_policy::{Ask, Keys, Policy, Sample, Steering, Table};

pub(crate) const SECRET: [u8; 16] = [7; 16];

/// Noon of some day, well within an epoch.
pub(crate) const NOON_MS: u64 = 1_000 * (86_400 * 20_000 + 43_200);

pub(crate) fn policy() -> Policy {
    Policy::parse(include_str!("../data/small.toml")).expect("the policy for tests is one")
}

/// The same, of a laboratory whose page loads over TCP scattered the more the more was lost.
pub(crate) fn scattering() -> Policy {
    policy_of(
        "[[scatter]]\ntcp = \"cubic\"\nh2 = [[0.01, 0.1, 0.4, 0.4], [0.01, 0.1, 0.4, 0.6]]\nh3 = [[0.01, 0.02, 0.05, 0.1], [0.01, 0.02, 0.05, 0.1]]\n",
    )
}

/// The same, of clients who differ by so much more for each unit of the ln ratio.
pub(crate) fn sloping(slope: f32) -> Policy {
    let text = include_str!("../data/small.toml").replace(
        "between_clients = 0.15",
        &format!("between_clients = 0.15\nbetween_clients_slope = {slope}"),
    );
    Policy::parse(&text).expect("the policy for tests is one")
}

/// The same with `more` in its file.
pub(crate) fn policy_of(more: &str) -> Policy {
    let text = format!("{}\n{more}", include_str!("../data/small.toml"));
    Policy::parse(&text).expect("the policy for tests is one")
}

/// The same policy with other thresholds and times.
pub(crate) fn policy_with(change: impl Fn(&mut Steering)) -> Policy {
    let policy = policy();
    let mut steering = *policy.steering();
    change(&mut steering);
    policy.with_steering(steering)
}

/// A table in memory of its own.
pub(crate) struct Memory(Vec<u64>);

impl Memory {
    pub(crate) fn new(bytes: usize) -> Memory {
        let mut memory = vec![0; bytes / 8];
        Table::init(&mut memory, SECRET).expect("the memory is large enough");
        Memory(memory)
    }

    pub(crate) fn table(&mut self) -> Table<'_> {
        Table::open(&mut self.0).expect("the memory holds a table")
    }
}

/// The ask of a steered key: nobody is pinned.
pub(crate) fn steered() -> Ask {
    Ask {
        holdout: 0.0,
        ..Ask::default()
    }
}

pub(crate) fn sample(bytes: u64, time_us: u64) -> Sample {
    Sample {
        bytes,
        time_us,
        ..Sample::default()
    }
}

/// A sample that says of the network what selects a node of the test's surface.
pub(crate) fn sample_of_network(rtt_us: u32, sent: u32, lost: u32) -> Sample {
    Sample {
        min_rtt_us: rtt_us,
        sent,
        lost,
        ..sample(20_000, 200_000)
    }
}

pub(crate) fn keys(number: u64) -> Keys {
    Keys {
        own: mix(number),
        parent: mix(number / 16 + (1 << 40)),
        client: mix(number + (1 << 41)),
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014), as a hash and as a generator.
pub(crate) fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// In (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}
