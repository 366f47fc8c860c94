//! What is expected of a key, kept in its entry for as long as it can hardly be another.

use super::value::Worth;
use crate::state::{EXPECTED, Entry, KNOWN, WORTH_H2, WORTH_H3};

/// What is expected of a key stays so for this long where it was told nothing …
const EXPECTED_MOST_MS: u32 = 10_000;
/// … and for this long where what it was told is little beside what it knew: less than one part in
const EXPECTED_LEAST_MS: u32 = 100;
/// … so many.
const PARTS: f64 = 4.0;

/// ln(mean time with h3 / mean time with h2) of a key's responses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) mean: f32,
    pub(crate) sd: f32,
    /// Something of its network is in it, or its own responses by both transports: else the mean is that over all networks on the surface.
    pub(crate) known: bool,
    /// Whether another look at a protocol is worth what it costs.
    pub(crate) worth: Worth,
}

impl Entry {
    /// Something was told of the key.
    pub(crate) fn told(&mut self) {
        self.told = self.told.saturating_add(1);
    }

    /// What is expected of the key, where that was reckoned not long before `now_ms`, its own time.
    pub(crate) fn expected(&self, now_ms: u64) -> Option<Expected> {
        let [tcp, quic] = self.outcomes.weights();
        let lasts_ms = match self.told {
            0 => EXPECTED_MOST_MS,
            told if f64::from(told) * PARTS < tcp + quic => EXPECTED_LEAST_MS,
            _ => 0,
        };
        let age_ms = (now_ms as u32).wrapping_sub(self.expected_at_ms);
        let [mean, sd] = self.expected;
        (self.is(EXPECTED) && age_ms < lasts_ms).then_some(Expected {
            mean,
            sd,
            known: self.is(KNOWN),
            worth: Worth {
                h3: self.is(WORTH_H3),
                h2: self.is(WORTH_H2),
            },
        })
    }

    /// Keeps what was reckoned.
    pub(crate) fn expect(&mut self, expected: Expected, now_ms: u64) {
        self.expected = [expected.mean, expected.sd];
        self.expected_at_ms = now_ms as u32;
        self.set(EXPECTED, true);
        self.told = 0;
        self.set(KNOWN, expected.known);
        self.set(WORTH_H3, expected.worth.h3);
        self.set(WORTH_H2, expected.worth.h2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::visit::Rho;
    use crate::sample::{Outcome, Protocol};
    use crate::state::OWN;

    const REST: Expected = Expected {
        mean: 0.0,
        sd: 1.0,
        known: true,
        worth: Worth {
            h3: false,
            h2: true,
        },
    };

    #[test]
    fn what_is_expected_is_reckoned_anew_when_it_can_be_another() {
        let mut entry = Entry::new(1, OWN, 1_000);
        let outcome = Outcome { stratum: 0, x: 0.0 };
        for _ in 0..20 {
            entry
                .outcomes
                .add(Protocol::Tcp, outcome, Rho::default(), 1_000);
        }
        let mut reckoned_at = |now_ms: u64, told: bool| {
            if told {
                entry.told();
            }
            let known = entry.expected(now_ms);
            if known.is_none() {
                entry.expect(REST, now_ms);
            }
            known != Some(REST)
        };
        assert!(reckoned_at(1_000, false));
        assert!(!reckoned_at(5_000, false));
        assert!(reckoned_at(11_000, false));
        assert!(!reckoned_at(11_099, true));
        assert!(reckoned_at(11_100, true));
        assert!(!reckoned_at(11_150, false));
        // Five samples are a quarter of what it knew.
        (0..4).for_each(|_| entry.told());
        assert!(entry.expected(11_150).is_some());
        entry.told();
        assert_eq!(entry.expected(11_150), None);
    }
}
