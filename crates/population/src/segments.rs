//! Regret of all clients, and of those who have something in common.

use std::collections::BTreeMap;

use crate::client::{Client, Hardness};
use crate::regret::{Tally, ratio};
use crate::report::{Outcome, Segment};
use crate::simulate::{ALWAYS, OURS, RULES};
use crate::world::World;

/// What each client's requests came to under each rule: by rule, then by client.
pub(crate) type Tallies = [Vec<Tally>];

/// All segments with a request.
pub(crate) fn segments(world: &World<'_>, tallies: &Tallies) -> Vec<Segment> {
    let mut found = vec![segment(world, tallies, "all", "all", |_| true)];
    for kind in Hardness::ALL {
        found.push(segment(world, tallies, "kind", kind.name(), |client| {
            client.hardness == kind
        }));
    }
    for (number, control) in world.controls.iter().enumerate() {
        found.push(segment(world, tallies, "tcp", control, |client| {
            client.control == number
        }));
    }
    for (number, network) in world.spec.networks.iter().enumerate() {
        found.push(segment(
            world,
            tallies,
            "network",
            &network.name,
            |client| client.hardness == Hardness::Steady && client.networks[0].kind == number,
        ));
    }
    let cells: BTreeMap<[usize; 3], Vec<usize>> = cells(world);
    for (cell, clients) in cells {
        let name = cell.map(|node| node.to_string()).join("/");
        found.push(Segment {
            cell: Some(cell),
            ..of(world, tallies, "cell", &name, clients.into_iter())
        });
    }
    found.retain(|one| one.requests > 0.0);
    found
}

/// Steady clients by the node nearest to their network.
fn cells(world: &World<'_>) -> BTreeMap<[usize; 3], Vec<usize>> {
    let mut found: BTreeMap<[usize; 3], Vec<usize>> = BTreeMap::new();
    for (number, client) in world.clients.iter().enumerate() {
        if client.hardness == Hardness::Steady {
            found.entry(world.cell(client)).or_default().push(number);
        }
    }
    found
}

fn segment(
    world: &World<'_>,
    tallies: &Tallies,
    by: &'static str,
    name: &str,
    belongs: impl Fn(&Client) -> bool,
) -> Segment {
    let clients = world.clients.iter().enumerate();
    let mine = clients.filter(|(_, client)| belongs(client));
    of(world, tallies, by, name, mine.map(|(number, _)| number))
}

fn of(
    world: &World<'_>,
    tallies: &Tallies,
    by: &'static str,
    name: &str,
    clients: impl Iterator<Item = usize>,
) -> Segment {
    let by_key = clusters(world, tallies, clients);
    let total = |rule: usize| {
        by_key.iter().fold(Tally::default(), |mut sum, key| {
            sum.merge(&key[rule]);
            sum
        })
    };
    let rules = RULES.iter().enumerate().map(|(place, rule)| {
        let sums: Vec<(f64, f64)> = by_key
            .iter()
            .map(|key| (key[place].regret, key[place].requests))
            .collect();
        let all = total(place);
        let outcome = Outcome {
            regret: ratio(&sums),
            h3: if all.requests > 0.0 {
                all.quic / all.requests
            } else {
                0.0
            },
            failed: all.failed,
        };
        (*rule, outcome)
    });
    let minus = ALWAYS.into_iter().map(|place| {
        let sums: Vec<(f64, f64)> = by_key
            .iter()
            .map(|key| (key[OURS].regret - key[place].regret, key[OURS].requests))
            .collect();
        (RULES[place], ratio(&sums))
    });
    Segment {
        by,
        name: name.to_owned(),
        cell: None,
        keys: by_key.len(),
        requests: total(OURS).requests,
        rules: rules.collect(),
        minus: minus.collect(),
    }
}

/// The clients' tallies, those of one key together; keys without a request are left out.
fn clusters(
    world: &World<'_>,
    tallies: &Tallies,
    clients: impl Iterator<Item = usize>,
) -> Vec<[Tally; RULES.len()]> {
    let mut found: Vec<[Tally; RULES.len()]> = Vec::new();
    let mut before = None;
    for number in clients {
        let key = world.clients[number].key;
        if before != Some(key) {
            found.push([Tally::default(); RULES.len()]);
            before = Some(key);
        }
        if let Some(last) = found.last_mut() {
            for (sum, rule) in last.iter_mut().zip(tallies) {
                sum.merge(&rule[number]);
            }
        }
    }
    found.retain(|key| key[OURS].requests > 0.0);
    found
}
