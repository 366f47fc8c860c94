//! Header compression (RFC 7541).

mod decoder;
mod encoder;
mod static_table;

pub use decoder::{Broken, Decoder};
pub use encoder::put_field;
