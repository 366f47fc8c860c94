//! What a visit's responses count: they share their network's mood and what befell their page, and are no independent ones.
//!
//! Of a visit's responses x = level + v + e, with v ~ N(0, visit²) shared by all of them and e ~ N(0, response²) each response's own. The mean of
//! n has the variance visit² + response²/n, that of n / (1 + nρ) independent responses with ρ = visit²/response² (the effective sample size of a
//! cluster: Kish 1965, Survey Sampling, section 5.4, with ρ as the odds of the intraclass correlation). The n-th response counts what it adds to
//! that: 1 / ((1 + nρ)(1 + (n − 1)ρ)). So nothing of a visit is kept but when it began and how many its responses are; that earlier ones weigh
//! more than later ones makes the variance of the mean of eight, at ρ = 0.2, a tenth greater than it had to be. What befalls a page is shared by
//! that page's responses alone; of a visit's m pages it counts as page²/m. How many they are by now is taken from the time since the first.

use crate::math;
use crate::policy::Policy;
use crate::state::{Network, Visit};

/// So long a page takes. An offer that was taken back is heeded within that as well.
pub(crate) const PAGE_S: u32 = 30;

/// What comes within five minutes of a visit's first response belongs to it. A prefix with many clients has a visit after the other.
const LASTS_MS: u32 = 300_000;

/// A visit's pages, each of which what befalls it befalls alone: one more each so many milliseconds.
const PAGE_MS: u32 = 1000 * PAGE_S;

/// What a visit's responses share, as variances relative to that of one response.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rho {
    /// Of the visit's mood.
    pub(crate) mood: f64,
    /// Of what befalls one page.
    pub(crate) page: f64,
}

impl Rho {
    /// Of a visit of one page.
    pub(crate) fn of_one_page(&self) -> f64 {
        self.mood + self.page
    }
}

/// ρ of a key's visits by TCP and by QUIC. Where its connections' round trips differ, so do its visits: it has clients on several networks.
/// Where packets are lost, one page takes several times as long as the next, and far more so over TCP than over QUIC: a loss of few moves
/// all of a page's responses. That is how much the laboratory saw page loads differ on such networks, `pages` (`prior.rs`).
pub(crate) fn rho(policy: &Policy, network: &Network, pages: [f64; 2]) -> [Rho; 2] {
    let noise = policy.noise();
    let response = math::square(noise.response);
    let mood = (math::square(noise.visit) + network.spread()) / response;
    pages.map(|page| Rho {
        mood,
        page: page / response,
    })
}

impl Visit {
    /// Takes in a response at `now_ms`: whether it begins a visit, and how many independent responses it counts as, 0 to 1.
    pub(crate) fn count(&mut self, now_ms: u64, rho: Rho) -> (bool, f64) {
        let now_ms = now_ms as u32;
        let begins = self.responses == 0 || now_ms.wrapping_sub(self.begun_ms) >= LASTS_MS;
        if begins {
            *self = Visit {
                begun_ms: now_ms,
                responses: 0,
            };
        }
        let pages = 1 + now_ms.wrapping_sub(self.begun_ms) / PAGE_MS;
        let rho = rho.mood + rho.page / f64::from(pages);
        let before = f64::from(self.responses);
        self.responses = self.responses.saturating_add(1);
        let weight = 1.0 / ((1.0 + rho * (before + 1.0)) * (1.0 + rho * before));
        (begins, weight)
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;

    fn mood(mood: f64) -> Rho {
        Rho { mood, page: 0.0 }
    }

    #[test]
    fn a_visit_counts_as_many_independent_responses_as_make_the_variance_of_its_mean() {
        let (visit, response) = (0.2, 0.35);
        let rho = visit * visit / (response * response);
        let mut of = Visit::zeroed();
        let mut counted = 0.0;
        for n in 1..=100 {
            let (begins, weight) = of.count(1_000_000 + n, mood(rho));
            counted += weight;
            assert_eq!(begins, n == 1);
            let of_mean = visit * visit + response * response / n as f64;
            assert!(
                (response * response / counted - of_mean).abs() < 1e-9,
                "{n}"
            );
        }
        assert!(counted < 1.0 / rho);
    }

    #[test]
    fn responses_are_independent_where_visits_have_no_mood() {
        let mut of = Visit::zeroed();
        assert!((0..50).all(|n| of.count(n, mood(0.0)).1 == 1.0));
    }

    #[test]
    fn a_visit_ends_however_steadily_responses_come() {
        let mut of = Visit::zeroed();
        let begun = (0..1000).filter(|second| of.count(second * 1000, mood(0.3)).0);
        assert_eq!(begun.collect::<std::vec::Vec<_>>(), [0, 300, 600, 900]);
    }

    #[test]
    fn what_befalls_a_page_counts_the_less_the_more_pages_a_visit_has() {
        let page = Rho {
            mood: 0.0,
            page: 0.5,
        };
        let counted = |apart_ms: u64| -> f64 {
            let mut of = Visit::zeroed();
            (0..8).map(|n| of.count(n * apart_ms, page).1).sum()
        };
        assert!((counted(1) - 8.0 / (1.0 + 8.0 * 0.5)).abs() < 1e-9);
        assert!(counted(30_000) > 1.5 * counted(1), "{}", counted(30_000));
    }
}
