//! The memory of a gateway's key table, and what is told and asked of it.

use std::sync::OnceLock;

use pronghorn_policy::{Ask, Downgrade, Keys, Policy, Protocol, Sample, Table};

/// Each eight bytes are a sample, a question, a passage of time or a word scribbled over the memory. Whatever they are, nothing panics or
/// hangs, and a table that is still one holds no more than it may.
pub fn policy_table(bytes: &[u8]) {
    static POLICY: OnceLock<Policy> = OnceLock::new();
    let policy = POLICY.get_or_init(|| {
        Policy::parse(include_str!("../../policy/tests/data/small.toml")).expect("sound")
    });
    let mut memory = vec![0u64; 2048];
    Table::init(&mut memory, [1; 16]).expect("16 kB make a table");
    let mut now_ms = 1_728_043_200_000u64;
    for chunk in bytes.chunks_exact(8) {
        let Ok(word) = <[u8; 8]>::try_from(chunk) else {
            return;
        };
        let [what, key, a, b, ..] = word;
        let value = u64::from_le_bytes(word);
        if what % 8 == 7 {
            let place = (value >> 8) as usize % memory.len();
            if let Some(scribbled) = memory.get_mut(place) {
                *scribbled ^= value >> 20;
            }
            continue;
        }
        let Ok(mut table) = Table::open(&mut memory) else {
            return; // the head was hit
        };
        let keys = Keys {
            own: u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            parent: u64::from(key / 16).wrapping_mul(0xd1b5_4a32_d192_ed03),
            client: value >> 60,
        };
        let protocol = if what & 8 == 0 {
            Protocol::Tcp
        } else {
            Protocol::Quic
        };
        match what % 8 {
            0..=2 => {
                let sample = Sample {
                    bytes: 1 << (a % 64),
                    time_us: value >> 24,
                    rate_bytes_per_s: value >> 16,
                    min_rtt_us: u32::from(b) << 10,
                    sent: u32::from(a),
                    lost: u32::from(b),
                    stalled: what & 16 != 0,
                    dry_run: what & 32 != 0,
                    ..Sample::default()
                };
                table.observe(policy, keys, protocol, &sample, now_ms);
            }
            3..=5 => {
                let ask = Ask {
                    holdout: f32::from(a) / 256.0,
                    max_age_s: u32::from(b),
                    downgrade: [Downgrade::Off, Downgrade::Lease, Downgrade::Clear]
                        [usize::from(b) % 3],
                    dry_run: what & 16 != 0,
                    new_connection: what & 32 != 0,
                    host: b & 3,
                };
                let decision = table.decide(policy, keys, protocol, &ask, now_ms);
                assert!((0.0..=1.0).contains(&decision.propensity));
            }
            6 if what & 16 != 0 => {
                table.begin_holdout(f64::from(a) / 256.0, u32::from(b), now_ms);
            }
            _ => now_ms = now_ms.wrapping_add_signed(i64::from_le_bytes(word) >> 24),
        }
        let capacity = Table::capacity(2048 * 8) as u64;
        let snapshot = table.snapshot(policy, now_ms);
        assert_eq!(snapshot.capacity, capacity);
    }
}
