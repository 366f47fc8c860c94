//! One rule over one world, page by page in the order of time.

use crate::browser::{Browser, Way};
use crate::outcome::{Load, Seen};
use crate::random::{Purpose, Random};
use crate::rules::{Action, Contact, Group, Rule};
use crate::spec::Event;
use crate::world::{Met, World};

/// What became of one page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    pub(crate) responses: u32,
    /// Its expected time over that of the better protocol, less 1.
    pub(crate) regret: f64,
    /// What h3 changed about the logarithm of its expected time: 0 where it came over h2.
    pub(crate) change: f64,
    pub(crate) quic: bool,
    /// How many requests were failed to move the client.
    pub(crate) failed: u32,
    pub(crate) group: Group,
}

/// Plays all pages; `told` is given each page's number and what became of it.
pub(crate) fn play(world: &World<'_>, rule: &mut impl Rule, mut told: impl FnMut(usize, &Played)) {
    let mut browsers = vec![Browser::default(); world.clients.len()];
    let mut strangers = Random::new(world.spec.seed, Purpose::Flood, 0);
    for number in 0..world.pages.len() {
        told(number, &page(world, number, &mut browsers, rule));
        if let Some(Event::Flood { per_page, beside }) = world.spec.event {
            for _ in 0..per_page {
                let address = stranger(world, beside, &mut strangers);
                flood(address, world.pages[number].at_ms, rule);
            }
        }
    }
}

fn page<R: Rule>(
    world: &World<'_>,
    number: usize,
    browsers: &mut [Browser],
    rule: &mut R,
) -> Played {
    let page = &world.pages[number];
    let client = &world.clients[page.client as usize];
    let browser = &mut browsers[page.client as usize];
    let (met, mut random) = world.met(number);
    let h3_is_better = met.ln_ratio < 0.0 && !met.network.udp_blocked;
    let mut way = browser.begin(page.at_ms, met.network.udp_blocked);
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
        action = rule.answer(&contact(&way));
    }
    let group = rule.group();
    take(action, browser, page.at_ms);
    let place = usize::from(way.quic);
    let change = if way.quic { met.ln_ratio } else { 0.0 };
    let load = Load {
        network: &met.network,
        loss_based: met.loss_based,
        factor: change.exp() * met.factors[place],
        min_rtt_us: met.min_rtt_us,
    };
    for (place, bytes) in met.responses.iter().enumerate() {
        // The document is acknowledged before the rest is asked for, whose requests come together.
        if place == 1 {
            let later = Contact {
                new_connection: false,
                ..contact(&way)
            };
            let action = rule.answer(&later);
            take(action, browser, page.at_ms);
        }
        if R::LEARNS {
            let seen = load.response(*bytes, &world.spec.noise, &mut random);
            rule.learn(&contact(&way), &seen);
        }
    }
    Played {
        responses: met.responses.len() as u32,
        regret: regret(&met, &way, h3_is_better),
        change,
        quic: way.quic,
        failed,
        group,
    }
}

fn take(action: Action, browser: &mut Browser, now_ms: u64) {
    match action {
        Action::Advertise { max_age_s } => browser.offered(now_ms, max_age_s),
        Action::Clear | Action::Refuse => browser.cleared(),
        Action::Nothing => {}
    }
}

/// By expected times, so that noise doesn't enter.
fn regret(met: &Met, way: &Way, h3_is_better: bool) -> f64 {
    let ratio = met.ln_ratio.exp();
    let used = if way.quic { ratio } else { 1.0 };
    let best = if h3_is_better { ratio } else { 1.0 };
    (used + way.delay_s / met.h2_s) / best - 1.0
}

/// A stranger's address: any, or one beside a client's, but never of a client's own /24, which are the even ones.
fn stranger(world: &World<'_>, beside: f64, random: &mut Random) -> [u8; 4] {
    let mut address = [0; 4].map(|_: u8| random.one_of(256) as u8);
    if random.happens(beside) {
        let client = world.clients[random.one_of(world.clients.len())].address;
        address[..2].copy_from_slice(&client[..2]);
    }
    address[2] |= 1;
    address
}

/// A stranger's visit over both protocols.
fn flood(address: [u8; 4], now_ms: u64, rule: &mut impl Rule) {
    for (quic, time_us) in [(false, 60_000_000), (true, 1_000)] {
        let contact = Contact {
            client: u32::MAX,
            address,
            control: None,
            quic,
            now_ms,
            new_connection: true,
            idle_ms: 0,
            h3_is_better: false,
        };
        rule.answer(&contact);
        let seen = Seen {
            bytes: 100_000,
            time_us,
            min_rtt_us: 1_000,
            sent: 100,
            lost: if quic { 0 } else { 50 },
            rate_bytes_per_s: 0,
        };
        rule.learn(&contact, &seen);
    }
}
