//! What a page refers to, read while it arrives. Nothing here does I/O: bytes go in, references come out.

mod decode;
mod reference;

pub use decode::{DecodeError, Decoder};
pub use reference::Kind;
