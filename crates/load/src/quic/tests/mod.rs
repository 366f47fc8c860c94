//! Connections against servers of quinn's that do what a test tells them, over loopback.

mod client;
mod early;
mod ending;
mod exchange;
mod faults;
mod loads;
mod probes;
mod server;
mod uploads;
