//! The thread that runs one link in real time, seen from outside.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use nix::sys::prctl;
use pronghorn_path::{Direction, Link, PathSpec, SpecError, Time};

use crate::doorbell::Doorbell;
use crate::error::BenchError;
use crate::priority::{self, Priority};
use crate::pump::Pump;
use crate::report::LinkReport;
use crate::tap::Tap;
use crate::tun::Tun;

/// What a driver drives.
pub(crate) struct Wiring {
    pub(crate) path: PathSpec,
    pub(crate) seed: u64,
    pub(crate) direction: Direction,
    /// The device from which packets enter the link.
    pub(crate) from: Arc<Tun>,
    /// The device to which they leave it.
    pub(crate) to: Arc<Tun>,
    /// The same for both links of a path.
    pub(crate) start: Arc<Start>,
    /// This driver's bell, and the one of the path's other driver.
    pub(crate) bells: [Arc<Doorbell>; 2],
    pub(crate) tap: Option<Box<dyn Tap>>,
}

/// When a path started: with the first packet that entered either of its links.
#[derive(Debug, Default)]
pub(crate) struct Start(AtomicU64);

impl Start {
    /// The start, which is `now` where nothing has entered before.
    pub(crate) fn at(&self, now: Time) -> Time {
        match self
            .0
            .compare_exchange(0, now.0, Ordering::Relaxed, Ordering::Relaxed)
        {
            Ok(_) => now,
            Err(start) => Time(start),
        }
    }
}

/// What a driver is asked: its report, and whether it is to end with it.
pub(crate) struct Question {
    pub(crate) answer: Sender<LinkReport>,
    pub(crate) last: bool,
}

/// A handle to a driver's thread.
pub(crate) struct Driver {
    questions: Option<Sender<Question>>,
    bell: Arc<Doorbell>,
    priority: Priority,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    /// Starts driving one direction of a path between two devices.
    pub(crate) fn start(wiring: Wiring) -> Result<Driver, BenchError> {
        let (questions, asked) = channel();
        let bell = Arc::clone(&wiring.bells[0]);
        let (ready, started) = channel();
        let thread = Builder::new()
            .name(format!("path-{}", wiring.direction.name()))
            .spawn(move || {
                let spec = wiring.path.link(wiring.direction);
                let link = match Link::new(spec, wiring.seed, wiring.direction) {
                    Ok(link) => link,
                    Err(error) => return drop(ready.send(Err(error))),
                };
                let _ = prctl::set_timerslack(1);
                let _ = ready.send(Ok(priority::raise()));
                Pump::new(link, wiring).run(&asked);
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

    fn ask(&self, last: bool) -> LinkReport {
        let (answer, report) = channel();
        let question = Question { answer, last };
        let asked = self
            .questions
            .as_ref()
            .is_some_and(|questions| questions.send(question).is_ok());
        self.bell.ring();
        match report.recv() {
            Ok(report) if asked => report,
            _ => LinkReport {
                fault: Some("the driver's thread has died".into()),
                ..LinkReport::default()
            },
        }
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
