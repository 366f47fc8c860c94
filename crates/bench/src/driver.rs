//! Runs one link in real time: takes packets from one host's TUN device, gives them to the other's.

use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{Builder, JoinHandle};

use hdrhistogram::Histogram;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::prctl;
use nix::sys::time::{TimeSpec, TimeValLike};
use nix::time::{ClockId, clock_gettime};
use pronghorn_path::{Direction, Link, PathSpec, SpecError, Time};

use crate::error::BenchError;
use crate::frame::{Frame, Pool};
use crate::priority::{self, Priority};
use crate::report::{Lateness, LinkReport, seconds};
use crate::run_delay::RunDelay;
use crate::tap::{Dropping, Leaving, Tap};
use crate::tun::Tun;

/// Packets taken in before those that are due are looked after.
const BATCH: usize = 32;

/// Lateness beyond this counts as this, in nanoseconds.
const LATENESS_LIMIT: u64 = 60_000_000_000;

/// A handle to a driver's thread.
pub(crate) struct Driver {
    questions: Option<Sender<Sender<LinkReport>>>,
    bell: Arc<EventFd>,
    priority: Priority,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    /// Starts driving `direction` of the path between two devices.
    pub(crate) fn start(
        path: &PathSpec,
        seed: u64,
        direction: Direction,
        from: Arc<Tun>,
        to: Arc<Tun>,
        tap: Option<Box<dyn Tap>>,
    ) -> Result<Driver, BenchError> {
        let (questions, asked) = channel();
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        let bell = EventFd::from_value_and_flags(0, flags)
            .map(Arc::new)
            .map_err(|errno| BenchError::Threads(errno.into()))?;
        let spec = path.link(direction).clone();
        let (ready, started) = channel();
        let rung = Arc::clone(&bell);
        let thread = Builder::new()
            .name(format!("path-{}", direction.name()))
            .spawn(move || {
                let link = match Link::new(&spec, seed, direction) {
                    Ok(link) => link,
                    Err(error) => return drop(ready.send(Err(error))),
                };
                let _ = prctl::set_timerslack(1);
                let _ = ready.send(Ok(priority::raise()));
                Loop::new(link, from, to, tap).run(&rung, &asked);
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
        let (answer, report) = channel();
        let asked = self
            .questions
            .as_ref()
            .is_some_and(|questions| questions.send(answer).is_ok());
        let _ = self.bell.write(1);
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
        let _ = self.bell.write(1);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The driver's own state, which its thread alone touches.
struct Loop {
    link: Link<Frame>,
    from: Arc<Tun>,
    to: Arc<Tun>,
    tap: Option<Box<dyn Tap>>,
    pool: Pool,
    lateness: Histogram<u32>,
    run_delay: RunDelay,
    intake_wait: Histogram<u32>,
    delay_min_ns: Option<u64>,
    ignored: u64,
    refused: u64,
    undeliverable: u64,
    fault: Option<io::Error>,
}

impl Loop {
    fn new(mut link: Link<Frame>, from: Arc<Tun>, to: Arc<Tun>, tap: Option<Box<dyn Tap>>) -> Loop {
        if tap.is_some() {
            link.keep_dropped();
        }
        Loop {
            link,
            from,
            to,
            tap,
            pool: Pool::default(),
            lateness: histogram(),
            run_delay: RunDelay::of_this_thread(),
            intake_wait: histogram(),
            delay_min_ns: None,
            ignored: 0,
            refused: 0,
            undeliverable: 0,
            fault: None,
        }
    }

    /// Moves packets until the other end of `asked` is gone; answers what comes over it.
    fn run(mut self, bell: &EventFd, asked: &Receiver<Sender<LinkReport>>) {
        loop {
            let more = self.fault.is_none() && self.take_in();
            self.let_out();
            loop {
                match asked.try_recv() {
                    Ok(answer) => drop(answer.send(self.report())),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            if !more {
                self.sleep(bell);
            }
        }
    }

    /// Takes what the near host has sent, at most a batch; whether there may be more.
    fn take_in(&mut self) -> bool {
        for taken in 0..BATCH {
            let mut frame = self.pool.frame();
            let received = frame.fill(|buffer| self.from.receive(buffer));
            if taken == 0 && received.is_ok() {
                self.intake_wait.saturating_record(self.run_delay.take_ns());
            }
            match received {
                Ok(()) if frame.is_ipv4() => {
                    let at = now();
                    if let Some(tap) = &mut self.tap {
                        tap.entered(self.link.counters().packets_in, at, frame.packet());
                    }
                    self.link.push(at, frame);
                    self.tell_dropped();
                }
                Ok(()) => self.ignored += 1,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) => {
                    self.fault = Some(error);
                    return false;
                }
            }
        }
        true
    }

    /// Gives the far host what is due.
    fn let_out(&mut self) {
        let mut moment = now();
        while let Some(departure) = self.link.pop(moment) {
            self.tell_dropped();
            if let Some(tap) = &mut self.tap {
                let facts = Leaving {
                    number: departure.number,
                    at: moment,
                    arrived: departure.arrived,
                    reached: departure.reached,
                    due: departure.due,
                    marks: departure.marks,
                };
                tap.left(&facts, departure.packet.packet());
            }
            self.deliver(&departure.packet);
            self.lateness
                .saturating_record(moment.0.saturating_sub(departure.due.0));
            let delay = moment.0.saturating_sub(departure.arrived.0);
            self.delay_min_ns = Some(self.delay_min_ns.map_or(delay, |least| least.min(delay)));
            moment = now();
        }
        self.tell_dropped();
    }

    /// Tells the tap of every packet that has ended in the link.
    fn tell_dropped(&mut self) {
        let Some(tap) = &mut self.tap else {
            return;
        };
        while let Some(dropped) = self.link.take_dropped() {
            let facts = Dropping {
                number: dropped.number,
                arrived: dropped.arrived,
                at: dropped.at,
                cause: dropped.cause,
                marks: dropped.marks,
            };
            tap.dropped(&facts, dropped.packet.packet());
        }
    }

    /// Gives the far host one packet. A packet whose version field the link has corrupted goes no
    /// further than a real one would, and isn't offered to the device, which would count it as its
    /// own drop.
    fn deliver(&mut self, frame: &Frame) {
        if !frame.is_ipv4() {
            self.undeliverable += 1;
            return;
        }
        loop {
            match self.to.send(frame.wire()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.refused += 1;
                    return;
                }
                Ok(()) => return,
            }
        }
    }

    /// Sleeps until a packet comes, one is due, or the bell rings, which it silences.
    fn sleep(&self, bell: &EventFd) {
        let timeout = self.link.next_due().map(|due| {
            let left = due.0.saturating_sub(now().0);
            TimeSpec::nanoseconds(i64::try_from(left).unwrap_or(i64::MAX))
        });
        let mut fds = [
            PollFd::new(bell.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.from.as_fd(), PollFlags::POLLIN),
        ];
        let watched = if self.fault.is_some() { 1 } else { 2 };
        let _ = ppoll(&mut fds[..watched], timeout, None);
        if fds[0].any() == Some(true) {
            let _ = bell.read();
        }
    }

    fn report(&self) -> LinkReport {
        LinkReport {
            counters: self.link.counters().clone(),
            ring_dropped: self.refused,
            ignored: self.ignored,
            malformed: 0,
            nat_dropped: 0,
            undeliverable: self.undeliverable,
            delay_min_s: self.delay_min_ns.map(seconds),
            lateness: Lateness::of(&self.lateness),
            intake_wait: Lateness::of(&self.intake_wait),
            fault: self.fault.as_ref().map(ToString::to_string),
        }
    }
}

fn histogram() -> Histogram<u32> {
    Histogram::new_with_bounds(1, LATENESS_LIMIT, 3)
        .unwrap_or_else(|error| unreachable!("constant bounds are valid: {error}"))
}

/// `CLOCK_MONOTONIC`, which `ppoll` sleeps by.
fn now() -> Time {
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map(|time| Time(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64))
        .unwrap_or_else(|errno: Errno| unreachable!("every kernel has this clock: {errno}"))
}
