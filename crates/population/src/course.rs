//! What a page is expected to take on the connection that it comes by.

use crate::browser::Way;
use crate::outcome::INITIAL_WINDOW;
use crate::world::Met;

/// A page's responses, one after the other on one connection.
///
/// The connection's state counts alike for both protocols: what one of them would have made of the page is reckoned for
/// a connection as new, or as warm, as the one that it came by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course<'a> {
    met: &'a Met,
    /// The connection's window before the first response, in bytes.
    window: f64,
    /// What the first response's ln ratio has beside the others'.
    first: f64,
}

impl<'a> Course<'a> {
    /// A page by a way, where a new connection's first response has `first` on its ln ratio.
    pub(crate) fn new(met: &'a Met, way: &Way, first: f64) -> Course<'a> {
        Course {
            met,
            window: way.window.unwrap_or(INITIAL_WINDOW),
            first: if way.new_connection { first } else { 0.0 },
        }
    }

    /// What each response is expected to take, in seconds.
    pub(crate) fn times_s(self, quic: bool) -> impl Iterator<Item = f64> + 'a {
        let Met {
            capacity, ln_ratio, ..
        } = self.met;
        let (later, first) = match quic {
            true => (ln_ratio.exp(), (ln_ratio + self.first).exp()),
            false => (1.0, 1.0),
        };
        let responses = self.met.responses.iter().enumerate();
        responses.scan(self.window, move |window, (place, bytes)| {
            let expected = capacity.expected_s(*bytes, *window);
            *window = capacity.grown(*window, *bytes);
            Some(expected * if place == 0 { first } else { later })
        })
    }

    /// The connection's window after the last response, in bytes.
    pub(crate) fn window_after(self) -> f64 {
        let responses = self.met.responses.iter();
        responses.fold(self.window, |window, bytes| {
            self.met.capacity.grown(window, *bytes)
        })
    }

    /// What the page is expected to take over h2, in seconds: its responses one after the other.
    pub(crate) fn h2_s(self) -> f64 {
        self.times_s(false).sum()
    }

    /// The page's expected time over h3 to that over h2.
    pub(crate) fn ratio(self) -> f64 {
        if self.first == 0.0 {
            return self.met.ln_ratio.exp();
        }
        self.times_s(true).sum::<f64>() / self.h2_s()
    }

    /// The mean over responses of the logarithms of what is typical of them, in seconds: what outcomes scatter about.
    pub(crate) fn level(self, quic: bool) -> f64 {
        let count = self.met.responses.len() as f64;
        let expected = self.times_s(quic).map(f64::ln).sum::<f64>() / count;
        expected + self.met.typical[usize::from(quic)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;
    use crate::outcome::Capacity;

    fn met(ln_ratio: f64) -> Met {
        let network = Network {
            rtt_ms: 100.0,
            rate_mbit: 50.0,
            ..Network::default()
        };
        Met {
            network,
            capacity: Capacity::of(&network, true),
            responses: vec![20_000.0; 4],
            ln_ratio,
            factors: [1.0; 2],
            typical: [0.0; 2],
            min_rtt_us: 100_000,
        }
    }

    fn way(window: Option<f64>) -> Way {
        Way {
            quic: false,
            new_connection: window.is_none(),
            idle_ms: 0,
            delay_s: 0.0,
            window,
            delivered: 0.0,
        }
    }

    fn ratios(course: Course<'_>) -> Vec<f64> {
        let both = course.times_s(true).zip(course.times_s(false));
        both.map(|(h3_s, h2_s)| (h3_s / h2_s).ln()).collect()
    }

    #[test]
    fn a_connection_s_first_responses_take_longer_than_the_same_ones_later() {
        let met = met(0.0);
        let cold = Course::new(&met, &way(None), 0.0);
        let times: Vec<f64> = cold.times_s(false).collect();
        assert!(times[0] > 1.2 * times[3], "{times:?}");
        let warm = Course::new(&met, &way(Some(cold.window_after())), 0.0);
        assert!(warm.level(false) < cold.level(false) - 0.1);
        assert!(warm.window_after() >= cold.window_after());
    }

    #[test]
    fn only_a_new_connection_s_first_response_has_a_ratio_of_its_own() {
        let met = met(-0.2);
        let close = |found: Vec<f64>, expected: [f64; 4]| {
            let mut pairs = found.iter().zip(expected);
            pairs.all(|(one, other)| (one - other).abs() < 1e-12)
        };
        let new = Course::new(&met, &way(None), 0.5);
        assert!(close(ratios(new), [0.3, -0.2, -0.2, -0.2]));
        let kept = Course::new(&met, &way(Some(1e6)), 0.5);
        assert!(close(ratios(kept), [-0.2; 4]));
        assert!((new.level(true) - new.level(false) + 0.2 - 0.5 / 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_page_s_ratio_is_that_of_its_summed_times() {
        let met = met(-0.2);
        let new = Course::new(&met, &way(None), 0.5);
        let sum: f64 = new.times_s(true).sum();
        assert!((new.ratio() - sum / new.h2_s()).abs() < 1e-12);
        let kept = Course::new(&met, &way(Some(1e6)), 0.5);
        assert!((kept.ratio() - (-0.2f64).exp()).abs() < 1e-12);
    }
}
