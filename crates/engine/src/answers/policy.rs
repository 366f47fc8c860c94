//! Answers about the gateway's policy.

use schemars::JsonSchema;
use serde::Serialize;

/// What the gateway's decision core makes of clients that it meets for the first time.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Judged {
    /// In the order of the request.
    pub(crate) clients: Vec<Judgement>,
}

/// What the decision core makes of one client.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Judgement {
    /// The expected ln(time over h3 / time over h2). Below 0 h3 is faster.
    pub(crate) gain: f32,
    /// The standard deviation of `gain`.
    pub(crate) sd: f32,
    /// What the gateway's response says of h3: `nothing`, `advertise` or `clear`.
    pub(crate) action: &'static str,
    /// Why: `undecided`, `h3_faster`, `h3_slower`, `dwelling`, `cooling_down`, `udp_blocked` or `pinned`.
    pub(crate) reason: &'static str,
}

/// What the decision core compares of responses.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcomes {
    /// For each response its stratum and ln(time / reference time of its size). Null for a response that isn't compared.
    pub(crate) outcomes: Vec<Option<(usize, f64)>>,
}
