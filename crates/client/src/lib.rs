//! The native page loader: a navigation as a browser makes one, over one protocol.
//!
//! The document is parsed while it arrives (`discover`), what it names is asked for at once with the
//! priorities that a browser would give (`priority`), over the connections that a browser would open
//! (`transport`), and everything is timed (`record`). There is no cache, no session
//! is resumed unless that is asked for, and no script is run.

mod discover;
mod local;
mod navigation;
mod priority;
mod record;
mod transport;

pub use navigation::{LoadError, load};
pub use priority::{Place, Priority};
pub use record::{ConnectionRecord, EarlyData, Kind, Outcome, PageLoad, Reason, ResourceRecord};
pub use transport::Target;
