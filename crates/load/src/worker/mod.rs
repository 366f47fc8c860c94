//! One thread's event loop, and the connections that it keeps.
//!
//! A turn of the loop: let responses gather, where many are awaited; wait for sockets and timers; let each connection that has
//! something read a piece of it, handle what happened, send what there is to send and flush once; then hand out what is due in an
//! open loop. Whose socket holds more than a piece goes on in the next turn, which waits for nothing: so a flood on one connection
//! keeps neither the others nor the clock.

mod connections;
mod deadlines;
mod ending;
mod flights;
mod gathering;
mod lingering;
mod phases;
mod priming;
mod queue;
mod requests;
mod sending;
mod slot;
mod standing;
mod timer;
mod waiting;

use std::cmp::Reverse;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use pronghorn_http::SessionStore;
use pronghorn_waits::{Log, Wait};
use rustls::client::Resumption;

use crate::connection::{Connection, Event, Facts};
use crate::dialer::Dialer;
use crate::error::LoadError;
use crate::plan::Plan;
use crate::progress::{Reporter, Snapshots, Standing};
use crate::ranked::Ranked;
use crate::shared::Shared;
use crate::spec::Session;
use crate::tally::Tally;
use crate::thread_cpu::ThreadCpu;
use flights::Flights;
use phases::Phase;
use queue::Queue;
use slot::Slot;
use standing::{LOOKS_UP, Seen};
use timer::Timer;

const TIMER: Token = Token(usize::MAX);
const WAKER: Token = Token(usize::MAX - 1);
/// Events that are taken from the kernel at once.
const EVENTS: usize = 1024;
/// How long a connection is read from in a turn, while others wait.
const LONGEST_READ: Duration = Duration::from_micros(100);

/// One thread's part of a load.
pub(crate) struct Worker {
    plan: Arc<Plan>,
    shared: Arc<Shared>,
    index: u32,
    poll: Poll,
    timer: Timer,
    slots: Vec<Slot>,
    /// The slots' deadlines, and then those of connections that linger behind.
    deadlines: Ranked<Instant>,
    /// In an open loop: the room of those that have some, and among equals how many requests they were given.
    rooms: Ranked<(Reverse<usize>, u64)>,
    flights: Flights,
    phase: Phase,
    queue: Option<Queue>,
    /// Whether an open loop's requests wait for room.
    short_of_room: bool,
    /// When there last was room again.
    free_from: Option<Instant>,
    /// Measured requests of an open loop that were due and handed out.
    due: u64,
    tally: Tally,
    /// Bytes of the largest request's head that the server is known to take.
    taken_head_bytes: usize,
    reporter: Option<Reporter>,
    /// How the first connection was set up.
    facts: Option<Facts>,
    /// The slot and the generation of that.
    facts_of: Option<(usize, u32)>,
    /// Connections whose handshake is done.
    connected: u64,
    scratch: Vec<Event>,
    /// When the sockets were last looked at.
    looked: Instant,
    seen: Seen,
    /// Until when time that this thread stood still was noted.
    noted: Instant,
    /// Slots that may have something to flush.
    dirty: Vec<usize>,
    /// Slots whose sockets may hold more, and the generations of those.
    unread: Vec<(usize, u32)>,
    /// The thread's waits for a CPU, where somebody wants to know, and where its clock begins.
    log: Option<(Log, Instant)>,
    watched: bool,
    /// Those of the window, once it is over.
    waits_in_window: Option<Waits>,
}

/// Waits in order, and the sum in nanoseconds of those for which there was no room.
pub(crate) type Waits = (Vec<Wait>, u64);

/// What a worker hands back.
pub(crate) struct Outcome {
    pub(crate) tally: Tally,
    pub(crate) facts: Option<Facts>,
    /// When the window began and ended, unless it never did.
    pub(crate) window: Option<(Instant, Instant)>,
    /// It was cut.
    pub(crate) cut: bool,
    pub(crate) per_slot: Vec<Part>,
    pub(crate) cpu: crate::report::CpuTime,
    /// Waits for a CPU in the window; none where nobody wanted to know, or the kernel doesn't tell.
    pub(crate) waits: Option<Waits>,
}

/// What a slot had of the window.
pub(crate) struct Part {
    pub(crate) succeeded: u64,
    /// How long it took to its last success; none where all of the window was its own.
    pub(crate) took: Option<Duration>,
}

