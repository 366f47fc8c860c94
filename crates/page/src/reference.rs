//! What a page names.

use serde::Serialize;

/// What a resource is to the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The page itself.
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
