//! The path in real time: the threads that carry packets from one host's device to the other's through a link.

pub(crate) mod buffers;
pub(crate) mod course;
pub(crate) mod doorbell;
pub(crate) mod handle;
pub(crate) mod nat;
pub(crate) mod pump;
pub(crate) mod quiet;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod run_delay;
pub(crate) mod segment;
#[cfg(test)]
mod steady_state;
pub(crate) mod tap;
pub(crate) mod timing;
pub(crate) mod watch;
pub mod wire;
pub(crate) mod wiring;
