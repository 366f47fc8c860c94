//! The thread that runs one link in real time, seen from outside.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use nix::sys::prctl;
use pronghorn_path::SpecError;

use crate::driver::course::Plan;
use crate::driver::doorbell::Doorbell;
use crate::driver::pump::Pump;
use crate::driver::report::LinkReport;
use crate::driver::wiring::{Beginning, Question, Wiring};
use crate::error::BenchError;
use crate::processes::priority::{self, Priority};

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
