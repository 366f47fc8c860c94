//! What happens in a run.

use std::time::Duration;

use crate::datagram::Kind;
use crate::trace::{Direction, Sighting};

/// What a script does to a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It arrives after the path's delay.
    Pass,
    /// It never arrives.
    Drop,
    /// It arrives later by so much.
    Late(Duration),
    /// It arrives without its packets of a kind.
    Without(Kind),
}

/// A request of the client's.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// When the client wants it; it is sent as soon as there is a connection.
    pub at: Duration,
    /// Bytes of the response.
    pub bytes: u64,
}

/// A time in which a host runs nothing: datagrams wait, timers are late, nothing is sent.
#[derive(Debug, Clone, Copy)]
pub struct Stall {
    /// The host that sends in this direction.
    pub sender: Direction,
    /// From when.
    pub from: Duration,
    /// Until when.
    pub to: Duration,
}

/// What a script does to each datagram.
pub type Script = Box<dyn FnMut(&Sighting) -> Fate>;

/// What happens in a run.
pub struct Scenario {
    /// The path's delay in each direction.
    pub one_way: Duration,
    /// What it does to datagrams.
    pub script: Script,
    /// What the client asks for, in the order of time.
    pub requests: Vec<Request>,
    /// When a host receives datagrams, but sends nothing.
    pub stalls: Vec<Stall>,
    /// Whether the ends look for larger datagrams.
    pub mtu_discovery: bool,
    /// When the run ends; earlier where all responses have arrived and `lingers` is false.
    pub until: Duration,
    /// Whether the run goes on after the last response.
    pub lingers: bool,
}

impl Scenario {
    /// One small response over a path with this delay and a script.
    #[must_use]
    pub fn new(one_way: Duration, script: impl FnMut(&Sighting) -> Fate + 'static) -> Scenario {
        Scenario {
            one_way,
            script: Box::new(script),
            requests: vec![Request {
                at: Duration::ZERO,
                bytes: 500,
            }],
            stalls: Vec::new(),
            mtu_discovery: false,
            until: Duration::from_secs(29),
            lingers: false,
        }
    }
}
