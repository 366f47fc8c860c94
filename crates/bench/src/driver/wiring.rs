//! What a driver drives, and what it is asked meanwhile.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use pronghorn_path::{Direction, SpecError};

use crate::driver::course::Plan;
use crate::driver::doorbell::Doorbell;
use crate::driver::report::LinkReport;
use crate::network::tun::Tun;

/// What a driver drives.
pub(crate) struct Wiring {
    pub(crate) direction: Direction,
    /// The device from which packets enter the link.
    pub(crate) from: Arc<Tun>,
    /// The device to which they leave it.
    pub(crate) to: Arc<Tun>,
    /// This driver's bell, and the one of the path's other driver.
    pub(crate) bells: [Arc<Doorbell>; 2],
}

/// What a driver is asked.
pub(crate) enum Question {
    /// Its report; `last` where it is to end with it.
    Report {
        answer: Sender<LinkReport>,
        last: bool,
    },
    /// To begin anew.
    Begin(Box<Beginning>),
}

/// What a driver is to drive from now on instead of what it drives.
pub(crate) struct Beginning {
    pub(crate) plan: Plan,
    /// How many packets have entered before, once it has switched.
    pub(crate) answer: Sender<Result<u64, SpecError>>,
    /// It rests after its answer until the other end of this is gone, so that the path's links change together.
    pub(crate) rest: Receiver<()>,
}
