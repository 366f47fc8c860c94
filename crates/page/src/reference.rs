//! What a page names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

/// What a resource is to the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "ResourceKind")]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The page itself, or a document in a frame of it.
    Document,
    /// JavaScript.
    Script,
    /// A style sheet.
    Style,
    /// An image.
    Image,
    /// A font.
    Font,
    /// Anything else that the page asks to have loaded.
    Other,
}

/// Where a reference stands, as far as its priority depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Stops the parser, in the head, or is as urgent: a module script.
    BlockingInHead,
    /// Stops the parser, in the body.
    BlockingInBody,
    /// Stops nothing: `async`, `defer`, an image, …
    Free,
    /// For later, if at all: a style sheet for print, `rel=prefetch`.
    Idle,
}

/// What becomes of a resource once it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Nothing is read from it.
    Plain,
    /// A style sheet whose imports are followed; `applied`: its rules hold for the document.
    Sheet {
        /// Whether its media fit, so that rendering waits for it.
        applied: bool,
    },
    /// A module script; `run`: its static imports are followed.
    Module {
        /// False where it is only to be at hand.
        run: bool,
    },
    /// A document in a frame.
    Frame,
    /// The page's own policy forbids it.
    Blocked,
    /// A browser may ask for it; this loader can't tell, or can't do what it would.
    Unsupported,
}

/// A resource that a page names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Absolute, without a fragment; not the whole one where `is_cut`.
    pub url: Url,
    /// What it is to the page.
    pub kind: Kind,
    /// How urgent it is.
    pub place: Place,
    /// What becomes of it.
    pub role: Role,
}

impl Reference {
    /// Whether its URL was longer than `LONGEST_URL`. It can't be followed; its fragment is no part of it.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        crate::base::is_cut(&self.url)
    }

    /// An image, a font or something else of which nothing is read.
    pub(crate) fn plain(url: Url, kind: Kind) -> Reference {
        Reference {
            url,
            kind,
            place: Place::Free,
            role: Role::Plain,
        }
    }

    pub(crate) fn unsupported(url: Url, kind: Kind) -> Reference {
        Reference {
            role: Role::Unsupported,
            ..Reference::plain(url, kind)
        }
    }
}
