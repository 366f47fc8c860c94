//! What a simulation tells.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::regret::Estimate;

/// Of one simulation. Regret is the mean over requests of expected time over the better protocol's, less 1; requests of
/// clients that our gateway had pinned are left out of every rule's, but for `pinned`.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "SimulationReport")]
pub struct Report {
    /// How many there were.
    pub clients: u32,
    /// How many keys they had.
    pub keys: u32,
    /// How many responses they got.
    pub requests: u64,
    /// Where regret was told: everywhere, by kind of client, by congestion control, by network, by cell of the truth's
    /// nodes.
    pub segments: Vec<Segment>,
    /// What our gateway's experiment cost: the regret of each pinned group.
    pub pinned: BTreeMap<&'static str, Option<Estimate>>,
    /// What our gateway's experiment says of its worth.
    pub holdout: Holdout,
    /// Of our gateway's table.
    pub table: TableUse,
}

/// Some of the clients.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Segment {
    /// `all`, `kind`, `tcp`, `network` or `cell`.
    pub by: &'static str,
    /// Which one.
    pub name: String,
    /// Of a cell, the nodes' numbers of round trip, loss and rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<[usize; 3]>,
    /// How many keys.
    pub keys: usize,
    /// How many requests.
    pub requests: f64,
    /// By rule.
    pub rules: BTreeMap<&'static str, Outcome>,
    /// Ours less that of each of the rules that do the same for all.
    pub minus: BTreeMap<&'static str, Option<Estimate>>,
}

/// One rule's.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "RuleOutcome")]
pub struct Outcome {
    /// With an interval clustered by key.
    pub regret: Option<Estimate>,
    /// Share of the requests that went over h3.
    pub h3: f64,
    /// Requests that were failed to move a client.
    pub failed: u64,
}

/// The uplift of steering over h2 for all: ln ratios of times.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Holdout {
    /// As the gateway tells it; none while a group is too small.
    pub told: Option<Estimate>,
    /// What is true of the same keys and epochs.
    pub truth: Option<f64>,
    /// Of keys and epochs, as the gateway counts them: steered, pinned to h2, pinned to h3.
    pub groups: [u64; 3],
}

/// Of the key table.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct TableUse {
    /// How many keys it holds at the most.
    pub capacity: u64,
    /// How many it held at the end.
    pub keys: u64,
    /// How many were displaced by others.
    pub evicted: u64,
}
