//! Who is offered h3 and doesn't come by it: which clients of a key are silent, and whether its clients agree.
//!
//! An offer goes unanswered where the very client that it was made to comes over TCP again, to the same host, while it holds. Who leaves
//! `blocked_after` of them unanswered, and answers none in between, is silent: it is offered nothing for a while, or until it comes by QUIC. Of its neighbours that says nothing, as
//! it may be a program that doesn't heed Alt-Svc. A key as a whole counts as UDP-blocked where as many *different* clients left one unanswered, and
//! nobody came by QUIC in between; twice as many where somebody of it ever did. So no single client moves its neighbours.
//!
//! A key keeps two clients in mind at a time. One that is waited for keeps its place until its offer has lapsed or it hasn't come for [`HELD_S`]; a silent one,
//! until both are silent and a third one is offered h3. Who finds no place is offered h3 as anybody is, and nothing is counted of it.

use bytemuck::Zeroable;

use super::steer::silent_for_s;
use crate::decision::Reason;
use crate::estimate::PAGE_S;
use crate::state::{COUNT, Entry, SILENT, STRIKE, STRIKES, Told};
use crate::steering::Steering;

/// An offer has so long to be followed over another connection before it counts as unanswered; over the connection that it was made on, [`PAGE_S`].
const GRACE_S: u32 = 10;
/// For so long a client that is waited for keeps its place from others.
const HELD_S: u32 = 300;
/// Of `blocked_after`, as many as a place can count and different clients be told apart.
const MOST: u32 = 12;