impl Worker {
    /// The worker of this number, in a load that hasn't begun. To be made on the host that loads.
    pub(crate) fn new(
        plan: &Arc<Plan>,
        shared: &Arc<Shared>,
        index: u32,
        snapshots: Option<Snapshots>,
    ) -> Result<Worker, LoadError> {
        let poll = Poll::new().map_err(LoadError::system("an event loop"))?;
        let timer = Timer::new().map_err(LoadError::system("a timer"))?;
        let waker = mio::Waker::new(poll.registry(), WAKER);
        shared.add(Arc::new(waker.map_err(LoadError::system("a waker"))?));
        poll.registry()
            .register(
                &mut SourceFd(&timer.descriptor()),
                TIMER,
                Interest::READABLE,
            )
            .map_err(LoadError::system("a timer"))?;
        let slots = (index..plan.connections)
            .step_by(plan.threads as usize)
            .map(|_| slot(plan))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Worker {
            plan: plan.clone(),
            shared: shared.clone(),
            index,
            poll,
            timer,
            deadlines: Ranked::new(2 * slots.len()),
            rooms: Ranked::new(slots.len()),
            slots,
            flights: Flights::default(),
            phase: Phase::default(),
            queue: None,
            short_of_room: false,
            free_from: None,
            due: 0,
            tally: Tally::default(),
            taken_head_bytes: 0,
            reporter: snapshots.map(Reporter::new),
            facts: None,
            facts_of: None,
            connected: 0,
            scratch: Vec::new(),
            looked: Instant::now(),
            seen: Seen::new(Instant::now(), &ThreadCpu::default()),
            noted: Instant::now(),
            dirty: Vec::new(),
            unread: Vec::new(),
            log: None,
            watched: false,
            waits_in_window: None,
        })
    }

    /// Has the thread's waits for a CPU kept one by one, which takes it two looks at the clock a turn.
    pub(crate) fn watch(&mut self) {
        self.watched = true;
    }

    /// Loads until it is over.
    pub(crate) fn run(mut self) -> io::Result<Outcome> {
        let mut events = Events::with_capacity(EVENTS);
        // Short sleeps are then as short as asked for; without it they are 50 µs longer (prctl(2)).
        let _ = nix::sys::prctl::set_timerslack(1);
        self.phase.account = ThreadCpu::of_this_thread();
        if self.watched {
            let waited_ns = self.phase.account.waited_ns();
            self.log = waited_ns.map(|waited_ns| (Log::new(0, waited_ns), Instant::now()));
        }
        self.seen = Seen::new(Instant::now(), &self.phase.account);
        self.begin(Instant::now());
        self.looked();
        while !self.phase.is_over() {
            self.sleeps();
            if self.unread.is_empty() {
                self.gather();
            }
            let due = self.wait(&mut events)?;
            self.woke();
            self.looked();
            self.look_up(due, self.looked);
            self.open_window(self.looked);
            self.close_window(self.looked);
            let unread = std::mem::take(&mut self.unread);
            for event in &events {
                self.happen(event);
                self.keep_time();
            }
            for (index, generation) in unread {
                self.read_on(index, generation);
                self.keep_time();
            }
            self.end_turn(Instant::now());
        }
        Ok(self.finish())
    }

    /// Does what is due once the sockets were read. A turn may have been stopped in its midst, so it looks up first.
    fn end_turn(&mut self, now: Instant) {
        self.look_up(self.looked, now);
        self.expire(now);
        self.hand_out(now);
        self.proceed(now);
        self.report(now);
    }

    /// Does what mustn't wait for the turn's other connections: ends the window, and hands out what is due in an open loop.
    fn keep_time(&mut self) {
        let now = Instant::now();
        self.close_window(now);
        let due = self.queue.as_ref().and_then(Queue::due);
        if due.is_some_and(|due| due <= now) && !self.short_of_room {
            self.hand_out(now);
        }
    }

    /// Waits for the next thing to do; by when it was to be there at the latest.
    fn wait(&mut self, events: &mut Events) -> io::Result<Instant> {
        let now = Instant::now();
        // A turn takes far less time than it takes to be late.
        self.look_up(self.looked, now);
        let latest = now + LOOKS_UP;
        let deadline = self.next_deadline().map_or(latest, |next| next.min(latest));
        let timeout = if !self.unread.is_empty() || deadline <= now {
            Some(Duration::ZERO)
        } else {
            self.timer.arm(deadline, now)?;
            None
        };
        let looks = if timeout.is_none() { self.looks() } else { 0 };
        for _ in 0..looks {
            self.look(events, Some(Duration::ZERO))?;
            if !events.is_empty() {
                return Ok(deadline.max(now));
            }
        }
        self.look(events, timeout)?;
        Ok(deadline.max(now))
    }

    /// Looks at the sockets and timers, for so long at most.
    fn look(&mut self, events: &mut Events, timeout: Option<Duration>) -> io::Result<()> {
        match self.poll.poll(events, timeout) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                events.clear();
                Ok(())
            }
            other => other,
        }
    }

    /// One socket has something, or takes something.
    fn happen(&mut self, event: &mio::event::Event) {
        let Some((index, generation)) = place(event.token()) else {
            return;
        };
        if self.is_behind(index, generation) {
            return self.attend_behind(index, Instant::now());
        }
        let slot = &mut self.slots[index];
        if slot.generation != generation {
            return;
        }
        let Some(link) = &mut slot.link else {
            return;
        };
        let now = Instant::now();
        if event.is_writable() {
            link.connection.writable(now, &mut self.scratch);
        }
        let (has_come, has_ended) = (event.is_readable(), event.is_read_closed());
        if has_come || has_ended || event.is_error() {
            self.read(index, has_ended);
        }
        self.settle(index, Instant::now());
    }

    /// A socket had more than was read in the last turn.
    fn read_on(&mut self, index: usize, generation: u32) {
        if self.is_behind(index, generation) {
            return self.attend_behind(index, Instant::now());
        }
        let slot = &mut self.slots[index];
        if slot.generation != generation {
            return;
        }
        let Some(link) = &mut slot.link else {
            return;
        };
        link.unread = false;
        // Its end may have been told of with what came before it.
        self.read(index, true);
        self.settle(index, Instant::now());
    }

    /// Reads what a slot's connection has, piece by piece, each with a clock of its own, but not for longer than a turn's share;
    /// what is left is read in the next turn. What comes meanwhile is answered together: a connection that answers each of its
    /// server's datagrams costs both of them several times the packets. `to_its_end`: a short read doesn't see the end that came
    /// with it, so one more is needed.
    fn read(&mut self, index: usize, to_its_end: bool) {
        let generation = self.slots[index].generation;
        let begun = Instant::now();
        let mut now = begun;
        let mut last = !to_its_end;
        loop {
            let slot = &mut self.slots[index];
            let Some(link) = slot.link.as_mut().filter(|_| slot.generation == generation) else {
                return;
            };
            let more = link.connection.readable(now, &mut self.scratch);
            // By a clock read before, what came while this thread had no CPU would have come too early.
            now = Instant::now();
            if more && now.saturating_duration_since(begun) >= LONGEST_READ {
                if !std::mem::replace(&mut link.unread, true) {
                    self.unread.push((index, generation));
                }
                return self.heed(index, now);
            }
            self.heed(index, now);
            if !more && std::mem::replace(&mut last, true) {
                return;
            }
        }
    }

    /// Handles what happened on a slot's connection, sends what there is to send, and flushes.
    fn settle(&mut self, index: usize, now: Instant) {
        loop {
            self.heed(index, now);
            self.refill(index);
            let Some(link) = &mut self.slots[index].link else {
                break;
            };
            link.connection.flush(now, &mut self.scratch);
            if self.scratch.is_empty() {
                break;
            }
        }
        self.end_lingering(index, now);
        self.rank(index);
    }

    /// Notes how the load goes, where it is time.
    fn report(&mut self, now: Instant) {
        let deadline = self.reporter.as_ref().and_then(Reporter::deadline);
        if deadline.is_none_or(|deadline| deadline > now) {
            return;
        }
        let standing = self.standing();
        if let Some(reporter) = &mut self.reporter {
            reporter.tick(now, standing);
        }
    }

    fn standing(&self) -> Standing {
        Standing {
            in_flight: self.flights.count() as u64,
            connected: self.connected,
            payload: self.slots.iter().map(Slot::payload).sum(),
        }
    }
}

/// Servers whose sessions a slot keeps; a load has one.
const SERVERS: usize = 1;

fn slot(plan: &Plan) -> Result<Slot, LoadError> {
    let (tls, sessions) = match (&plan.endpoint.tls, plan.session) {
        (Some(tls), Session::Resumed | Session::ZeroRtt) => {
            let sessions = Arc::new(SessionStore::new(SERVERS));
            let mut tls = tls.clone();
            tls.resumption = Resumption::store(sessions.clone());
            tls.enable_early_data = plan.session == Session::ZeroRtt;
            (Some(tls), Some(sessions))
        }
        (tls, _) => (tls.clone(), None),
    };
    Ok(Slot::new(Dialer::new(&plan.endpoint, tls)?, sessions))
}

/// A slot and which of its connections it is, in the number by which the kernel tells of it.
fn token(index: usize, generation: u32) -> Token {
    Token((generation as usize) << 32 | index)
}

fn place(token: Token) -> Option<(usize, u32)> {
    if token == TIMER || token == WAKER {
        return None;
    }
    Some((token.0 & 0xffff_ffff, (token.0 >> 32) as u32))
}
