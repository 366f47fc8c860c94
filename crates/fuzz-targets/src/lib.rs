//! Everything here that reads foreign bytes, each reader as a function of bytes that must not panic.
//!
//! The fuzzer in `fuzz/` calls them with bytes that it makes up, `tests/corpus.rs` with those that are
//! stored in `fuzz/corpus/`, a folder a target. Beyond not panicking, a target checks what must hold
//! whatever the bytes are.

mod dissect;
mod dist;
mod drive;
mod http3;
mod load;
mod names;
mod page;
mod policy;
mod policy_table;
mod probe;
mod schedule;
mod spec;
mod trace;
mod wire;

pub use dissect::dissect;
pub use dist::dist;
pub use http3::http3;
pub use load::load;
pub use names::names;
pub use page::{page_coding, page_document, page_image, page_module, page_sheet};
pub use policy::policy;
pub use policy_table::policy_table;
pub use schedule::schedule;
pub use spec::spec;
pub use trace::trace;
pub use wire::wire;

/// A target: what it does with the bytes of an input.
pub type Target = fn(&[u8]);

/// Every target by its name, which is that of its corpus.
pub const TARGETS: [(&str, Target); 16] = [
    ("dissect", dissect),
    ("dist", dist),
    ("http3", http3),
    ("load", load),
    ("names", names),
    ("page_coding", page_coding),
    ("page_document", page_document),
    ("page_image", page_image),
    ("page_module", page_module),
    ("page_sheet", page_sheet),
    ("policy", policy),
    ("policy_table", policy_table),
    ("schedule", schedule),
    ("spec", spec),
    ("trace", trace),
    ("wire", wire),
];
