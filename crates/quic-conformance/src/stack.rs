//! What a stack has to offer.

use std::time::Duration;

use crate::scenario::Scenario;
use crate::trace::{Observation, Trace};

/// A QUIC stack, as it is set up for a comparison.
pub trait Stack {
    /// Its name, as tables and known misses have it.
    fn name(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &'static str;

    /// Runs a scenario in virtual time. Most stacks do it by [`crate::simulate`].
    fn run(&self, scenario: Scenario) -> Trace;
}

/// One end of one connection. Times count from the start of the run.
pub trait End {
    /// Takes a datagram that came.
    fn receive(&mut self, now: Duration, datagram: &[u8]);

    /// When a timer is due.
    fn due(&mut self) -> Option<Duration>;

    /// Lets the timers go off that are due by `now`.
    fn wake(&mut self, now: Duration);

    /// Does what the program over the connection does after an event, and hands over what may be sent at `now`.
    fn send(&mut self, now: Duration, send: &mut dyn FnMut(Vec<u8>));

    /// A client's: asks for a response of so many bytes, now or as soon as there is a connection. The request fits in one
    /// packet. A server's end answers by itself.
    fn request(&mut self, bytes: u64);

    /// A client's: how many responses have arrived whole.
    fn answered(&self) -> usize;

    /// What the stack reports.
    fn observe(&mut self) -> Observation;

    /// Why the connection ended, if it did.
    fn failed(&self) -> Option<String>;
}
