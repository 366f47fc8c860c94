//! The thread that runs one link in real time, seen from outside.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use nix::sys::prctl;
use pronghorn_path::{Direction, SpecError};

use crate::course::Plan;
use crate::doorbell::Doorbell;
use crate::error::BenchError;
use crate::priority::{self, Priority};
use crate::pump::Pump;
use crate::report::LinkReport;
use crate::tun::Tun;

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

/// A handle to a driver's thread.
pub(crate) struct Driver {
    questions: Option<Sender<Question>>,
    bell: Arc<Doorbell>,
    priority: Priority,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    /// Starts driving one direction of a plan's path between two devices.
    pub(crate) fn start(wiring: Wiring, plan: Plan) -> Result<Driver, BenchError> {
        let (questions, asked) = channel();
        let bell = Arc::clone(&wiring.bells[0]);
        let (ready, started) = channel();
        let thread = Builder::new()
            .name(format!("path-{}", wiring.direction.name()))
            .spawn(move || {
                let pump = match Pump::new(wiring, plan) {
                    Ok(pump) => pump,
                    Err(error) => return drop(ready.send(Err(error))),
                };
                let _ = prctl::set_timerslack(1);
                let _ = ready.send(Ok(priority::raise()));
                pump.run(&asked);
            })
            .map_err(BenchError::Threads)?;
        let priority: Result<Priority, SpecError> = started
            .recv()
            .map_err(|_| BenchError::Threads(io::Error::other("a driver did not start")))?;
        Ok(Driver {
            questions: Some(questions),
            bell,
            priority: priority?,
            thread: Some(thread),
        })
    }

    /// What the kernel granted the thread.
    pub(crate) fn priority(&self) -> Priority {
        self.priority
    }

    /// What link and driver have counted up to now.
    pub(crate) fn report(&self) -> LinkReport {
        self.ask(false)
    }

    /// What they have counted in all; nothing moves after it.
    pub(crate) fn last_report(&self) -> LinkReport {
        self.ask(true)
    }

    /// Has it begin anew with this plan, and rest then until the other end of `rest` is gone; gives where it tells how
    /// many packets have entered before.
    pub(crate) fn begin(&self, plan: Plan, rest: Receiver<()>) -> Receiver<Result<u64, SpecError>> {
        let (answer, before) = channel();
        self.put(Question::Begin(Box::new(Beginning { plan, answer, rest })));
        before
    }

    fn ask(&self, last: bool) -> LinkReport {
        let (answer, report) = channel();
        self.put(Question::Report { answer, last });
        match report.recv() {
            Ok(report) => report,
            Err(_) => LinkReport {
                fault: Some("the driver's thread has died".into()),
                ..LinkReport::default()
            },
        }
    }

    /// A driver that has died drops the question, and with it the way of the answer.
    fn put(&self, question: Question) {
        if let Some(questions) = &self.questions {
            let _ = questions.send(question);
        }
        self.bell.ring();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.questions = None;
        self.bell.ring();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
