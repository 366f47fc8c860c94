//! How a request was found among recorded ones.

use schemars::JsonSchema;
use serde::Serialize;

/// How a request was found among the recorded ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// Host, method, path and query are recorded.
    Exact,
    /// The query differs in parameters that vary from load to load (replay.md).
    Varied,
    /// CORS asks for leave, of which nothing is recorded; it was given.
    Preflight,
    /// Nothing recorded fits.
    Missed,
}
