//! What a browser makes of `Alt-Svc` (RFC 7838) and of QUIC that doesn't get through.

/// One client's memory of one origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Browser {
    /// Until when it may use h3.
    offer_until_ms: u64,
    /// Until when QUIC counts as broken.
    broken_until_ms: u64,
    /// How often it did so, without a success since.
    broken: u32,
    open: Option<Connection>,
}

/// A connection that is still there.
#[derive(Clone, Copy, Debug)]
struct Connection {
    quic: bool,
    used_ms: u64,
    /// None before its first page is loaded.
    window: Option<f64>,
    /// Bytes that it carried.
    delivered: f64,
}

/// How a page comes to the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) quic: bool,
    pub(crate) new_connection: bool,
    /// Since the connection was last used; 0 of a new one.
    pub(crate) idle_ms: u64,
    /// How long it tried QUIC in vain before.
    pub(crate) delay_s: f64,
    /// What the server's window had grown to, in bytes; none of a new connection.
    pub(crate) window: Option<f64>,
    /// What the connection has carried, in bytes; 0 of a new one.
    pub(crate) delivered: f64,
}

/// How long a server leaves an idle connection open: nginx's `keepalive_timeout`.
const KEEP_ALIVE_MS: u64 = 75_000;

/// How long TCP is held back for the sake of a QUIC that doesn't answer: a guess after Chromium, which waits for 1.5
/// round trips where it knows them and for some hundreds of milliseconds where it doesn't.
const HELD_BACK_S: f64 = 0.3;

/// How long QUIC counts as broken at first, doubled each time, and at most, as Chromium has it
/// (`net/http/broken_alternative_services.cc`).
const BROKEN_MS: u64 = 300_000;
const BROKEN_MOST_MS: u64 = 2 * 86_400_000;

impl Browser {
    /// Begins a page: over QUIC where it was offered and isn't broken. Where UDP is blocked it comes over TCP, later.
    pub(crate) fn begin(&mut self, now_ms: u64, udp_blocked: bool) -> Way {
        let mut quic = now_ms < self.offer_until_ms && now_ms >= self.broken_until_ms;
        let mut delay_s = 0.0;
        if quic && udp_blocked {
            let doubled = BROKEN_MS.checked_shl(self.broken).unwrap_or(u64::MAX);
            self.broken_until_ms = now_ms.saturating_add(doubled.min(BROKEN_MOST_MS));
            self.broken = (self.broken + 1).min(20);
            (quic, delay_s) = (false, HELD_BACK_S);
        } else if quic {
            self.broken = 0;
        }
        self.over(now_ms, quic, delay_s)
    }

    /// Loads over TCP what the server refused over QUIC.
    pub(crate) fn again_over_tcp(&mut self, now_ms: u64, delay_s: f64) -> Way {
        self.over(now_ms, false, delay_s)
    }

    /// Takes an offer for so many seconds, and holds it for `overstay` times as long.
    pub(crate) fn offered(&mut self, now_ms: u64, max_age_s: u32, overstay: f64) {
        self.offer_until_ms = now_ms + (f64::from(max_age_s) * 1e3 * overstay) as u64;
    }

    /// Forgets the offer.
    pub(crate) fn cleared(&mut self) {
        self.offer_until_ms = 0;
    }

    /// The page of so many `bytes` is loaded, and the server's `window` has grown to so many. It stays open: neither BBR nor QUIC
    /// shrinks it over a pause, and of the others that is assumed, alike for both protocols.
    pub(crate) fn loaded(&mut self, window: f64, bytes: f64) {
        if let Some(open) = &mut self.open {
            open.window = Some(window);
            open.delivered += bytes;
        }
    }

    fn over(&mut self, now_ms: u64, quic: bool, delay_s: f64) -> Way {
        let kept = self
            .open
            .filter(|open| open.quic == quic && now_ms < open.used_ms + KEEP_ALIVE_MS);
        let window = kept.and_then(|open| open.window);
        let delivered = kept.map_or(0.0, |open| open.delivered);
        self.open = Some(Connection {
            quic,
            used_ms: now_ms,
            window,
            delivered,
        });
        Way {
            quic,
            new_connection: kept.is_none(),
            idle_ms: kept.map_or(0, |open| now_ms - open.used_ms),
            delay_s,
            window,
            delivered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_holds_from_the_next_page_until_it_lapses() {
        let mut browser = Browser::default();
        assert!(!browser.begin(0, false).quic);
        browser.offered(0, 10, 1.0);
        assert!(browser.begin(9_999, false).quic);
        assert!(!browser.begin(10_000, false).quic);
    }

    #[test]
    fn what_was_cleared_is_no_offer() {
        let mut browser = Browser::default();
        browser.offered(0, 10, 1.0);
        browser.cleared();
        assert!(!browser.begin(1, false).quic);
    }

    #[test]
    fn an_offer_that_is_overstayed_holds_for_longer() {
        let mut browser = Browser::default();
        browser.offered(0, 10, 3.0);
        assert!(browser.begin(29_999, false).quic);
        assert!(!browser.begin(30_000, false).quic);
    }

    #[test]
    fn blocked_quic_is_tried_again_after_times_that_double() {
        let mut browser = Browser::default();
        browser.offered(0, 86_400, 1.0);
        let tried = |browser: &mut Browser, now_ms| browser.begin(now_ms, true).delay_s > 0.0;
        assert!(tried(&mut browser, 0));
        assert!(!tried(&mut browser, 299_999));
        assert!(tried(&mut browser, 300_000));
        assert!(!tried(&mut browser, 899_999));
        assert!(tried(&mut browser, 900_000));
    }

    #[test]
    fn a_connection_is_used_again_until_it_was_idle_for_too_long() {
        let mut browser = Browser::default();
        assert!(browser.begin(0, false).new_connection);
        browser.loaded(5e4, 2e5);
        let again = browser.begin(74_999, false);
        assert!(!again.new_connection);
        assert_eq!((again.idle_ms, again.window), (74_999, Some(5e4)));
        assert_eq!(again.delivered, 2e5);
        let new = browser.begin(150_000, false);
        assert!(new.new_connection);
        assert_eq!((new.window, new.delivered), (None, 0.0));
    }
}
