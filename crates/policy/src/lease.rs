//! Offers: for how long one holds, and who came over TCP though it could have followed one.
//!
//! An offer holds for `lease_most_s` where h3 is expected to be faster and another look at h2 isn't worth what it costs, so that clients that come back
//! needn't come over TCP first; and for `lease_s` else. A key that wasn't tried yet has nothing to look for over h2: whoever follows the map's word tells
//! by its responses over h3 whether it holds, and these renew the offer for as long as is right by then. Whoever is let go within a long lease is told so.

use crate::entry::{Entry, Expected};
use crate::steering::Steering;

/// An offer has so long to be followed over another connection before it counts as unanswered: several clients of one prefix may come at once …
const GRACE_S: u32 = 10;
/// … and over the connection that it was made on, so long as a page takes. An offer that was taken back is heeded within that as well.
pub(crate) const PAGE_S: u32 = 30;

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
    /// An offer is made at `now_ms` in the name of `host`, to hold for so long. Offers are a host's: that of one holds for no other. Waited for is one,
    /// until it lapses or another host makes one that lapses sooner: who comes to that one has less time to follow it.
    pub(crate) fn lease(&mut self, now_ms: u64, host: u8, max_age_s: u32) {
        let now_s = (now_ms / 1000) as u32;
        let until_s = now_s.saturating_add(max_age_s);
        if self.promised_until_s <= now_s
            || (host != self.offered_by && until_s < self.promised_until_s)
        {
            self.offered_s = now_s;
            self.offered_by = host;
        }
        if host == self.offered_by {
            self.promised_until_s = until_s;
        }
        self.leased_until_s = self.leased_until_s.max(until_s);
    }

    /// A client of `host` is told that no offer holds any more.
    pub(crate) fn take_back(&mut self, host: u8) {
        if host == self.offered_by {
            self.promised_until_s = 0;
        }
    }

    /// A client comes to `host` over TCP at `now_ms`: an offer that it could have followed goes unanswered.
    pub(crate) fn came_over_tcp(&mut self, now_ms: u64, host: u8, new_connection: bool) {
        let now_s = (now_ms / 1000) as u32;
        let grace_s = if new_connection { GRACE_S } else { PAGE_S };
        let could_follow = self.promised_until_s > now_s && self.offered_by == host;
        if could_follow && now_s.saturating_sub(self.offered_s) >= grace_s {
            self.unanswered = self.unanswered.saturating_add(1);
            self.offered_s = now_s;
        }
    }

    /// For how many seconds from `now_ms` on an offer still holds.
    pub(crate) fn leased_for_s(&self, now_ms: u64) -> u32 {
        self.leased_until_s.saturating_sub((now_ms / 1000) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::OWN;
    use crate::value::Worth;

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

    #[test]
    fn an_offer_goes_unanswered_where_it_held_for_long_enough_to_be_followed() {
        let mut entry = Entry::new(1, OWN, 0);
        let mut unanswered_after = |second: u64, new_connection| {
            entry.came_over_tcp(second * 1000, 1, new_connection);
            entry.lease(second * 1000, 1, 300);
            entry.unanswered
        };
        assert_eq!(unanswered_after(1000, true), 0, "nobody knew of one");
        assert_eq!(unanswered_after(1009, true), 0, "there was no time to");
        assert_eq!(unanswered_after(1010, true), 1);
        assert_eq!(unanswered_after(1039, false), 1, "it may be the same page");
        assert_eq!(unanswered_after(1040, false), 2);
        assert_eq!(unanswered_after(1340, true), 2, "all have lapsed");
    }

    #[test]
    fn a_short_offer_that_lapsed_was_not_there_to_be_followed_though_a_long_one_was_made_before() {
        let mut entry = Entry::new(1, OWN, 0);
        entry.lease(0, 1, 86_400);
        for hour in 1..10 {
            entry.came_over_tcp(hour * 3_600_000, 1, true);
            entry.lease(hour * 3_600_000, 1, 300);
            assert_eq!(entry.unanswered, 1, "the long one, once");
        }
        assert_eq!(entry.leased_for_s(9 * 3_600_000), 15 * 3600);
    }

    #[test]
    fn a_host_s_long_offer_does_not_hide_that_another_s_short_ones_go_unanswered() {
        let mut entry = Entry::new(1, OWN, 0);
        entry.lease(0, 1, 86_400);
        let mut unanswered_after = |second: u64| {
            entry.came_over_tcp(second * 1000, 2, true);
            entry.lease(second * 1000, 2, 300);
            entry.unanswered
        };
        assert_eq!([100, 150, 200].map(&mut unanswered_after), [0, 1, 2]);
    }

    #[test]
    fn nobody_is_waited_for_who_was_told_that_no_offer_holds() {
        let mut entry = Entry::new(1, OWN, 0);
        for (host, unanswered) in [(2, 1), (1, 0)] {
            entry.unanswered = 0;
            entry.lease(0, 1, 86_400);
            entry.take_back(host);
            entry.came_over_tcp(100_000, 1, true);
            assert_eq!(entry.unanswered, unanswered, "{host}");
        }
    }

    #[test]
    fn a_host_s_offer_goes_unanswered_by_those_alone_who_come_to_that_host() {
        let mut entry = Entry::new(1, OWN, 0);
        let mut unanswered_after = |second: u64, host: u8| {
            entry.came_over_tcp(second * 1000, host, true);
            entry.lease(second * 1000, host, 300);
            entry.unanswered
        };
        for (place, host) in [1, 2, 3, 4, 5].into_iter().enumerate() {
            assert_eq!(unanswered_after(1000 + 20 * place as u64, host), 0);
        }
        assert_eq!(unanswered_after(1100, 1), 1, "it was told 100 s before");
        assert_eq!(unanswered_after(1390, 2), 1, "1 may still come");
        assert_eq!(
            unanswered_after(1400, 2),
            1,
            "1's has lapsed, 2's is waited for"
        );
        assert_eq!(unanswered_after(1410, 2), 2);
    }
}
