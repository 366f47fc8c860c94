//! Who loads a page when.

use crate::client::{Client, Hardness};
use crate::random::{Purpose, Random};
use crate::spec::Spec;

/// One page visit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(crate) at_ms: u64,
    pub(crate) client: u32,
    /// Whether a flapping client is on its second network.
    pub(crate) away: bool,
    /// What the session's times have beside what is expected, as a logarithm.
    pub(crate) mood: f64,
}

const DAY_S: f64 = 86_400.0;

/// All page visits of all clients, in the order of time: sessions as a Poisson process, pages a session geometric,
/// pauses exponential.
pub(crate) fn pages(spec: &Spec, clients: &[Client]) -> Vec<Page> {
    let mut pages = Vec::new();
    for (number, client) in clients.iter().enumerate() {
        let mut random = Random::new(spec.seed, Purpose::Traffic, number as u64);
        of_client(spec, number as u32, client, &mut random, &mut pages);
    }
    pages.sort_by_key(|page| (page.at_ms, page.client));
    pages
}

fn of_client(
    spec: &Spec,
    number: u32,
    client: &Client,
    random: &mut Random,
    pages: &mut Vec<Page>,
) {
    let traffic = &spec.traffic;
    let end_s = spec.days * DAY_S;
    let another = 1.0 - 1.0 / traffic.pages.max(1.0);
    let flapping = client.hardness == Hardness::Flapping;
    // On a stream of their own, so that moods move nobody's visits.
    let mut moods = Random::new(spec.seed, Purpose::Visit, u64::from(number));
    let mut away = false;
    let mut before_s = 0.0;
    let mut session_s = random.exponential(DAY_S / client.sessions_per_day);
    while session_s < end_s {
        let mut at_s = session_s;
        let mood = spec.noise.visit * moods.normal();
        loop {
            if flapping {
                away ^= random.happens(flipped(at_s - before_s, spec.hard.flap_s));
                before_s = at_s;
            }
            pages.push(Page {
                at_ms: (at_s * 1e3) as u64,
                client: number,
                away,
                mood,
            });
            if !random.happens(another) {
                break;
            }
            at_s += random.exponential(traffic.pause_s);
        }
        // The next session begins after this one.
        session_s = at_s + random.exponential(DAY_S / client.sessions_per_day);
    }
    while pages
        .last()
        .is_some_and(|page| page.client == number && page.at_ms as f64 >= end_s * 1e3)
    {
        pages.pop();
    }
}

/// How likely a process that changes sides after exponential times of this mean is on the other side after a time.
fn flipped(after_s: f64, mean_s: f64) -> f64 {
    (1.0 - (-2.0 * after_s / mean_s).exp()) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;
    use serde_json::json;

    fn pages_with(visit: f64) -> Vec<Page> {
        let spec: Spec = serde_json::from_value(json!({
            "seed": 1,
            "policy": "",
            "clients": 50,
            "days": 10.0,
            "truth": { "rtt_ms": [10.0], "loss": [0.0], "rate_mbit": [1.0], "surfaces": {}, "between_clients": 0.0 },
            "networks": [
                { "name": "one", "share": 1.0, "rtt_ms": [10.0, 20.0], "loss": [0.0, 0.0], "rate_mbit": [10.0, 20.0] },
            ],
            "tcp": { "cubic": 1.0 },
            "traffic": {
                "sessions_per_day": 4.0, "sessions_sd": 0.0, "pages": 4.0, "pause_s": 1.0, "responses": 1.0,
                "bytes": 1e4, "bytes_sd": 0.0,
            },
            "noise": { "response": 0.0, "page": 0.0, "visit": visit, "own_loss": 0.0 },
        }))
        .expect("a specification");
        let mut found = pages(&spec, &client::clients(&spec));
        found.sort_by_key(|page| (page.client, page.at_ms));
        found
    }

    #[test]
    fn moods_move_nobody_s_visits() {
        let when =
            |visit| -> Vec<u64> { pages_with(visit).iter().map(|page| page.at_ms).collect() };
        assert_eq!(when(0.0), when(0.3));
    }

    /// Sessions of pages a second apart, most of them hours after each other.
    #[test]
    fn pages_of_a_session_share_a_mood_and_the_next_session_has_another() {
        const APART_MS: u64 = 60_000;
        let pages = pages_with(0.3);
        let pairs = pages
            .windows(2)
            .filter(|two| two[0].client == two[1].client);
        let (mut within, mut between) = (0, 0);
        for two in pairs {
            let one_mood = two[0].mood == two[1].mood;
            assert!(!one_mood || two[1].at_ms - two[0].at_ms < APART_MS);
            within += u32::from(one_mood);
            between += u32::from(!one_mood);
        }
        assert!(within > 1000 && between > 1000, "{within} {between}");
    }

    /// Within five standard errors of a standard deviation, which a right one leaves once in two million times.
    #[test]
    fn moods_scatter_as_asked_for() {
        let mut moods: Vec<f64> = pages_with(0.3).iter().map(|page| page.mood).collect();
        moods.dedup();
        let count = moods.len() as f64;
        let sd = (moods.iter().map(|mood| mood * mood).sum::<f64>() / count).sqrt();
        assert!((sd - 0.3).abs() < 5.0 * 0.3 / (2.0 * count).sqrt(), "{sd}");
    }
}
