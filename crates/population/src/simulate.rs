//! All rules over one world.

use pronghorn_policy::{Policy, Table};

use crate::flood;
use crate::pinned::Pinned;
use crate::play::Player;
use crate::random::{Purpose, Random};
use crate::regret::{Estimate, Tally};
use crate::report::{Holdout, Report, TableUse};
use crate::rules::{Always, Informed, Learned, PublicModule};
use crate::segments::segments;
use crate::spec::{Spec, SpecError};
use crate::uplift::Uplift;
use crate::world::World;

/// The rules' names. `informed` knows the truth and has only `Alt-Svc` to act on it.
pub(crate) const RULES: [&str; 5] = [
    "learned",
    "always-h2",
    "always-h3",
    "public-module",
    "informed",
];

/// Where ours is in [`RULES`], and the two that do the same for all.
pub(crate) const OURS: usize = 0;
pub(crate) const ALWAYS: [usize; 2] = [1, 2];

/// The key table's secret: any will do where nobody attacks the hash.
const SECRET: [u8; 16] = *b"virtual gateways";

/// Simulates; an error where the specification or its policy can't be.
pub fn simulate(spec: &Spec) -> Result<Report, SpecError> {
    let policy = Policy::parse(&spec.policy).map_err(|error| SpecError::Policy {
        line: error.line,
        reason: error.reason,
    })?;
    let world = World::new(spec)?;
    let mut memory = vec![0u64; spec.gateway.zone_bytes / 8];
    let table = Table::init(&mut memory, secret(spec.seed))
        .map_err(|error| SpecError::figure("gateway.zone_bytes", error.to_string()))?;
    let gateway = Learned::new(&policy, table, &spec.gateway, &world.controls);
    let played = Played::all(&world, &policy, gateway);
    let end_ms = (spec.days * 86_400e3) as u64;
    let (told, groups, table) = told(&played.gateway, end_ms);
    Ok(Report {
        clients: spec.clients,
        keys: keys(&world) as u32,
        requests: played.requests,
        segments: segments(&world, &played.tallies),
        pinned: played.pinned.regrets(),
        holdout: Holdout {
            told,
            truth: played.uplift.mean(),
            groups,
        },
        table,
    })
}

/// What became of all pages under all rules.
struct Played<'a> {
    gateway: Learned<'a>,
    /// By rule and client; pages that our gateway had pinned are left out.
    tallies: [Vec<Tally>; RULES.len()],
    pinned: Pinned,
    uplift: Uplift,
    requests: u64,
}

impl<'a> Played<'a> {
    fn all(world: &World<'_>, policy: &Policy, gateway: Learned<'a>) -> Played<'a> {
        let mut ours = Player::new(world, gateway);
        let mut always_h2 = Player::new(world, Always::H2);
        let mut always_h3 = Player::new(world, Always::H3);
        let mut public = Player::new(world, PublicModule::new(world.clients.len()));
        let mut informed = Player::new(world, Informed);
        let mut strangers = Random::new(world.spec.seed, Purpose::Flood, 0);
        let mut tallies = [(); RULES.len()].map(|()| vec![Tally::default(); world.clients.len()]);
        let mut pinned = Pinned::new(keys(world));
        let steering = policy.steering();
        let epoch_ms = u64::from(steering.epoch_s) * 1000;
        let mut uplift = Uplift::new(epoch_ms, u64::from(steering.lease_s), keys(world));
        let mut requests = 0;
        for (number, page) in world.pages.iter().enumerate() {
            let (met, random) = world.met(number);
            let (mine, course) = ours.page(world, number, &met, &random);
            let (over_h2, course_over_h2) = always_h2.page(world, number, &met, &random);
            let found = [
                mine,
                over_h2,
                always_h3.page(world, number, &met, &random).0,
                public.page(world, number, &met, &random).0,
                informed.page(world, number, &met, &random).0,
            ];
            let key = world.clients[page.client as usize].key;
            let change = course.level(mine.quic) - course_over_h2.level(false);
            uplift.add(key, page.at_ms, &mine, change);
            requests += u64::from(mine.responses);
            if !pinned.add(key, &mine) {
                for (tallies, one) in tallies.iter_mut().zip(&found) {
                    let tally = &mut tallies[page.client as usize];
                    tally.add(one.regret, one.responses, one.quic, one.failed);
                }
            }
            let address = world.clients[page.client as usize].address;
            flood::strangers(world, address, page.at_ms, &mut ours.rule, &mut strangers);
        }
        Played {
            gateway: ours.rule,
            tallies,
            pinned,
            uplift,
            requests,
        }
    }
}

fn keys(world: &World<'_>) -> usize {
    world.clients.last().map_or(0, |last| last.key as usize + 1)
}

/// Another one for each seed, so that pins are drawn anew.
fn secret(seed: u64) -> [u8; 16] {
    let mut secret = SECRET;
    for (byte, drawn) in secret.iter_mut().zip(seed.to_le_bytes()) {
        *byte ^= drawn;
    }
    secret
}

fn told(ours: &Learned<'_>, now_ms: u64) -> (Option<Estimate>, [u64; 3], TableUse) {
    let snapshot = ours.snapshot(now_ms);
    let uplift = snapshot.steered_all;
    let told = Estimate {
        value: uplift.ratio.ln(),
        low: uplift.low.ln(),
        high: uplift.high.ln(),
    };
    let use_ = TableUse {
        capacity: snapshot.capacity,
        keys: snapshot.keys,
        evicted: snapshot.evicted,
    };
    (
        told.value.is_finite().then_some(told),
        snapshot.all.map(|group| group.keys),
        use_,
    )
}
