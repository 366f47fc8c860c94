//! What runs on the hosts, and ends with them: threads, programs and the traffic that they make; and the isolation of the engine that has them.

pub mod awake;
pub(crate) mod cross;
pub(crate) mod evict;
pub(crate) mod host;
pub(crate) mod isolation;
pub(crate) mod keeper;
pub(crate) mod listening;
pub(crate) mod mover;
pub(crate) mod names;
pub(crate) mod priority;
pub(crate) mod proc;
pub(crate) mod process;
