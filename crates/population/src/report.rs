//! What a simulation tells.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::regret::Estimate;

/// What a simulation found. Regret is the mean over requests of expected time / expected time over the better protocol, less 1.
/// Requests of pinned clients are left out of every rule's, except in `pinned`.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "SimulationReport")]
pub struct Report {
    /// How many clients there were.
    pub clients: u32,
    /// How many keys the clients had.
    pub keys: u32,
    /// How many responses the clients got.
    pub requests: u64,
    /// The clients: all, by kind, by congestion control, by network, by cell of the truth's nodes.
    pub segments: Vec<Segment>,
    /// The regret of each pinned group. Null where there was nothing.
    pub pinned: BTreeMap<&'static str, Option<Estimate>>,
    /// The uplift that the gateway's own experiment tells.
    pub holdout: Holdout,
    /// The gateway's key table.
    pub table: TableUse,
}

/// Some of the clients.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Segment {
    /// `all`, `kind`, `tcp`, `network` or `cell`.
    pub by: &'static str,
    /// Which one.
    pub name: String,
    /// The numbers of the nodes of round trip, loss and rate. Absent where it is no cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<[usize; 3]>,
    /// How many keys.
    pub keys: usize,
    /// How many requests.
    pub requests: f64,
    /// What each rule came to.
    pub rules: BTreeMap<&'static str, Outcome>,
    /// The policy's regret less that of each rule that does the same for all. Null where there was nothing.
    pub minus: BTreeMap<&'static str, Option<Estimate>>,
}

/// What one rule came to.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "RuleOutcome")]
pub struct Outcome {
    /// Its regret, with an interval clustered by key. Null where there was nothing.
    pub regret: Option<Estimate>,
    /// Share of the requests that went over h3.
    pub h3: f64,
    /// Requests that were failed to move a client.
    pub failed: u64,
}

/// The uplift of steering over h2 for all: ln ratios of times.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Holdout {
    /// As the gateway tells it. Null while a group is too small.
    pub told: Option<Estimate>,
    /// The truth for the same keys and epochs. Null where there was nothing.
    pub truth: Option<f64>,
    /// Keys and epochs as the gateway counts them: steered, pinned to h2, pinned to h3.
    pub groups: [u64; 3],
}

/// The gateway's key table.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct TableUse {
    /// How many keys it holds at the most.
    pub capacity: u64,
    /// How many it held at the end.
    pub keys: u64,
    /// How many were displaced by others.
    pub evicted: u64,
}
