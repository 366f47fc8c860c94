//! Runs one link in real time: takes packets from one host's TUN device, gives them to the other's.

use std::io::{self, ErrorKind};
use std::iter;
use std::mem;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, TryRecvError};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::{TimeSpec, TimeValLike};
use pronghorn_path::{Direction, DropCause, Family, SpecError, Time};

use crate::clock::now;
use crate::clock::seconds;
use crate::driver::buffers::{Buffer, Intake, Pool};
use crate::driver::course::{Course, Plan};
use crate::driver::report::LinkReport;
use crate::driver::run::Run;
use crate::driver::segment::Segment;
use crate::driver::tap::Delivery;
use crate::driver::timing::Timing;
use crate::driver::watch::Watch;
use crate::driver::wire::WireError;
use crate::driver::wiring::{Beginning, Question, Wiring};

/// What is taken in before those that are due are looked after: so many packets or super-packets,
/// and so many bytes.
const BATCH: usize = 32;
const BATCH_BYTES: usize = 1 << 18;

/// Batches of what was sent before a beginning that are taken in as such; a device holds no more at a time.
const BATCHES_BEFORE_BEGIN: usize = 1024;

/// Packets or super-packets given out before the device is looked after.
const RUNS: usize = 32;

/// A driver whose packets leave so many nanoseconds late takes in no more of them until that has
/// changed. What comes meanwhile waits in the device, which has room for so many and counts the rest.
const TOO_LATE_TO_TAKE: u64 = 50_000_000;

/// Where a packet is due within so many nanoseconds, going to sleep would take longer.
const TOO_SHORT_TO_SLEEP: u64 = 3_000;

/// A driver's own state, which its thread alone touches.
pub(crate) struct Pump {
    wiring: Wiring,
    /// Which packets are the hosts'; others are ignored.
    family: Family,
    course: Course,
    /// What was driven before and still holds packets: they are delivered, and nobody counts them.
    earlier: Vec<Course>,
    intake: Intake,
    run: Run,
    watch: Watch,
    timing: Timing,
    counted: LinkReport,
    bottleneck_ns: u64,
    /// Packets left too late, and there are more of them.
    behind: bool,
    fault: Option<io::Error>,
}

impl Pump {
    /// For the calling thread. Fails where the plan's path can't be.
    pub(crate) fn new(wiring: Wiring, plan: Plan) -> Result<Pump, SpecError> {
        let family = plan.path.family;
        let (course, watch) = Pump::follow(plan, wiring.direction)?;
        Ok(Pump {
            wiring,
            family,
            course,
            earlier: Vec::new(),
            intake: Intake::new(&Pool::new()),
            run: Run::default(),
            watch,
            timing: Timing::of_this_thread(),
            counted: LinkReport::default(),
            bottleneck_ns: 0,
            behind: false,
            fault: None,
        })
    }

    fn follow(mut plan: Plan, direction: Direction) -> Result<(Course, Watch), SpecError> {
        let watch = Watch::new(plan.tap.take(), plan.path.link(direction).mtu);
        let mut course = Course::new(&plan, direction)?;
        if watch.wants_dropped() {
            course.lane.keep_dropped();
        }
        Ok((course, watch))
    }

