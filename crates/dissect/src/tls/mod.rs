//! TLS 1.2 and 1.3 as far as it takes to read what they carry.
//!
//! | question | file |
//! |---|---|
//! | what do handshake messages say | `messages.rs` |
//! | what do the records of one direction hold | `records.rs` |
//! | what do both directions hold | `session.rs` |

pub(crate) mod messages;
mod records;
pub(crate) mod session;

pub(crate) use records::Layer;
