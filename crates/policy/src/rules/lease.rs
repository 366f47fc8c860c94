//! Offers: for how long one holds.
//!
//! An offer holds for `lease_most_s` where h3 is expected to be faster and another look at h2 isn't worth what it costs, so that clients that come back
//! needn't come over TCP first; and for `lease_s` else. A key that wasn't tried yet has nothing to look for over h2: whoever follows the map's word tells
//! by its responses over h3 whether it holds, and these renew the offer for as long as is right by then. Whoever is let go within a long lease is told so.

use crate::estimate::Expected;
use crate::state::Entry;
use crate::steering::Steering;

impl Steering {
    /// Alt-Svc's `ma` for a key of which this is expected.
    pub(crate) fn lease_of(&self, expected: &Expected) -> u32 {
        let better = f64::from(expected.mean) < -self.enter;
        if better && !expected.worth.h2 {
            self.lease_most_s.max(self.lease_s)
        } else {
            self.lease_s
        }
    }
}

impl Entry {
    /// An offer is made to `client` at `now_ms` in the name of `host`, to hold for so long.
    pub(crate) fn lease(&mut self, now_ms: u64, client: u64, host: u8, max_age_s: u32) {
        let now_s = (now_ms / 1000) as u32;
        let until_s = now_s.saturating_add(max_age_s);
        self.await_answer(now_s, client, host, until_s);
        self.leased_until_s = self.leased_until_s.max(until_s);
    }

    /// For how many seconds from `now_ms` on an offer still holds: to whichever client of the key, or to a silent `client` itself.
    pub(crate) fn leased_for_s(&self, now_ms: u64, client: u64) -> u32 {
        self.leased_in_silence_until_s(client)
            .unwrap_or(self.leased_until_s)
            .saturating_sub((now_ms / 1000) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Worth;

    const FAST: Expected = Expected {
        mean: -0.2,
        sd: 0.1,
        known: true,
        worth: Worth {
            h3: false,
            h2: false,
        },
    };

    #[test]
    fn an_offer_holds_long_where_h3_is_expected_to_be_faster_with_nothing_to_look_for_over_h2() {
        let steering = Steering::default();
        let unsure = Expected {
            worth: Worth {
                h3: false,
                h2: true,
            },
            ..FAST
        };
        let little = Expected {
            mean: -0.01,
            ..FAST
        };
        assert_eq!(steering.lease_of(&FAST), 86_400);
        for expected in [unsure, little] {
            assert_eq!(steering.lease_of(&expected), 300, "{expected:?}");
        }
    }
}
