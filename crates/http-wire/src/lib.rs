//! What HTTP/2 and HTTP/3 have in common on the wire, without I/O. The crates of both versions use it, and so does the
//! origin, which schedules the responses of both.
//!
//! | what | of | file |
//! |---|---|---|
//! | strings in Huffman's code | HPACK and QPACK (RFC 7541 §5.2, RFC 9204 §4.1.2) | `huffman.rs`, `huffman_code.rs` |
//! | integers with a prefix | HPACK and QPACK (RFC 7541 §5.1, RFC 9204 §4.1.1) | `integer.rs` |
//! | integers of one to eight bytes | QUIC and HTTP/3 (RFC 9000 §16) | `varint.rs` |
//! | priorities, and which response goes first | HTTP/2 and HTTP/3 (RFC 9218) | `priority/` |

pub mod huffman;
mod huffman_code;
pub mod integer;
mod priority;
pub mod varint;

pub use priority::{Priority, Rank};
