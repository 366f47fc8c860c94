//! An authoritative name server for a bench, whose whole world it is: it knows the names that it was given, and says
//! of all others that they don't exist.
//!
//! | question | file |
//! |---|---|
//! | which records does a name have | `zone.rs` |
//! | what is answered to a message | `answer.rs`, without I/O |
//! | how do messages come and go | `server.rs` |
//! | what was asked | `log.rs` |

mod answer;
mod log;
mod server;
mod zone;

pub use answer::{Answer, Question, Transport, answer};
pub use log::{LoggedQuery, QueryLog};
pub use server::{NameServer, PORT};
pub use zone::{NameRecords, ServiceRecord, Zone, ZoneError};
