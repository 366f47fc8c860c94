//! All rules over one world.

use std::collections::BTreeMap;

use pronghorn_policy::{Policy, Table};

use crate::play::{Played, play};
use crate::regret::{Estimate, Tally, ratio};
use crate::report::{Holdout, Report, TableUse};
use crate::rules::{Always, Group, Informed, Learned, PublicModule, Rule};
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
    let mut ours = Learned::new(&policy, table, &spec.gateway, &world.controls);
    let played = Ours::play(&world, &policy, &mut ours);
    let clients = world.clients.len();
    let mut tallies = vec![played.tallies];
    for rule in 1..RULES.len() {
        let found = match rule {
            1 => others(&world, &mut Always::H2, &played.pinned),
            2 => others(&world, &mut Always::H3, &played.pinned),
            3 => others(&world, &mut PublicModule::new(clients), &played.pinned),
            _ => others(&world, &mut Informed, &played.pinned),
        };
        tallies.push(found);
    }
    let end_ms = (spec.days * 86_400e3) as u64;
    let (told, groups, table) = told(&ours, end_ms);
    Ok(Report {
        clients: spec.clients,
        keys: keys(&world) as u32,
        requests: played.requests,
        segments: segments(&world, &tallies),
        pinned: played.groups,
        holdout: Holdout {
            told,
            truth: played.uplift,
            groups,
        },
        table,
    })
}

/// What became of our rule.
struct Ours {
    /// By client, pinned pages left out.
    tallies: Vec<Tally>,
    /// Which pages were pinned.
    pinned: Vec<bool>,
    groups: BTreeMap<&'static str, Option<Estimate>>,
    uplift: Option<f64>,
    requests: u64,
}

impl Ours {
    fn play(world: &World<'_>, policy: &Policy, rule: &mut Learned<'_>) -> Ours {
        let epoch_ms = u64::from(policy.steering().epoch_s) * 1000;
        let lease_ms = u64::from(policy.steering().lease_s) * 1000;
        let mut uplift = Uplift::new(epoch_ms, lease_ms.min(epoch_ms / 4), keys(world));
        let mut tallies = vec![Tally::default(); world.clients.len()];
        let mut groups = [(); 2].map(|()| vec![(0.0, 0.0); keys(world)]);
        let mut pinned = vec![false; world.pages.len()];
        let mut requests = 0;
        play(world, rule, |number, page| {
            let visit = &world.pages[number];
            let key = world.clients[visit.client as usize].key;
            requests += u64::from(page.responses);
            uplift.add(key, visit.at_ms, page);
            let group = match page.group {
                Group::Steered => {
                    add(&mut tallies[visit.client as usize], page);
                    return;
                }
                Group::PinnedH2 => 0,
                Group::PinnedH3 => 1,
            };
            pinned[number] = true;
            let (sum, count) = &mut groups[group][key as usize];
            *sum += page.regret * f64::from(page.responses);
            *count += f64::from(page.responses);
        });
        let [h2, h3] = groups.map(|mut clusters| {
            clusters.retain(|(_, count)| *count > 0.0);
            ratio(&clusters)
        });
        Ours {
            tallies,
            pinned,
            groups: BTreeMap::from([("pinned_h2", h2), ("pinned_h3", h3)]),
            uplift: uplift.mean(),
            requests,
        }
    }
}

fn others(world: &World<'_>, rule: &mut impl Rule, left_out: &[bool]) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); world.clients.len()];
    play(world, rule, |number, page| {
        if !left_out[number] {
            add(&mut tallies[world.pages[number].client as usize], page);
        }
    });
    tallies
}

fn add(tally: &mut Tally, page: &Played) {
    tally.add(page.regret, page.responses, page.quic, page.failed);
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
