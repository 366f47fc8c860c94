//! What each operation answers. The names and the doc comments here are the protocol's: `schema.rs` makes its schema of them.
//!
//! | answers about | file |
//! |---|---|
//! | the engine, a bench and what runs on its hosts | `hosts.rs` |
//! | a path before it is opened | `described.rs` |
//! | what was counted and recorded | `recorded.rs` |
//! | the built-in origin, a page load, the name server | `loads.rs` |
//! | the gateway's policy | `policy.rs` |

mod described;
mod hosts;
mod loads;
mod policy;
mod recorded;

pub(crate) use described::{Described, LinksDescribed};
pub(crate) use hosts::{Begun, Hello, Listened, Nothing, Opened, Socket, Sockets, Spawned, Waited};
pub(crate) use loads::{Cpus, Loaded, NameServing, NamesLog, OriginEnded, OriginLog, Serving};
pub(crate) use policy::{Judged, Judgement, Outcomes};
pub(crate) use recorded::{
    ArrivalsReport, Captured, Closed, Counters, FlightConnection, FlightTold, PathCounters, Qlogs,
};
