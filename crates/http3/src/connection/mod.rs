//! What the streams of a connection have in common (RFC 9114 §6.2, §7.2; RFC 9204 §4.2).

mod control;
mod settings;
mod state;
mod uni;

pub use settings::Settings;
pub use state::{Config, Connection, Event, Opening};
pub use uni::UniStream;
