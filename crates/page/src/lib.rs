//! What a page refers to, read while it arrives. Nothing here does I/O: bytes go in, references come out.
//!
//! | file | what it does |
//! |---|---|
//! | `base` | what URLs are resolved against |
//! | `decode` | content codings |
//! | `encoding` | characters of documents and style sheets |
//! | `html` | what elements ask for |
//! | `css` | what style sheets ask for, given the document's elements and text |
//! | `media`, `srcset` | what fits the screen |
//! | `policy` | Content-Security-Policy |
//! | `modules` | static imports of module scripts |
//! | `scripts` | whether a script may make requests |
//! | `foreign` | readers of foreign text by themselves, for the fuzzer |
//! | `document` | a document, with its style sheets |

mod base;
mod css;
mod decode;
mod document;
mod encoding;
pub mod foreign;
mod html;
mod media;
mod modules;
mod policy;
mod reference;
mod scripts;
mod srcset;

pub use base::{Base, LONGEST_URL, MOST_URL_BYTES};
pub use css::Sheet;
pub use decode::{DecodeError, Decoder};
pub use document::Document;
pub use html::Found;
pub use reference::{Kind, Place, Reference, Role};
pub use scripts::may_request;
