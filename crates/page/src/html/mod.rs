//! What a document refers to, found while it arrives, as Chromium finds it with scripts on.

mod attributes;
mod elements;
mod page;
mod scanner;
mod tree;

pub(crate) use attributes::{Attributes, is_javascript};
pub(crate) use elements::{link, refresh_to};
pub use page::Found;
pub(crate) use page::{Page, import_references};
pub(crate) use scanner::Scanner;
pub(crate) use tree::Spot;
