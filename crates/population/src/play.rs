//! One rule's clients, page by page in the order of time.

use crate::browser::{Browser, Way};
use crate::course::Course;
use crate::outcome::{Load, Seen};
use crate::random::Random;
use crate::rules::{Action, Contact, Group, Rule};
use crate::world::{Met, World};

/// What became of one page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    pub(crate) responses: u32,
    /// Its expected time over that of the better protocol, less 1.
    pub(crate) regret: f64,
    pub(crate) quic: bool,
    /// How many requests were failed to move the client.
    pub(crate) failed: u32,
    pub(crate) group: Group,
}

/// A rule, and what its clients' browsers remember of it.
pub(crate) struct Player<R> {
    pub(crate) rule: R,
    browsers: Vec<Browser>,
}

impl<R: Rule> Player<R> {
    pub(crate) fn new(world: &World<'_>, rule: R) -> Player<R> {
        Player {
            rule,
            browsers: vec![Browser::default(); world.clients.len()],
        }
    }

    /// Plays the `number`th page, which meets what is said and draws from `random` what a gateway sees of it; with it the
    /// course that it took.
    pub(crate) fn page<'m>(
        &mut self,
        world: &World<'_>,
        number: usize,
        met: &'m Met,
        random: &Random,
    ) -> (Played, Course<'m>) {
        let page = &world.pages[number];
        let client = &world.clients[page.client as usize];
        let Player { rule, browsers } = self;
        let browser = &mut browsers[page.client as usize];
        let (first, overstay) = (world.spec.truth.first, world.spec.traffic.overstay);
        let mut way = browser.begin(page.at_ms, met.network.udp_blocked);
        let mut course = Course::new(met, &way, first);
        let ratio = course.ratio();
        let h3_is_better = ratio < 1.0 && !met.network.udp_blocked;
        let contact = |way: &Way| Contact {
            client: page.client,
            address: client.address,
            control: Some(client.control),
            quic: way.quic,
            now_ms: page.at_ms,
            new_connection: way.new_connection,
            idle_ms: way.idle_ms,
            h3_is_better,
        };
        if way.new_connection {
            rule.learn(&contact(&way), &Seen::of_handshake(met.min_rtt_us));
        }
        let mut failed = 0;
        let mut action = rule.answer(&contact(&way));
        if action == Action::Refuse {
            // The round trip of the request that was refused.
            failed = 1;
            browser.cleared();
            let delay_s = way.delay_s + met.network.rtt_ms / 1e3;
            way = browser.again_over_tcp(page.at_ms, delay_s);
            course = Course::new(met, &way, first);
            action = rule.answer(&contact(&way));
        }
        let group = rule.group();
        take(action, browser, page.at_ms, overstay);
        let load = Load {
            loss: met.network.loss,
            capacity: met.capacity,
            factor: met.factors[usize::from(way.quic)],
            min_rtt_us: met.min_rtt_us,
        };
        let mut random = random.clone();
        let mut delivered = way.delivered;
        let responses = met.responses.iter().zip(course.times_s(way.quic));
        for (place, (bytes, expected_s)) in responses.enumerate() {
            // The document is acknowledged before the rest is asked for, whose requests come together.
            if place == 1 {
                let later = Contact {
                    new_connection: false,
                    ..contact(&way)
                };
                take(rule.answer(&later), browser, page.at_ms, overstay);
            }
            if R::LEARNS {
                let noise = &world.spec.noise;
                let seen = load.response(*bytes, delivered, expected_s, noise, &mut random);
                delivered += bytes;
                rule.learn(&contact(&way), &seen);
            } else if place == 1 {
                break;
            }
        }
        browser.loaded(course.window_after(), met.responses.iter().sum());
        let used = if way.quic { ratio } else { 1.0 };
        let best = if h3_is_better { ratio } else { 1.0 };
        let delay = if way.delay_s > 0.0 {
            way.delay_s / course.h2_s()
        } else {
            0.0
        };
        let played = Played {
            responses: met.responses.len() as u32,
            // By expected times, so that noise doesn't enter.
            regret: (used + delay) / best - 1.0,
            quic: way.quic,
            failed,
            group,
        };
        (played, course)
    }
}

/// What a browser makes of an answer.
fn take(action: Action, browser: &mut Browser, now_ms: u64, overstay: f64) {
    match action {
        Action::Advertise { max_age_s } => browser.offered(now_ms, max_age_s, overstay),
        Action::Clear if overstay > 1.0 => {}
        Action::Clear | Action::Refuse => browser.cleared(),
        Action::Nothing => {}
    }
}
