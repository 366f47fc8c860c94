//! What a driver drives at a time: a link with its clock and the NAT before the client.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pronghorn_path::{Direction, Link, PathSpec, SpecError, Time};

use crate::buffers::Buffer;
use crate::nat::{self, Nat};
use crate::segment::Segment;
use crate::tap::Tap;

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

/// What a driver is to drive.
pub(crate) struct Plan {
    pub(crate) path: PathSpec,
    pub(crate) seed: u64,
    /// The same for both links of a path.
    pub(crate) start: Arc<Start>,
    pub(crate) tap: Option<Box<dyn Tap>>,
}

/// One direction of one path, from the time that it was asked for until its last packet has left.
pub(crate) struct Course {
    pub(crate) link: Link<Segment>,
    direction: Direction,
    nat: Option<Nat>,
    shared_start: Arc<Start>,
    start: Option<Time>,
}

impl Course {
    /// A course of the plan, empty. Fails where the plan's path can't be.
    pub(crate) fn new(plan: &Plan, direction: Direction) -> Result<Course, SpecError> {
        Ok(Course {
            link: Link::new(plan.path.link(direction), plan.seed, direction)?,
            direction,
            nat: Nat::new(&plan.path.rebind_ns),
            shared_start: Arc::clone(&plan.start),
            start: None,
        })
    }

    /// What the near host has sent enters at `at`: the path starts with it unless it has, and the NAT translates it.
    pub(crate) fn admit(&mut self, at: Time, buffer: &mut Rc<Buffer>) {
        let start = match self.start {
            Some(start) => start,
            None => {
                let start = self.shared_start.at(at);
                self.link.start(start);
                *self.start.insert(start)
            }
        };
        if let (Some(nat), Direction::Up) = (&self.nat, self.direction) {
            let shape = *buffer.shape();
            if let Some(own) = Rc::get_mut(buffer) {
                nat::outward(&shape, own.packet_mut(), nat.mapping(start, at));
            }
        }
    }

    /// Whether the NAT stands behind the link.
    pub(crate) fn translates(&self) -> bool {
        self.nat.is_some() && self.direction == Direction::Down
    }

    /// The NAT's mapping for what leaves towards the client at `due`; 0 where it stands before the link.
    pub(crate) fn mapping_behind(&self, due: Time) -> u64 {
        match self.direction {
            Direction::Down => self.mapping(due),
            Direction::Up => 0,
        }
    }

    /// The NAT's mapping under which a packet entered at `arrived`; 0 where it stands behind the link.
    pub(crate) fn mapping_before(&self, arrived: Time) -> u64 {
        match self.direction {
            Direction::Up => self.mapping(arrived),
            Direction::Down => 0,
        }
    }

    fn mapping(&self, at: Time) -> u64 {
        match (&self.nat, self.start) {
            (Some(nat), Some(start)) => nat.mapping(start, at),
            _ => 0,
        }
    }
}
