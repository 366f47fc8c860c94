//! Which packet the bottleneck sends next.

use crate::codel::{Aim, Codel, Managed};
use crate::exit::Exit;
use crate::fate::DropCause;
use crate::fifo::Fifo;
use crate::fq_codel::FqCodel;
use crate::packet::Packet;
use crate::seed;
use crate::spec::{Aqm, Direction};
use crate::time::Time;
use crate::transit::Transit;

/// The packets that wait, by one of the disciplines.
#[derive(Debug)]
pub(crate) enum Discipline<P> {
    DropTail(Fifo<P>),
    Codel {
        aim: Aim,
        codel: Codel,
        fifo: Fifo<P>,
    },
    FqCodel(FqCodel<P>),
}

impl<P: Packet> Discipline<P> {
    pub(crate) fn new(aqm: Option<Aqm>, seed: u64, direction: Direction) -> Discipline<P> {
        match aqm {
            None => Discipline::DropTail(Fifo::new()),
            Some(Aqm::Codel {
                target_ns,
                interval_ns,
                ecn,
            }) => Discipline::Codel {
                aim: Aim {
                    target_ns,
                    interval_ns,
                    ecn,
                },
                codel: Codel::new(),
                fifo: Fifo::new(),
            },
            Some(Aqm::FqCodel {
                target_ns,
                interval_ns,
                flows,
                quantum_bytes,
                ecn,
            }) => {
                let aim = Aim {
                    target_ns,
                    interval_ns,
                    ecn,
                };
                let key = seed::derive(seed, &format!("{}/fq-codel", direction.name()));
                Discipline::FqCodel(FqCodel::new(aim, flows, quantum_bytes, key))
            }
        }
    }

    /// Whether a packet that finds no room makes some, by ending others.
    pub(crate) fn sheds(&self) -> bool {
        matches!(self, Discipline::FqCodel(_))
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Discipline::DropTail(fifo) | Discipline::Codel { fifo, .. } => fifo.is_empty(),
            Discipline::FqCodel(queues) => queues.is_empty(),
        }
    }

    pub(crate) fn enqueue(&mut self, transit: Transit<P>) {
        match self {
            Discipline::DropTail(fifo) | Discipline::Codel { fifo, .. } => fifo.push(transit),
            Discipline::FqCodel(queues) => queues.enqueue(transit),
        }
    }

    /// The packet to send at `now`, after those that are dropped on the way to it. None where nothing is left.
    pub(crate) fn dequeue(&mut self, now: Time, exit: Exit<'_, P>) -> Option<Transit<P>> {
        match self {
            Discipline::DropTail(fifo) => fifo.pop(),
            Discipline::Codel { aim, codel, fifo } => {
                codel.dequeue(*aim, now, &mut Queue { now, fifo, exit })
            }
            Discipline::FqCodel(queues) => queues.dequeue(now, exit),
        }
    }

    /// Takes out every packet, whatever its turn.
    pub(crate) fn take_all(&mut self) -> Vec<Transit<P>> {
        match self {
            Discipline::DropTail(fifo) | Discipline::Codel { fifo, .. } => {
                std::iter::from_fn(|| fifo.pop()).collect()
            }
            Discipline::FqCodel(queues) => queues.take_all(),
        }
    }

    /// Ends packets, so that there is room again; returns whether it did.
    pub(crate) fn shed(&mut self, now: Time, exit: Exit<'_, P>) -> bool {
        match self {
            Discipline::DropTail(_) | Discipline::Codel { .. } => false,
            Discipline::FqCodel(queues) => queues.shed(now, exit),
        }
    }
}

/// The one queue, for CoDel.
struct Queue<'a, P> {
    now: Time,
    fifo: &'a mut Fifo<P>,
    exit: Exit<'a, P>,
}

impl<P: Packet> Managed<P> for Queue<'_, P> {
    fn take(&mut self) -> Option<Transit<P>> {
        self.fifo.pop()
    }

    fn bytes(&self) -> u64 {
        self.fifo.bytes()
    }

    fn drop(&mut self, transit: Transit<P>) {
        self.exit.drop(self.now, DropCause::Aqm, transit);
    }
}
