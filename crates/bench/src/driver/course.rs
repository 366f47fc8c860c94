//! What a driver drives at a time: a lane with its clock, the NAT before the client, and the client's move to another path.

use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pronghorn_path::{Direction, Lane, Mtu, PathSpec, SpecError, Time};

use crate::driver::buffers::Buffer;
use crate::driver::nat::{self, Nat};
use crate::driver::segment::Segment;
use crate::driver::tap::Tap;
use crate::processes::mover::Movement;

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
    /// Of a path with a handover: who is told of it, and the client's address before.
    pub(crate) departure: Option<(Movement, IpAddr)>,
}

/// One direction of one path, from the time that it was asked for until its last packet has left.
pub(crate) struct Course {
    pub(crate) lane: Lane<Segment>,
    direction: Direction,
    departure: Option<(Movement, IpAddr)>,
    mtu_after_handover: Option<Mtu>,
    /// The client has left the first path, and whoever cares has been told.
    moved: bool,
    nat: Option<Nat>,
    shared_start: Arc<Start>,
    start: Option<Time>,
}

impl Course {
    /// A course of the plan, empty. Fails where the plan's path can't be.
    pub(crate) fn new(plan: &Plan, direction: Direction) -> Result<Course, SpecError> {
        Ok(Course {
            lane: Lane::new(&plan.path, plan.seed, direction)?,
            direction,
            departure: plan.departure.clone(),
            mtu_after_handover: plan
                .path
                .handover
                .as_ref()
                .and_then(|handover| handover.path.link(direction).mtu),
            moved: false,
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
                self.lane.start(start);
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

    /// Whether the client has just left the first path, of which this tells whoever changes its address. True once.
    pub(crate) fn moves(&mut self, now: Time) -> bool {
        let Some((movement, _)) = self.departure.as_ref().filter(|_| !self.moved) else {
            return false;
        };
        self.moved = self.lane.has_moved_by(now);
        if let (true, Some(at)) = (self.moved, self.lane.moves_at()) {
            // Nobody listens any more where the other direction's driver was first.
            let _ = movement.send(at);
        }
        self.moved
    }

    /// Lets what is inside leave as if there were no handover to come, of which nobody is told any more.
    pub(crate) fn stay(&mut self) {
        self.lane.stay();
        self.departure = None;
    }

    /// The other path's.
    pub(crate) fn mtu_after_handover(&self) -> Option<Mtu> {
        self.mtu_after_handover
    }

    /// Whether a packet is from or to where the client isn't any more.
    pub(crate) fn misses(&self, packet: &[u8]) -> bool {
        let Some((_, before)) = self.departure.as_ref().filter(|_| self.moved) else {
            return false;
        };
        nat::end_at_client(self.direction, packet) == Some(*before)
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
