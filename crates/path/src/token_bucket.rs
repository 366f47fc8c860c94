//! What exceeds a token bucket is dropped: policing, which delays nothing.
//!
//! Tokens are kept in billionths of a bit, of which a rate of r bits per second makes r each
//! nanosecond, so that nothing is ever rounded.

use crate::spec;
use crate::time::Time;

const NANOBITS_PER_BYTE: u128 = 8_000_000_000;

/// A bucket, full at first (RFC 2697, with one rate and one burst).
#[derive(Debug)]
pub(crate) struct TokenBucket {
    rate_bit_per_s: u128,
    depth: u128,
    tokens: u128,
    filled: Time,
}

impl TokenBucket {
    pub(crate) fn new(spec: spec::TokenBucket) -> TokenBucket {
        let depth = u128::from(spec.burst_bytes) * NANOBITS_PER_BYTE;
        TokenBucket {
            rate_bit_per_s: u128::from(spec.rate_bit_per_s),
            depth,
            tokens: depth,
            filled: Time::ZERO,
        }
    }

    /// Whether a packet of `len` bytes passes at `at`, which is no earlier than the packet before; if so, its tokens are gone.
    pub(crate) fn passes(&mut self, at: Time, len: usize) -> bool {
        let elapsed = u128::from(at.0.saturating_sub(self.filled.0));
        self.filled = self.filled.max(at);
        self.tokens = (self.tokens + elapsed * self.rate_bit_per_s).min(self.depth);
        let needed = len as u128 * NANOBITS_PER_BYTE;
        let passes = needed <= self.tokens;
        if passes {
            self.tokens -= needed;
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(rate_bit_per_s: u64, burst_bytes: u64) -> TokenBucket {
        TokenBucket::new(spec::TokenBucket {
            rate_bit_per_s,
            burst_bytes,
        })
    }

    #[test]
    fn a_burst_passes_and_not_a_byte_more() {
        let mut bucket = bucket(8_000, 3000);
        assert!(bucket.passes(Time(5), 1500) && bucket.passes(Time(5), 1500));
        assert!(!bucket.passes(Time(5), 1));
    }

    #[test]
    fn tokens_come_back_to_the_nanosecond() {
        let mut bucket = bucket(3, 1);
        assert!(bucket.passes(Time(0), 1));
        assert!(
            !bucket.passes(Time(2_666_666_666), 1),
            "8 bits at 3 bit/s take 2.67 s"
        );
        assert!(bucket.passes(Time(2_666_666_667), 1));
    }

    #[test]
    fn refused_packets_cost_nothing_and_long_ones_never_pass() {
        let mut bucket = bucket(8_000_000_000, 1000);
        assert!(!bucket.passes(Time::MAX, 1001));
        assert!(bucket.passes(Time::MAX, 1000));
    }

    #[test]
    fn the_long_term_rate_is_exact() {
        let mut bucket = bucket(9_999_991, 1500);
        let bytes: u64 = (0..1_000_000_u64)
            .filter(|i| bucket.passes(Time(i * 10_000), 100))
            .count() as u64
            * 100;
        let elapsed_ns = 999_999_u128 * 10_000;
        let made =
            1500 + u64::try_from(9_999_991 * elapsed_ns / NANOBITS_PER_BYTE).expect("it fits");
        assert!(bytes <= made && made - bytes < 100, "{bytes} of {made}");
    }
}
