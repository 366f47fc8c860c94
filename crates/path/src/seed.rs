//! Random generators that follow from one seed.
//!
//! A generator is ChaCha8 under the seed as its key, on the stream that a label names; streams of
//! one key are independent of each other by ChaCha's design (D. J. Bernstein, "ChaCha, a variant
//! of Salsa20", 2008). The label becomes a stream number by FNV-1a (Fowler, Noll, Vo), so a generator's
//! values depend on nothing but seed and label, whatever else is drawn elsewhere.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// The generator of `label` under `seed`.
#[must_use]
pub fn generator(seed: u64, label: &str) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut generator = ChaCha8Rng::from_seed(key);
    generator.set_stream(fnv1a(label.as_bytes()));
    generator
}

/// A seed of its own for `label`, for handing on: the first value of its [`generator`].
#[must_use]
pub fn derive(seed: u64, label: &str) -> u64 {
    generator(seed, label).next_u64()
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv1a_matches_the_published_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn seed_and_label_each_change_the_values() {
        let values = [
            derive(1, "down/loss"),
            derive(2, "down/loss"),
            derive(1, "up/loss"),
        ];
        assert_ne!(values[0], values[1]);
        assert_ne!(values[0], values[2]);
        assert_ne!(values[1], values[2]);
        assert_eq!(values[0], derive(1, "down/loss"));
    }

    /// Recorded runs depend on these values: a change here is a change of every path's decisions.
    #[test]
    fn values_stay_the_same_between_versions() {
        assert_eq!(derive(1, "down/loss"), 7_822_928_097_767_314_273);
    }
}
