//! One direction of a path: a link, and after a handover the link of another path in its place.
//!
//! The client leaves its network at an instant of the path's own clock. What is due before it leaves the first link, whenever that is
//! asked for; what is inside then is lost ([`DropCause::LeftBehind`]). Whatever comes from that instant on enters the second link,
//! whose own clock starts there. Both links' packets are numbered and counted as one's.

use std::collections::VecDeque;

use crate::counters::Counters;
use crate::fate::{Departure, DropCause, Dropped};
use crate::link::Link;
use crate::packet::Packet;
use crate::seed;
use crate::spec::{Direction, PathSpec};
use crate::spec_error::SpecError;
use crate::time::Time;

/// One direction of a path, to be used as a [`Link`] is.
#[derive(Debug)]
pub struct Lane<P> {
    /// The one that packets enter.
    link: Link<P>,
    /// The one that they will enter, and when, in nanoseconds since the start.
    later: Option<(u64, Link<P>)>,
    /// The one that they entered before the handover, as long as nobody has asked what left it until then.
    earlier: Option<Link<P>>,
    /// What the earlier link has counted, once it has ended.
    ended: Counters,
    /// What was inside as it ended, where somebody asks for it.
    left_behind: Option<VecDeque<Dropped<P>>>,
    /// Packets that had entered the earlier link.
    entered_earlier: u64,
    start: Option<Time>,
    /// When the client left the first path, once it has.
    moved: Option<Time>,
}

impl<P: Packet> Lane<P> {
    /// One direction of the path, empty. `seed` settles every decision; the second path's come from one derived from it.
    ///
    /// # Errors
    /// The first value of the specification that isn't allowed.
    pub fn new(path: &PathSpec, seed: u64, direction: Direction) -> Result<Lane<P>, SpecError> {
        let link = Link::new(path.link(direction), seed, direction)?;
        let later = path.handover.as_ref().map(|handover| {
            let seed = seed::derive(seed, "handover");
            let link = Link::new(handover.path.link(direction), seed, direction);
            link.map(|link| (handover.at_ns, link))
        });
        Ok(Lane {
            link,
            later: later.transpose()?,
            earlier: None,
            ended: Counters::default(),
            left_behind: None,
            entered_earlier: 0,
            start: None,
            moved: None,
        })
    }

    /// Sets the time from which the path's clock counts, as [`Link::start`] does.
    pub fn start(&mut self, at: Time) {
        if self.start.is_none() {
            self.start = Some(at);
            self.link.start(at);
        }
    }

    /// From now on, keeps each packet that it drops for [`Lane::take_dropped`], copies included.
    pub fn keep_dropped(&mut self) {
        self.link.keep_dropped();
        if let Some((_, later)) = &mut self.later {
            later.keep_dropped();
        }
        self.left_behind.get_or_insert_with(VecDeque::new);
    }

    /// The next packet that was dropped, as [`Link::take_dropped`] gives it.
    pub fn take_dropped(&mut self) -> Option<Dropped<P>> {
        if let Some(dropped) = self.earlier.as_mut().and_then(Link::take_dropped) {
            return Some(dropped);
        }
        let left = self.left_behind.as_mut().and_then(VecDeque::pop_front);
        left.or_else(|| {
            let dropped = self.link.take_dropped()?;
            Some(Dropped {
                number: dropped.number + self.entered_earlier,
                ..dropped
            })
        })
    }

    /// When the client leaves, or left, the first path; none without a handover, or before the start.
    #[must_use]
    pub fn moves_at(&self) -> Option<Time> {
        let planned = self
            .later
            .as_ref()
            .and_then(|(at_ns, _)| Some(self.start?.plus_nanos(*at_ns)));
        self.moved.or(planned)
    }

    /// Whether the client has left the first path by `now`. Time goes forward only: once it has, it stays so.
    pub fn has_moved_by(&mut self, now: Time) -> bool {
        if self.moved.is_none() && self.moves_at().is_some_and(|at| at <= now) {
            self.move_on();
        }
        self.moved.is_some()
    }

    /// Calls off the handover, unless it has been.
    pub fn stay(&mut self) {
        self.later = None;
    }

    /// A packet enters at `now`, as with [`Link::push`].
    pub fn push(&mut self, now: Time, packet: P) {
        self.start(now);
        self.has_moved_by(now);
        self.link.push(now, packet);
    }

    /// A packet comes at `now` that is from or to where the client isn't any more: it enters and ends at once.
    pub fn leave_behind(&mut self, now: Time, packet: P) {
        self.start(now);
        self.has_moved_by(now);
        self.link.refuse(now, DropCause::LeftBehind, packet);
    }

    /// The time at which to pop, if nothing is pushed before, as with [`Link::next_due`]; no later than the handover.
    #[must_use]
    pub fn next_due(&self) -> Option<Time> {
        let due = self.link.next_due();
        match (&self.later, &self.earlier) {
            (None, None) => due,
            _ => due.into_iter().chain(self.moves_at()).min(),
        }
    }

    /// The next packet that leaves by `now`, as with [`Link::pop`]; those of the first path come first.
    pub fn pop(&mut self, now: Time) -> Option<Departure<P>> {
        self.has_moved_by(now);
        if let (Some(earlier), Some(moved)) = (&mut self.earlier, self.moved) {
            let last = moved.0.checked_sub(1).map(Time);
            if let Some(departure) = last.and_then(|last| earlier.pop(last)) {
                return Some(departure);
            }
            self.end_earlier(moved);
        }
        let departure = self.link.pop(now)?;
        Some(Departure {
            number: departure.number + self.entered_earlier,
            ..departure
        })
    }

    /// How many packets have been pushed.
    #[must_use]
    pub fn entered(&self) -> u64 {
        self.entered_earlier + self.link.counters().packets_in
    }

    /// What has happened so far, on both links together.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let earlier = self.earlier.as_ref().map_or(&self.ended, Link::counters);
        self.link.counters().and(earlier)
    }

    fn move_on(&mut self) {
        let (Some(at), Some((_, later))) = (self.moves_at(), self.later.take()) else {
            return;
        };
        let earlier = std::mem::replace(&mut self.link, later);
        self.link.start(at);
        self.entered_earlier = earlier.counters().packets_in;
        self.earlier = Some(earlier);
        self.moved = Some(at);
    }

    fn end_earlier(&mut self, at: Time) {
        let Some(mut earlier) = self.earlier.take() else {
            return;
        };
        earlier.end(at);
        if let Some(left) = &mut self.left_behind {
            left.extend(std::iter::from_fn(|| earlier.take_dropped()));
        }
        self.ended = earlier.counters().clone();
    }
}
