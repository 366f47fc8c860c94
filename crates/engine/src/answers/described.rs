//! Answers about a path before it is opened.

use pronghorn_path::LinkFigures;
use schemars::JsonSchema;
use serde::Serialize;

/// What a path's specification comes down to.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Described {
    #[serde(flatten)]
    pub(crate) links: LinksDescribed,
    /// The same of the path after its handover. Null without one.
    pub(crate) handover: Option<LinksDescribed>,
}

/// Both links of a path.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LinksDescribed {
    /// The link from the server to the client.
    pub(crate) down: LinkFigures,
    /// The link from the client to the server.
    pub(crate) up: LinkFigures,
}
