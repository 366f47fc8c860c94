//! The bottleneck: a buffer before a wire.

use crate::discipline::Discipline;
use crate::exit::Exit;
use crate::fate::DropCause;
use crate::ledger::Ledger;
use crate::opportunities::Opportunities;
use crate::overhead::Framing;
use crate::packet::Packet;
use crate::queue::Room;
use crate::serialiser::Serialiser;
use crate::spec::{Direction, LinkSpec, Queue};
use crate::time::Time;
use crate::trace::{Deliveries, HEADER_BYTES};
use crate::transit::Transit;
use crate::wire::{Busy, Paced, Traced, Wire};

/// The last stages, queue and rate. Which packet is sent next is decided when the wire can take it. What
/// happens at one moment happens in this order: packets leave, the wire takes the next one, others come.
#[derive(Debug)]
pub(crate) struct Bottleneck<P> {
    room: Room,
    queue: Discipline<P>,
    wire: Wire<P>,
}

impl<P: Packet> Bottleneck<P> {
    /// The bottleneck of a rate, which `spec` itself need not set, since a schedule may; or, where there
    /// are deliveries, of a trace.
    pub(crate) fn new(
        spec: &LinkSpec,
        rate_bit_per_s: u64,
        deliveries: Option<Deliveries>,
        seed: u64,
        direction: Direction,
    ) -> Bottleneck<P> {
        let bound = spec.queue.unwrap_or(Queue::DEFAULT);
        let (room, wire) = match deliveries {
            None => {
                let framing = Framing::new(spec.overhead, 0);
                let paced = Paced::new(Serialiser::new(rate_bit_per_s), framing);
                (
                    Room::new(bound, rate_bit_per_s, framing),
                    Wire::Paced(paced),
                )
            }
            Some(deliveries) => {
                let framing = Framing::new(spec.overhead, HEADER_BYTES);
                let mean = deliveries.mean_rate_bit_per_s().round() as u64;
                let traced = Traced::new(Opportunities::new(deliveries), framing);
                (Room::new(bound, mean, framing), Wire::Traced(traced))
            }
        };
        Bottleneck {
            room,
            queue: Discipline::new(spec.aqm, seed, direction),
            wire,
        }
    }

    /// The time from which a trace counts.
    pub(crate) fn start(&mut self, at: Time) {
        if let Wire::Traced(traced) = &mut self.wire {
            traced.start(at);
        }
    }

    /// When something happens next unless another packet comes; no packet leaves before.
    pub(crate) fn next_event(&self) -> Option<Time> {
        match &self.wire {
            Wire::Paced(paced) => paced.end(),
            Wire::Traced(traced) => traced.next(!self.queue.is_empty()),
        }
    }

    /// Whether nothing is inside.
    pub(crate) fn is_idle(&self) -> bool {
        self.room.packets() == 0
    }

    /// Whether it is sending at a rate, so that it matters when the rate changes.
    pub(crate) fn is_sending(&self) -> bool {
        matches!(&self.wire, Wire::Paced(paced) if paced.end().is_some())
    }

    /// No later than a packet of `len` bytes that finds the bottleneck idle at `at` would leave.
    pub(crate) fn preview(&self, at: Time, len: usize) -> Time {
        if !self.room.has_room(len) {
            return at;
        }
        match &self.wire {
            Wire::Paced(paced) => paced.preview(at, len),
            Wire::Traced(traced) => traced.preview(at),
        }
    }

    /// Another rate from `at` on. All that happens before or at `at` must have happened.
    pub(crate) fn set_rate(&mut self, at: Time, rate_bit_per_s: u64) {
        if let Wire::Paced(paced) = &mut self.wire {
            self.room.set_rate(rate_bit_per_s);
            paced.set_rate(at, rate_bit_per_s);
        }
    }

    /// Another bound of the buffer; what is inside stays.
    pub(crate) fn set_bound(&mut self, bound: Queue) {
        self.room.set_bound(bound);
    }

    /// A packet comes at `at`. All that happens before or at `at` must have happened.
    pub(crate) fn arrive(&mut self, at: Time, transit: Transit<P>, ledger: &mut Ledger<P>) {
        let len = transit.packet.len();
        let fits = if self.queue.sheds() {
            self.room.could_hold(len)
        } else {
            self.room.has_room(len)
        };
        if !fits {
            ledger.drop_held(at, DropCause::QueueFull, transit);
            return;
        }
        let idle = self.is_idle();
        self.room.enter(len);
        match &mut self.wire {
            Wire::Paced(paced) if idle => {
                self.queue.enqueue(transit);
                let exit = Exit {
                    room: &mut self.room,
                    ledger,
                };
                if let Some(first) = self.queue.dequeue(at, exit) {
                    paced.begin(at, first);
                }
            }
            Wire::Traced(traced) if idle => {
                traced.skip(at);
                self.queue.enqueue(transit);
            }
            _ => self.queue.enqueue(transit),
        }
        while self.room.is_over() {
            let exit = Exit {
                room: &mut self.room,
                ledger,
            };
            if !self.queue.shed(at, exit) {
                break;
            }
        }
        let counters = &mut ledger.counters;
        counters.queue_high_water_bytes = counters.queue_high_water_bytes.max(self.room.bytes());
        counters.queue_high_water_packets =
            counters.queue_high_water_packets.max(self.room.packets());
    }

    /// Takes out every packet, whatever its turn.
    pub(crate) fn take_all(&mut self) -> Vec<Transit<P>> {
        let sending = match &mut self.wire {
            Wire::Paced(paced) => paced.take(),
            Wire::Traced(traced) => traced.take(),
        };
        let all: Vec<_> = sending.into_iter().chain(self.queue.take_all()).collect();
        for transit in &all {
            self.room.leave(transit.packet.len());
        }
        all
    }

    /// Lets happen what is due at [`Bottleneck::next_event`]; perhaps a packet leaves.
    pub(crate) fn step(&mut self, ledger: &mut Ledger<P>) -> Option<(Time, Transit<P>)> {
        let Bottleneck { room, queue, wire } = self;
        let mut next = |now: Time, room: &mut Room| queue.dequeue(now, Exit { room, ledger });
        match wire {
            Wire::Paced(paced) => {
                let (end, transit) = paced.finish()?;
                room.leave(transit.packet.len());
                if let Some(next) = next(end, room) {
                    paced.begin(Time::ZERO, next);
                }
                Some((end, transit))
            }
            Wire::Traced(traced) => {
                let now = traced.open()?;
                loop {
                    match traced.send() {
                        Busy::Done(transit) => {
                            room.leave(transit.packet.len());
                            return Some((now, transit));
                        }
                        Busy::Sending => return None,
                        Busy::Idle => match next(now, room) {
                            Some(transit) => traced.begin(transit),
                            None => {
                                traced.close();
                                return None;
                            }
                        },
                    }
                }
            }
        }
    }
}
