//! The libraries whose behaviour is part of a measurement, with their versions.

use std::collections::BTreeMap;

/// Name and version of each, as Cargo.lock fixed them when the engine was built.
pub(crate) fn libraries() -> BTreeMap<&'static str, &'static str> {
    include!(concat!(env!("OUT_DIR"), "/libraries.rs"))
}
