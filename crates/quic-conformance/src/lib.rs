//! Whether a QUIC stack's loss recovery follows RFC 9002, in virtual time.
//!
//! Two ends of one stack exchange datagrams over a path with a constant delay. A script drops, delays or cuts datagrams.
//! There is no socket, thread or clock, so every run of a scenario is the same. A requirement looks only at what an
//! observer of the path sees, and at the window and the smoothed round trip that the stack reports.
//!
//! | question | file |
//! |---|---|
//! | what does a stack have to offer | `stack.rs`: a [`Stack`] runs a [`Scenario`]; most do it by an [`End`] each |
//! | what can a script do to datagrams | `scenario.rs`, `datagram.rs` |
//! | what is seen of a run | `wire.rs`, `trace.rs` |
//! | what is required, by which section | `requirements/` |
//! | how is the table made and checked | `suite.rs` |
//!
//! `tests/rfc9002` holds the stack of the product against it. `candidates` holds others, for `make verify`.

mod certificate;
mod datagram;
mod report;
mod requirements;
mod scenario;
mod simulation;
mod stack;
mod suite;
mod trace;
mod wire;

pub use certificate::{Certificate, HOST_NAME};
pub use datagram::{Kind, kinds};
pub use report::{Finding, Verdict};
pub use requirements::{Level, REQUIREMENTS, Requirement};
pub use scenario::{Fate, Request, Scenario, Script, Stall};
pub use simulation::simulate;
pub use stack::{End, Stack};
pub use suite::{Known, held_against, main};
pub use trace::{Direction, Observation, Sample, Sighting, Trace};
pub use wire::Wire;
