//! Destinations beyond the far end of a link: what goes there is delayed for longer.
//!
//! Order is kept among the packets to one of them, and among all others, where it is kept at all.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::packet::Packet;
use crate::time::Time;

/// An address that lies farther away than the link's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far {
    /// The address of packets' destination.
    pub address: IpAddr,
    /// How much longer they are delayed, in nanoseconds.
    pub delay_ns: u64,
}

/// The addresses, and when the last packet to each is due; those to none of them have an entry of their own.
#[derive(Debug, Default)]
pub(crate) struct Distances {
    far: HashMap<IpAddr, (u64, Time)>,
    others: Time,
}

impl Distances {
    pub(crate) fn new(far: &[Far]) -> Distances {
        let far = far
            .iter()
            .map(|one| (one.address, (one.delay_ns, Time::ZERO)));
        Distances {
            far: far.collect(),
            others: Time::ZERO,
        }
    }

    /// Whether every packet is delayed alike.
    pub(crate) fn is_empty(&self) -> bool {
        self.far.is_empty()
    }

    /// When a packet is due that would be at `due`; with `order` no earlier than the last one to the same place.
    pub(crate) fn due<P: Packet>(&mut self, packet: &P, due: Time, order: bool) -> Time {
        let place = packet.destination().and_then(|to| self.far.get_mut(&to));
        let (due, last) = match place {
            Some((delay_ns, last)) => (due.plus_nanos(*delay_ns), last),
            None => (due, &mut self.others),
        };
        *last = if order { due.max(*last) } else { due };
        *last
    }
}
