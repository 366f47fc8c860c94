//! Finds what a page needs while it arrives.

mod css;
mod html;

pub(crate) use css::references as css_references;
pub(crate) use html::HtmlScanner;

use crate::priority::Place;
use pronghorn_page::Kind;

/// A reference as written, before it is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) url: String,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
}