impl Told {
    /// In which order places are given to others: the least first.
    fn rank(&self, now_s: u32) -> Rank {
        match () {
            () if self.is_silent() => Rank::Silent,
            () if self.until_s <= now_s && self.strikes() == 0 => Rank::Lapsed,
            () if self.until_s <= now_s => Rank::LapsedAgain,
            () if now_s.saturating_sub(self.since_s) >= HELD_S => Rank::Idle,
            () => Rank::Held,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Lapsed,
    LapsedAgain,
    Idle,
    Held,
    Silent,
}

impl Entry {
    /// An offer is made to `client` at `now_s` in the name of `host`, to hold until `until_s`. Offers are a host's: that of one holds for no other. Waited
    /// for is one, until it lapses or another host makes one that lapses sooner: who comes to that one has less time to follow it.
    pub(crate) fn await_answer(&mut self, now_s: u32, client: u64, host: u8, until_s: u32) {
        let Some(told) = self.place_of(now_s, client) else {
            return;
        };
        if told.until_s <= now_s || (host != told.host && until_s < told.until_s) {
            told.since_s = now_s;
            told.host = host;
        }
        if host == told.host {
            told.until_s = until_s;
        }
    }

    /// `client` is told by `host` that no offer holds any more.
    pub(crate) fn take_back(&mut self, client: u64, host: u8) {
        if let Some(told) = self.told_of(client) {
            if told.host == host && !told.is_silent() {
                told.until_s = 0;
            }
        }
    }

    /// `client` comes to `host` over TCP at `now_ms`: an offer that it could have followed goes unanswered.
    pub(crate) fn came_over_tcp(
        &mut self,
        now_ms: u64,
        client: u64,
        host: u8,
        new_connection: bool,
    ) {
        let now_s = (now_ms / 1000) as u32;
        let grace_s = if new_connection { GRACE_S } else { PAGE_S };
        let Some(told) = self.told_of(client) else {
            return;
        };
        let could_follow = !told.is_silent() && told.until_s > now_s && told.host == host;
        if could_follow && now_s.saturating_sub(told.since_s) >= grace_s {
            told.since_s = now_s;
            if told.state & COUNT != COUNT {
                told.state += 1;
            }
            self.unanswered |= 1 << ((client >> 16) & 15);
        }
    }

    /// `client` comes by QUIC: it answers all offers that were made to it, and nobody agrees on anything.
    pub(crate) fn answered(&mut self, client: u64) {
        self.unanswered = 0;
        if let Some(told) = self.told_of(client) {
            match told.is_silent() {
                true => told.state = SILENT, // until it has dwelt
                false => *told = Told::zeroed(),
            }
        }
    }

    /// What was offered before isn't waited for any more.
    pub(crate) fn await_none(&mut self) {
        self.unanswered = 0;
        for told in &mut self.told_clients {
            if !told.is_silent() {
                told.state &= STRIKES;
                told.until_s = 0;
            }
        }
    }

    /// Whether enough different clients left an offer unanswered since somebody came by QUIC. They are told apart by 16 bits, so that some count as one.
    pub(crate) fn agree_on_silence(&self, steering: &Steering) -> bool {
        let wanted = match self.is_answered() {
            true => steering.blocked_after.saturating_mul(2),
            false => steering.blocked_after,
        };
        // One client alone is never all of a key.
        self.unanswered.count_ones() >= wanted.clamp(2, MOST)
    }

    /// Finds at `now_ms` whether `client` falls silent now: it is offered nothing for a day, and after that for as long as any, where nobody of the key
    /// ever came by QUIC; else for `cool_down_s`, twice as long each time.
    pub(crate) fn falls_silent(&mut self, steering: &Steering, client: u64, now_ms: u64) -> bool {
        if self.dwells(steering, now_ms) {
            return false;
        }
        let (answered, leased_until_s) = (self.is_answered(), self.leased_until_s);
        let Some(told) = self.told_of(client) else {
            return false;
        };
        if told.is_silent() || told.count() < steering.blocked_after.min(MOST) {
            return false;
        }
        let strikes = (told.strikes() + 1).min(STRIKES / STRIKE);
        told.state = SILENT | (strikes * STRIKE);
        told.since_s = leased_until_s;
        told.until_s = (now_ms.div_ceil(1000) as u32)
            .saturating_add(silent_for_s(steering, answered, strikes));
        self.changed(now_ms);
        true
    }

    /// Ends what has lasted for long enough by `now_ms`. What a client is told changes no faster than what its key is.
    pub(crate) fn end_silence(&mut self, steering: &Steering, now_ms: u64) {
        if !self.has_silent() || self.dwells(steering, now_ms) {
            return;
        }
        let mut ends = false;
        let now_s = (now_ms / 1000) as u32;
        let most_s = now_s.saturating_add(steering.cool_down_most_s.saturating_add(1));
        for told in &mut self.told_clients {
            if told.is_silent() {
                told.until_s = told.until_s.min(most_s);
                if told.until_s <= now_s || told.has_answered() {
                    (told.state, told.until_s) = (told.state & STRIKES, 0);
                    ends = true;
                }
            }
        }
        if ends {
            self.changed(now_ms);
        }
    }

    /// Why `client` is offered nothing, where it is silent.
    pub(crate) fn silence_of(&self, client: u64) -> Option<Reason> {
        self.silent(client).map(|told| match told.has_answered() {
            true => Reason::Dwelling,
            false => Reason::UdpBlocked,
        })
    }

    fn has_silent(&self) -> bool {
        self.told_clients.iter().any(Told::is_silent)
    }

    /// Until when an offer may still hold that was made to `client` before it fell silent, seconds of the clock; None: it isn't silent.
    pub(crate) fn leased_in_silence_until_s(&self, client: u64) -> Option<u32> {
        self.silent(client).map(|told| told.since_s)
    }

    fn silent(&self, client: u64) -> Option<&Told> {
        self.told_clients
            .iter()
            .find(|told| told.client == client as u16 && told.is_silent())
    }

    fn told_of(&mut self, client: u64) -> Option<&mut Told> {
        self.told_clients
            .iter_mut()
            .find(|told| told.client == client as u16)
    }

    /// A place for `client`: its own, or one that others don't need. None where there is none, or where it is silent.
    fn place_of(&mut self, now_s: u32, client: u64) -> Option<&mut Told> {
        if self.told_of(client).is_none() {
            let order = |told: &&mut Told| (told.rank(now_s), told.until_s);
            let place = self.told_clients.iter_mut().min_by_key(order)?;
            if place.rank(now_s) == Rank::Held {
                return None;
            }
            *place = Told {
                client: client as u16,
                ..Told::zeroed()
            };
        }
        self.told_of(client).filter(|told| !told.is_silent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::OWN;

    const CLIENTS: [u64; 4] = [0x1_1111, 0x2_2222, 0x3_3333, 0x4_4444];

    /// How many offers `client` has left unanswered.
    fn unanswered(entry: &Entry, client: u64) -> u32 {
        let mut told = entry.told_clients.iter();
        told.find(|told| told.client == client as u16)
            .map_or(0, Told::count)
    }

    fn is_silent(entry: &Entry, client: u64) -> bool {
        entry.silence_of(client).is_some()
    }

    /// Comes over TCP and is offered h3 for 300 s.
    fn comes(entry: &mut Entry, second: u64, client: u64, host: u8) -> u32 {
        entry.came_over_tcp(second * 1000, client, host, true);
        entry.lease(second * 1000, client, host, 300);
        unanswered(entry, client)
    }

    #[test]
    fn an_offer_goes_unanswered_where_it_held_for_long_enough_to_be_followed() {
        let mut entry = Entry::new(1, OWN, 0);
        let mut unanswered_after = |second: u64, new_connection| {
            entry.came_over_tcp(second * 1000, 7, 1, new_connection);
            entry.lease(second * 1000, 7, 1, 300);
            unanswered(&entry, 7)
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
        entry.lease(0, 7, 1, 86_400);
        for hour in 1..10 {
            entry.came_over_tcp(hour * 3_600_000, 7, 1, true);
            entry.lease(hour * 3_600_000, 7, 1, 300);
            assert_eq!(unanswered(&entry, 7), 1, "the long one, once");
        }
        assert_eq!(entry.leased_for_s(9 * 3_600_000, 7), 15 * 3600);
    }

    #[test]
    fn a_host_s_long_offer_does_not_hide_that_another_s_short_ones_go_unanswered() {
        let mut entry = Entry::new(1, OWN, 0);
        entry.lease(0, 7, 1, 86_400);
        let came = [100, 150, 200].map(|second| comes(&mut entry, second, 7, 2));
        assert_eq!(came, [0, 1, 2]);
    }

    #[test]
    fn nobody_is_waited_for_who_was_told_that_no_offer_holds() {
        for (host, expected) in [(2, 1), (1, 0)] {
            let mut entry = Entry::new(1, OWN, 0);
            entry.lease(0, 7, 1, 86_400);
            entry.take_back(7, host);
            entry.came_over_tcp(100_000, 7, 1, true);
            assert_eq!(unanswered(&entry, 7), expected, "{host}");
        }
    }

    #[test]
    fn a_host_s_offer_goes_unanswered_by_those_alone_who_come_to_that_host() {
        let mut entry = Entry::new(1, OWN, 0);
        for (place, host) in [1, 2, 3, 4, 5].into_iter().enumerate() {
            assert_eq!(comes(&mut entry, 1000 + 20 * place as u64, 7, host), 0);
        }
        let mut unanswered_after = |second: u64, host: u8| comes(&mut entry, second, 7, host);
        assert_eq!(unanswered_after(1100, 1), 1, "it was told 100 s before");
        assert_eq!(unanswered_after(1390, 2), 1, "1 may still come");
        assert_eq!(
            unanswered_after(1400, 2),
            1,
            "1's has lapsed, 2's is waited for"
        );
        assert_eq!(unanswered_after(1410, 2), 2);
    }

    #[test]
    fn an_offer_goes_unanswered_by_the_client_alone_that_it_was_made_to() {
        let mut entry = Entry::new(1, OWN, 0);
        let [first, second, ..] = CLIENTS;
        assert_eq!(comes(&mut entry, 0, first, 1), 0);
        assert_eq!(comes(&mut entry, 100, second, 1), 0, "it knew of none");
        assert_eq!(comes(&mut entry, 120, first, 1), 1);
        entry.answered(second);
        assert_eq!(unanswered(&entry, first), 1, "its neighbour answers");
        entry.answered(first);
        assert_eq!(unanswered(&entry, first), 0);
    }

    #[test]
    fn clients_agree_where_enough_different_ones_are_silent_and_none_came_by_quic() {
        let steering = Steering::default();
        let mut entry = Entry::new(1, OWN, 0);
        for round in 0..40 {
            comes(&mut entry, 20 * round, CLIENTS[0], 1);
        }
        assert!(!entry.agree_on_silence(&steering), "one alone");
        let mut second = 1000;
        for client in CLIENTS {
            assert!(!entry.agree_on_silence(&steering));
            for _ in 0..2 {
                comes(&mut entry, second, client, 1);
                second += 400;
                entry.lease(second * 1000, client, 1, 300);
                second += 20;
            }
            comes(&mut entry, second, client, 1);
            second += 400;
        }
        assert!(entry.agree_on_silence(&steering));
        entry.answered(0x9_9999);
        assert!(!entry.agree_on_silence(&steering));
    }

    #[test]
    fn a_client_that_is_waited_for_keeps_its_place_and_one_that_stays_away_does_not() {
        let mut entry = Entry::new(1, OWN, 0);
        let [first, second, third, _] = CLIENTS;
        for client in [first, second, third] {
            entry.lease(0, client, 1, 86_400);
        }
        entry.came_over_tcp(20_000, third, 1, true);
        assert_eq!(unanswered(&entry, third), 0, "there was no place for it");
        entry.came_over_tcp(290_000, first, 1, true);
        assert_eq!(unanswered(&entry, first), 1);
        entry.lease(300_000, third, 1, 86_400);
        entry.came_over_tcp(320_000, third, 1, true);
        assert_eq!(unanswered(&entry, third), 1, "in the second one's place");
        assert_eq!(unanswered(&entry, first), 1);
    }

    #[test]
    fn a_silent_client_keeps_its_place_until_all_are_silent() {
        let steering = Steering::default();
        let mut entry = Entry::new(1, OWN, 0);
        let [first, second, third, _] = CLIENTS;
        let silence = |entry: &mut Entry, client: u64, from_s: u64| {
            for round in 0..5 {
                comes(entry, from_s + 20 * round, client, 1);
            }
            entry.falls_silent(&steering, client, (from_s + 80) * 1000)
        };
        assert!(silence(&mut entry, first, 0));
        entry.lease(100_000, second, 1, 300);
        entry.lease(100_000, third, 1, 300);
        assert!(is_silent(&entry, first), "the second has the other place");
        assert!(silence(&mut entry, second, 200));
        assert!(is_silent(&entry, first) && is_silent(&entry, second));
        assert!(silence(&mut entry, third, 400));
        assert!(!is_silent(&entry, first) && is_silent(&entry, second) && is_silent(&entry, third));
    }

    #[test]
    fn silence_ends_and_lasts_for_longer_the_next_time() {
        let steering = Steering::default();
        for (answered, lasts_s) in [(false, [86_400, 86_400]), (true, [600, 1200])] {
            let mut entry = Entry::new(1, OWN, 0);
            if answered {
                entry.arrived_by_quic(9);
            }
            let mut second = 1000;
            for lasts_s in lasts_s {
                for _ in 0..5 {
                    comes(&mut entry, second, 7, 1);
                    second += 20;
                }
                assert!(entry.falls_silent(&steering, 7, second * 1000));
                entry.end_silence(&steering, (second + lasts_s) * 1000 - 1);
                assert!(is_silent(&entry, 7));
                second += lasts_s;
                entry.end_silence(&steering, second * 1000);
                assert!(!is_silent(&entry, 7), "{answered} {lasts_s}");
            }
        }
    }
}
