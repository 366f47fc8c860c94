//! The load generator: requests per second and latencies over HTTP/1.1, HTTP/2 and HTTP/3.
//!
//! Beside it the page loader (`crates/client`) has an HTTP client of its own. This one measures servers, so its own work
//! must not limit them: it reads of a response what has to be counted and nothing else. The page loader measures a
//! page's requests one by one, through hyper and quinn as programs do, which would cost more here than TLS.
//!
//! A [`LoadSpec`] says what is asked for, [`Load`] does it, a [`LoadReport`] tells how it went. Each thread has an event loop
//! of its own and its own connections; threads share nothing while requests are sent.
//!
//! | question | file |
//! |---|---|
//! | what can be asked for, and what is refused | `spec.rs`, `plan/` |
//! | what is told | `report.rs`; what is counted, `tally.rs`, `latencies.rs` |
//! | when is a request due in an open loop | `due_times.rs` |
//! | how does a thread spend its time | `worker/mod.rs` |
//! | when does a request count | `worker/phases.rs`, `worker/requests.rs` |
//! | what is a connection | `connection.rs`; over TCP, `tcp/`; over QUIC, `quic/` |
//! | what is said on it | `prepared.rs`; `h1/`, `h2/`; of gRPC, `grpc.rs` |

mod any_connection;
mod connection;
mod content;
mod decimal;
mod dialer;
mod due_times;
mod endpoint;
mod error;
pub mod foreign;
mod grpc;
mod h1;
mod h2;
mod histogram_log;
mod latencies;
mod local;
mod plan;
mod prepared;
mod progress;
mod quic;
mod ranked;
mod regular_file;
mod report;
mod run;
mod server_drops;
mod shared;
mod spec;
mod tally;
mod tcp;
mod thread_cpu;
mod worker;

pub use connection::{ConnectionFailureKind, FailureKind};
pub use error::{Blame, LoadError};
pub use latencies::Distribution;
pub use report::*;
pub use run::{Load, Stop};
pub use spec::*;
