//! What the streams of a connection have in common (RFC 9114 §6.2, §7.2; RFC 9204 §4.2).

mod control;
mod opening;
mod settings;
mod state;
mod uni;

pub use opening::{Config, Opening};
pub use settings::Settings;
pub use state::{Connection, Event};
pub use uni::UniStream;
