//! Virtual time: from one event to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::scenario::{Fate, Scenario, Stall};
use crate::stack::End;
use crate::trace::{Direction, Trace};
use crate::wire::Wire;

/// Rounds in which time may stand still. Each timer of a stack may ask for one.
const IDLE_ROUNDS: u32 = 100;

/// Runs a scenario with two ends.
pub fn simulate(mut scenario: Scenario, client: &mut dyn End, server: &mut dyn End) -> Trace {
    let script = std::mem::replace(&mut scenario.script, Box::new(|_| Fate::Pass));
    Simulation {
        wire: Wire::new(scenario.one_way, script),
        scenario,
        ends: [client, server],
        now: Duration::ZERO,
        under_way: BTreeMap::new(),
        requested: 0,
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
    wire: Wire,
}

const SENDERS: [Direction; 2] = [Direction::Up, Direction::Down];

impl Simulation<'_> {
    fn run(mut self) -> Trace {
        let mut idle = 0;
        loop {
            self.round();
            let done = self.wire.trace.answered.len() == self.scenario.requests.len();
            if self.wire.trace.failed.is_some() || done && !self.scenario.lingers {
                break;
            }
            let Some(next) = self.next_event().filter(|at| *at <= self.scenario.until) else {
                break;
            };
            idle = if next <= self.now { idle + 1 } else { 0 };
            if idle > IDLE_ROUNDS {
                self.wire.trace.failed = Some(format!("time stands still at {:?}", self.now));
                break;
            }
            self.now = self.now.max(next);
        }
        self.wire.trace
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
                let number = self.wire.trace.datagrams.len();
                if let Some((at, arriving)) = self.wire.carry(self.now, direction, datagram) {
                    self.under_way.insert((at, number), (direction, arriving));
                }
            }
            let seen = self.ends[number].observe();
            self.wire.observe(self.now, direction, seen);
        }
        for _ in self.wire.trace.answered.len()..self.ends[0].answered() {
            self.wire.trace.answered.push(self.now);
        }
        let failed = self.ends.iter().find_map(|end| end.failed());
        if self.wire.trace.failed.is_none() {
            self.wire.trace.failed = failed;
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
