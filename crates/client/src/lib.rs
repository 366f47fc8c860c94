//! The native page loader: a navigation as a browser makes one, over one protocol.
//!
//! Beside it the load generator (`crates/load`) has an HTTP client of its own. This one measures each of a page's
//! requests: it uses hyper and quinn as programs do, with a task for each request, and records every time. The load
//! generator measures how many requests a server answers: a task, a header map or a channel for each would cost more
//! than the request, and be measured with it.
//!
//! The document is parsed while it arrives (`pronghorn-page`, `contents`), what it names is asked for at once with the
//! priorities that a browser would give (`priority`), over the connections that a browser would open
//! (`transport`), and everything is timed (`record`). There is no cache, no session
//! is resumed unless that is asked for, and no script is run.
//!
//! | question | file |
//! |---|---|
//! | what is requested, and when | `navigation.rs`, `contents.rs`, `priority.rs` |
//! | which URLs are the page's own | `host.rs`, `redirect.rs` |
//! | what is left out | `left_out.rs`, `scripts.rs`, `budget.rs` |
//! | which failures fail the load | `tolerate.rs`, `transport/failure.rs` |
//! | which connections are opened | `transport/` |
//! | when does a QUIC connection migrate | `transport/migration.rs` |
//! | how is a recorded page loaded | `recorded/` |
//! | what is recorded | `record.rs`, `noted.rs`, `summary.rs` |

mod budget;
mod contents;
mod host;
mod left_out;
mod local;
mod navigation;
mod noted;
mod priority;
mod record;
mod recorded;
mod redirect;
mod scripts;
mod summary;
mod tolerate;
mod transport;

pub use navigation::{LoadError, load, load_tolerating};
pub use priority::Priority;
pub use pronghorn_page::{Kind, Place};
pub use record::{
    ConnectionRecord, EarlyData, LeftOut, Outcome, PageLoad, Reason, ResourceRecord, Why,
};
pub use recorded::{Host, Itinerary, Steps, StepsError, load_recorded};
pub use tolerate::Tolerate;
pub use transport::Target;
