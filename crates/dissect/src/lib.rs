//! What an emulated path saw of a trial, decrypted: which bytes of which stream came in which packet, and when transport's
//! order let the application have them.
//!
//! Without I/O, clock or thread: packets with their times and fates go in, with the TLS secrets of the connections; a
//! structure comes out that is told as JSON. All of it is foreign bytes: nothing in them is trusted, and what can't be read
//! is left out and said to be.
//!
//! | question | file |
//! |---|---|
//! | what goes in | `packet.rs` |
//! | what comes out | `arrivals.rs` |
//! | whose is a packet | `connections.rs`, `wire.rs` |
//! | what is in a TCP connection | `tcp/`, under it `tls/`, `http/` |
//! | what is in a QUIC connection | `quic/`, `http/h3.rs` |
//! | when were bytes released | `ledger.rs` |
//! | what opens what is sealed | `key_log.rs`, `suite.rs` |

mod arrivals;
mod connections;
#[cfg(test)]
mod foreign_bytes;
mod http;
mod key_log;
mod ledger;
mod packet;
mod quic;
mod reader;
mod suite;
mod tcp;
mod tls;
mod wire;

pub use arrivals::{Arrivals, Connection, Limits, Packets, Pieces, Step, Stream};
pub use connections::dissect;
pub use packet::{Fate, Packet};