    /// Moves packets until the last question, or until the other end of `asked` is gone; answers what comes over it.
    pub(crate) fn run(mut self, asked: &Receiver<Question>) {
        loop {
            if let Some(knocked) = self.wiring.bells[0].notice() {
                self.timing.noticed(knocked, now());
            }
            let more = self.round();
            loop {
                match asked.try_recv() {
                    Ok(Question::Report { answer, last }) => {
                        let _ = answer.send(self.report());
                        if last {
                            return;
                        }
                    }
                    Ok(Question::Begin(beginning)) => self.begin(*beginning),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            if !more {
                self.sleep();
            }
        }
    }

    /// Begins anew. What the near host has sent before belongs to what was driven before.
    fn begin(&mut self, beginning: Beginning) {
        let followed = Pump::follow(beginning.plan, self.wiring.direction);
        for _ in 0..BATCHES_BEFORE_BEGIN {
            if self.fault.is_some() || !self.take_in() {
                break;
            }
        }
        self.let_out();
        let before = self.course.lane.entered();
        let switched = followed.map(|(course, watch)| {
            let mut earlier = mem::replace(&mut self.course, course);
            earlier.stay();
            self.earlier.push(earlier);
            self.watch = watch;
            self.counted = LinkReport::default();
            self.bottleneck_ns = 0;
            self.behind = false;
            before
        });
        let _ = beginning.answer.send(switched);
        let _ = beginning.rest.recv();
        // A knock that came meanwhile was for a driver that had to rest.
        self.wiring.bells[0].notice();
        self.timing.restart();
    }

    /// Takes in and lets out, each at most a number; whether there may be more of either.
    fn round(&mut self) -> bool {
        let more = self.fault.is_none() && !self.behind && self.take_in();
        self.let_out() || more
    }

    /// Takes what the near host has sent, at most a batch; whether there may be more.
    fn take_in(&mut self) -> bool {
        let mut bytes = 0;
        for taken in 0..BATCH {
            let from = &self.wiring.from;
            let received = self.intake.receive(|buffer| from.receive(buffer));
            match received {
                Ok(packet) => {
                    let at = now();
                    if taken == 0 && self.timing.batch_taken(at) {
                        self.wiring.bells[1].knock(at);
                    }
                    match packet {
                        Ok(buffer)
                            if !buffer
                                .shape()
                                .is_between_hosts_of(self.family, buffer.packet()) =>
                        {
                            self.counted.ignored += 1;
                        }
                        Ok(buffer) => {
                            bytes += buffer.packet().len();
                            self.enter(at, buffer);
                        }
                        Err(WireError::NotIp) => self.counted.ignored += 1,
                        Err(_) => self.counted.malformed += 1,
                    }
                    if bytes > BATCH_BYTES {
                        break;
                    }
                }
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

    /// All segments of what has been read enter the link.
    fn enter(&mut self, at: Time, mut buffer: Rc<Buffer>) {
        self.course.admit(at, &mut buffer);
        let segments = buffer.shape().segments();
        self.counted.superpackets_in += u64::from(segments > 1);
        self.look_after_move(at);
        let missed = self.course.misses(buffer.packet());
        for segment in Segment::all(buffer) {
            let lane = &mut self.course.lane;
            self.watch.entered(lane.entered(), at, &segment);
            if missed {
                lane.leave_behind(at, segment);
            } else {
                lane.push(at, segment);
            }
            self.look_after_dropped();
        }
    }

    /// From when the client has left the first path on, senders are told the other one's MTU.
    fn look_after_move(&mut self, now: Time) {
        if self.course.moves(now) {
            self.watch.change_mtu(self.course.mtu_after_handover());
            if self.watch.wants_dropped() {
                self.course.lane.keep_dropped();
            }
        }
    }

    /// Gives the far host what is due, at most a number of runs; whether there may be more.
    fn let_out(&mut self) -> bool {
        let moment = now();
        if !self.earlier.is_empty() {
            self.let_out_earlier(moment);
        }
        self.look_after_move(moment);
        let mut written = 0;
        self.behind = false;
        while let Some(departure) = self.course.lane.pop(moment) {
            let mapping = self.course.mapping_behind(departure.due);
            if !self.run.continues(&departure.packet, mapping) {
                self.write();
                written += 1;
            }
            let due = departure.due;
            self.bottleneck_ns += due.0 - departure.reached.0;
            self.watch.leaving(&departure);
            self.run.add(departure, mapping);
            if written > RUNS {
                self.behind = moment.0.saturating_sub(due.0) > TOO_LATE_TO_TAKE;
                break;
            }
        }
        self.write();
        self.look_after_dropped();
        written > 0
    }

    /// Gives the far host what is due of what had entered before the last beginning.
    fn let_out_earlier(&mut self, moment: Time) {
        for course in &mut self.earlier {
            while let Some(departure) = course.lane.pop(moment) {
                let mapping = course.mapping_behind(departure.due);
                if !self.run.continues(&departure.packet, mapping) {
                    self.run.write(&self.wiring.to, course.translates());
                    self.run.clear();
                }
                self.run.add(departure, mapping);
            }
            self.run.write(&self.wiring.to, course.translates());
            self.run.clear();
        }
        self.earlier
            .retain(|course| course.lane.counters().held > 0);
    }

    /// Gives the far host the packets that have left the link, as one.
    fn write(&mut self) {
        let packets = self.run.dues().len() as u64;
        if packets == 0 {
            return;
        }
        let at = now();
        self.timing.left(at, self.run.dues(), self.run.arrived());
        let translated = self.course.translates();
        let delivery = self.run.write(&self.wiring.to, translated);
        self.timing.handed_over(at, now());
        self.watch.left(at, delivery);
        match delivery {
            Delivery::Taken => self.counted.superpackets_out += u64::from(packets > 1),
            Delivery::Refused => self.counted.ring_dropped += packets,
            Delivery::Stale => self.counted.nat_dropped += packets,
            Delivery::Undeliverable => self.counted.undeliverable += packets,
        }
        self.run.clear();
    }

    /// Tells those who care what has ended in the link.
    fn look_after_dropped(&mut self) {
        if !self.watch.wants_dropped() {
            return;
        }
        while let Some(dropped) = self.course.lane.take_dropped() {
            let tell = dropped.cause == DropCause::TooBig;
            let mapping = self.course.mapping_before(dropped.arrived);
            self.watch.dropped(&dropped);
            if tell {
                self.watch
                    .tell_sender(&dropped.packet, mapping, &self.wiring.from);
            }
        }
    }

    /// Sleeps until a packet comes, one is due, or the bell rings, which it silences.
    fn sleep(&mut self) {
        let left = iter::once(&self.course)
            .chain(&self.earlier)
            .filter_map(|course| course.lane.next_due())
            .min()
            .map(|due| due.0.saturating_sub(now().0));
        if left.is_some_and(|left| left < TOO_SHORT_TO_SLEEP) {
            return;
        }
        self.timing.sleeping();
        let timeout =
            left.map(|left| TimeSpec::nanoseconds(i64::try_from(left).unwrap_or(i64::MAX)));
        let bell = &self.wiring.bells[0];
        let mut fds = [
            PollFd::new(bell.descriptor().as_fd(), PollFlags::POLLIN),
            PollFd::new(self.wiring.from.as_fd(), PollFlags::POLLIN),
        ];
        let watched = if self.fault.is_some() { 1 } else { 2 };
        let _ = ppoll(&mut fds[..watched], timeout, None);
        if fds[0].any() == Some(true) {
            bell.silence();
        }
    }

    fn report(&self) -> LinkReport {
        LinkReport {
            counters: self.course.lane.counters(),
            bottleneck_s: seconds(self.bottleneck_ns),
            delay_min_s: self.timing.delay_min_s(),
            lateness: self.timing.lateness(),
            intake_wait: self.timing.intake_wait(),
            wake: self.timing.wake(),
            handover: self.timing.handover(),
            fault: self.fault.as_ref().map(ToString::to_string),
            ..self.counted.clone()
        }
    }
}

#[cfg(test)]
#[path = "overload.rs"]
mod overload;
