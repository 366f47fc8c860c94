//! Packets in order of arrival: one line of them, or many lines in one store.

use std::collections::VecDeque;

use crate::packet::Packet;
use crate::transit::Transit;

/// One line.
#[derive(Debug)]
pub(crate) struct Fifo<P> {
    line: VecDeque<Transit<P>>,
    bytes: u64,
}

impl<P: Packet> Fifo<P> {
    pub(crate) fn new() -> Fifo<P> {
        Fifo {
            line: VecDeque::new(),
            bytes: 0,
        }
    }

    pub(crate) fn push(&mut self, transit: Transit<P>) {
        self.bytes += transit.packet.len() as u64;
        self.line.push_back(transit);
    }

    pub(crate) fn pop(&mut self) -> Option<Transit<P>> {
        let transit = self.line.pop_front()?;
        self.bytes -= transit.packet.len() as u64;
        Some(transit)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.line.is_empty()
    }
}

/// The places of many lines. They are taken again when packets have left, so a store that has seen its
/// fill allocates no more.
#[derive(Debug)]
pub(crate) struct Store<P> {
    places: Vec<Place<P>>,
    free: Option<usize>,
    held: usize,
}

#[derive(Debug)]
struct Place<P> {
    transit: Option<Transit<P>>,
    /// The next packet's place of the same line; of a free place, the next free one.
    next: Option<usize>,
}

/// One line in a [`Store`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    ends: Option<(usize, usize)>,
    bytes: u64,
}

impl Line {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<P: Packet> Store<P> {
    pub(crate) fn new() -> Store<P> {
        Store {
            places: Vec::new(),
            free: None,
            held: 0,
        }
    }

    /// Whether every line is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.held == 0
    }

    pub(crate) fn push(&mut self, line: &mut Line, transit: Transit<P>) {
        self.held += 1;
        line.bytes += transit.packet.len() as u64;
        let place = self.place(transit);
        match &mut line.ends {
            None => line.ends = Some((place, place)),
            Some((_, tail)) => {
                self.places[*tail].next = Some(place);
                *tail = place;
            }
        }
    }

    pub(crate) fn pop(&mut self, line: &mut Line) -> Option<Transit<P>> {
        let (head, tail) = line.ends?;
        let place = &mut self.places[head];
        let transit = place.transit.take()?;
        line.ends = place.next.map(|next| (next, tail));
        place.next = self.free.replace(head);
        line.bytes -= transit.packet.len() as u64;
        self.held -= 1;
        Some(transit)
    }

    fn place(&mut self, transit: Transit<P>) -> usize {
        let transit = Some(transit);
        let Some(place) = self.free else {
            self.places.push(Place {
                transit,
                next: None,
            });
            return self.places.len() - 1;
        };
        self.free = self.places[place].next.take();
        self.places[place].transit = transit;
        place
    }
}
