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
    let mut away = false;
    let mut before_s = 0.0;
    let mut session_s = random.exponential(DAY_S / client.sessions_per_day);
    while session_s < end_s {
        let mut at_s = session_s;
        loop {
            if flapping {
                away ^= random.happens(flipped(at_s - before_s, spec.hard.flap_s));
                before_s = at_s;
            }
            pages.push(Page {
                at_ms: (at_s * 1e3) as u64,
                client: number,
                away,
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
