//! Field compression with the static table alone (RFC 9204).
//!
//! The dynamic table's capacity is 0 in both directions, so no stream ever blocks on another, and
//! the instruction streams carry nothing ([`instructions`]).

mod decoder;
mod encoder;
mod field;
pub mod instructions;
mod static_table;
#[cfg(test)]
mod tests;

pub use decoder::decode;
pub use encoder::{encode, encode_field, encode_prefix};
pub use field::Field;
pub use static_table::static_entry;
