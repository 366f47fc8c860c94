//! What quinn's congestion controllers make of known losses, in virtual time.

mod acceptance;
mod determinism;
mod growth;
mod harness;
mod losses;
mod patterns;
mod slow_start;
mod snapshots;
mod timeouts;
