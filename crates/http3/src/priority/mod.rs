//! Extensible priorities (RFC 9218).

mod field;
mod schedule;
mod structured;

pub use field::Priority;
pub use schedule::{Schedule, SchedulingKey};
