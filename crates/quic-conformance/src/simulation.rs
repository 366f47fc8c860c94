//! Virtual time: from one event to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::datagram::{kinds, without};
use crate::scenario::{Fate, Scenario, Stall};
use crate::stack::End;
use crate::trace::{Direction, Observation, Sample, Sighting, Trace};

/// Rounds in which time may stand still. Each timer of a stack may ask for one.
const IDLE_ROUNDS: u32 = 100;

/// Runs a scenario with two ends.
pub fn simulate(scenario: Scenario, client: &mut dyn End, server: &mut dyn End) -> Trace {
    Simulation {
        scenario,
        ends: [client, server],
        now: Duration::ZERO,
        under_way: BTreeMap::new(),
        requested: 0,
        sent: [0; 2],
        known: [Observation::default(); 2],
        trace: Trace::default(),
    }
    .run()
}

struct Simulation<'a> {
    scenario: Scenario,
    /// The client and the server: who sends up, and who sends down.
    ends: [&'a mut dyn End; 2],
    now: Duration,
    /// Datagrams by when they arrive, then by when they were sent.
    under_way: BTreeMap<(Duration, usize), (Direction, Vec<u8>)>,
    requested: usize,
    /// How many datagrams went up and down.
    sent: [usize; 2],
    known: [Observation; 2],
    trace: Trace,
}

const SENDERS: [Direction; 2] = [Direction::Up, Direction::Down];

impl Simulation<'_> {
    fn run(mut self) -> Trace {
        let mut idle = 0;
        loop {
            self.round();
            let done = self.trace.answered.len() == self.scenario.requests.len();
            if self.trace.failed.is_some() || done && !self.scenario.lingers {
                break;
            }
            let Some(next) = self.next_event().filter(|at| *at <= self.scenario.until) else {
                break;
            };
            idle = if next <= self.now { idle + 1 } else { 0 };
            if idle > IDLE_ROUNDS {
                self.trace.failed = Some(format!("time stands still at {:?}", self.now));
                break;
            }
            self.now = self.now.max(next);
        }
        self.trace
    }

    /// Lets everything happen that is due by now.
    fn round(&mut self) {
        while let Some(entry) = self.under_way.first_entry() {
            if entry.key().0 > self.now {
                break;
            }
            let (direction, datagram) = entry.remove();
            let receiver = match direction {
                Direction::Up => 1,
                Direction::Down => 0,
            };
            self.ends[receiver].receive(self.now, &datagram);
        }
        while let Some(request) = self.scenario.requests.get(self.requested) {
            if request.at > self.now {
                break;
            }
            self.ends[0].request(request.bytes);
            self.requested += 1;
        }
        for (number, direction) in SENDERS.into_iter().enumerate() {
            if self.stall(direction).is_some() {
                continue;
            }
            let end = &mut self.ends[number];
            if end.due().is_some_and(|due| due <= self.now) {
                end.wake(self.now);
            }
            let mut sent = Vec::new();
            end.send(self.now, &mut |datagram| sent.push(datagram));
            for datagram in sent {
                self.carry(direction, datagram);
            }
            self.observe(number, direction);
        }
        for _ in self.trace.answered.len()..self.ends[0].answered() {
            self.trace.answered.push(self.now);
        }
        let failed = self.ends.iter().find_map(|end| end.failed());
        if self.trace.failed.is_none() {
            self.trace.failed = failed;
        }
    }

    fn carry(&mut self, direction: Direction, mut datagram: Vec<u8>) {
        let mut seen = Sighting {
            direction,
            index: self.sent[direction as usize],
            at: self.now,
            size: datagram.len(),
            packets: kinds(&datagram),
            fate: Fate::Pass,
        };
        seen.fate = (self.scenario.script)(&seen);
        self.sent[direction as usize] += 1;
        let mut arrives = self.now + self.scenario.one_way;
        let number = self.trace.datagrams.len();
        let fate = seen.fate;
        self.trace.datagrams.push(seen);
        match fate {
            Fate::Pass => {}
            Fate::Drop => return,
            Fate::Late(by) => arrives += by,
            Fate::Without(kind) => match without(&datagram, kind) {
                Some(left) => datagram = left,
                None => return,
            },
        }
        self.under_way
            .insert((arrives, number), (direction, datagram));
    }

    fn observe(&mut self, number: usize, sender: Direction) {
        let seen = self.ends[number].observe();
        if seen != self.known[number] {
            self.known[number] = seen;
            self.trace.samples.push(Sample {
                at: self.now,
                sender,
                seen,
            });
        }
    }

    fn stall(&self, sender: Direction) -> Option<&Stall> {
        let stalls = self.scenario.stalls.iter();
        let mut stalls = stalls.filter(|stall| stall.sender == sender);
        stalls.find(|stall| (stall.from..stall.to).contains(&self.now))
    }

    fn next_event(&mut self) -> Option<Duration> {
        let mut events: Vec<Duration> = Vec::new();
        events.extend(self.under_way.keys().next().map(|(at, _)| *at));
        let next = self.scenario.requests.get(self.requested);
        events.extend(next.map(|request| request.at));
        for (number, direction) in SENDERS.into_iter().enumerate() {
            match self.stall(direction).map(|stall| stall.to) {
                Some(ends) => events.push(ends),
                None => events.extend(self.ends[number].due()),
            }
        }
        events.into_iter().min()
    }
}
