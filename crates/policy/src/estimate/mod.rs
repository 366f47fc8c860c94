//! What is expected of a key's responses by either protocol, by all that is kept of it; nothing is decided here.

mod expected;
mod network;
mod outcomes;
mod posterior;
mod prior;
mod uplift;
mod value;
mod visit;
mod votes;

pub(crate) use expected::Expected;
pub(crate) use posterior::posterior;
pub(crate) use prior::page_scatter;
pub use uplift::{Group, Uplift};
#[cfg(test)]
pub(crate) use value::Worth;
pub(crate) use visit::{PAGE_S, rho};
