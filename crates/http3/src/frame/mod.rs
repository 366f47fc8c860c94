//! Frames (RFC 9114 §7).

mod decoder;
mod encode;
pub mod kind;
mod rules;

pub use decoder::{Decoder, Piece};
pub(crate) use encode::reserved;
pub use encode::{put_data_header, put_frame, put_headers, put_reserved};
pub use rules::StreamKind;
