//! Extensible priorities (RFC 9218).

mod field;
mod rank;
mod structured;

pub use field::Priority;
pub use rank::Rank;
