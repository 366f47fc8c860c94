//! What carries one packet after the other: at a rate, or by the deliveries of a trace.

use crate::opportunities::Opportunities;
use crate::overhead::Framing;
use crate::packet::Packet;
use crate::serialiser::Serialiser;
use crate::time::Time;
use crate::transit::Transit;

#[derive(Debug)]
pub(crate) enum Wire<P> {
    Paced(Paced<P>),
    Traced(Traced<P>),
}

/// A wire with a rate.
#[derive(Debug)]
pub(crate) struct Paced<P> {
    serialiser: Serialiser,
    framing: Framing,
    packet: Option<Transit<P>>,
    /// When the packet ends; set where there is one.
    end: Time,
}

impl<P: Packet> Paced<P> {
    pub(crate) fn new(serialiser: Serialiser, framing: Framing) -> Paced<P> {
        Paced {
            serialiser,
            framing,
            packet: None,
            end: Time::ZERO,
        }
    }

    pub(crate) fn end(&self) -> Option<Time> {
        self.packet.as_ref().map(|_| self.end)
    }

    /// When a packet that finds the wire idle at `at` would end.
    pub(crate) fn preview(&self, at: Time, len: usize) -> Time {
        self.serialiser.preview(at, self.framing.wire_bytes(len))
    }

    /// Takes a packet that is ready at `ready`, and begins with it where the one before left off.
    pub(crate) fn begin(&mut self, ready: Time, transit: Transit<P>) {
        let wire_bytes = self.framing.wire_bytes(transit.packet.len());
        self.end = self.serialiser.send(ready, wire_bytes);
        self.packet = Some(transit);
    }

    /// Gives out the packet, and when it ends.
    pub(crate) fn finish(&mut self) -> Option<(Time, Transit<P>)> {
        Some((self.end, self.packet.take()?))
    }

    /// Takes out the packet unfinished.
    pub(crate) fn take(&mut self) -> Option<Transit<P>> {
        self.packet.take()
    }

    pub(crate) fn set_rate(&mut self, at: Time, rate_bit_per_s: u64) {
        self.end = self.serialiser.set_rate(at, rate_bit_per_s);
    }
}

/// A wire that delivers when a trace says so.
///
/// As Mahimahi's `LinkQueue::rationalize`: a delivery takes whole and partial packets until its bytes
/// are used up or nothing waits, and what a packet doesn't get from one it gets from the next.
#[derive(Debug)]
pub(crate) struct Traced<P> {
    opportunities: Opportunities,
    framing: Framing,
    packet: Option<Transit<P>>,
    /// Bytes of the packet that are still to be sent.
    left: u64,
}

/// How far an open delivery got.
#[derive(Debug)]
pub(crate) enum Busy<P> {
    /// A packet is out.
    Done(Transit<P>),
    /// The delivery is used up, within a packet or between two.
    Sending,
    /// There are bytes left and no packet.
    Idle,
}

impl<P: Packet> Traced<P> {
    pub(crate) fn new(opportunities: Opportunities, framing: Framing) -> Traced<P> {
        Traced {
            opportunities,
            framing,
            packet: None,
            left: 0,
        }
    }

    pub(crate) fn start(&mut self, at: Time) {
        self.opportunities.start(at);
    }

    /// Takes out the packet unfinished.
    pub(crate) fn take(&mut self) -> Option<Transit<P>> {
        self.packet.take()
    }

    /// Deliveries up to `at` are lost.
    pub(crate) fn skip(&mut self, at: Time) {
        self.opportunities.skip(at);
    }

    pub(crate) fn preview(&self, at: Time) -> Time {
        self.opportunities.after(at).unwrap_or(at)
    }

    /// When the next delivery is, if anything waits for one.
    pub(crate) fn next(&self, others_wait: bool) -> Option<Time> {
        if self.packet.is_some() || others_wait {
            self.opportunities.next()
        } else {
            None
        }
    }

    /// Opens the next delivery, unless one is open; returns its time.
    pub(crate) fn open(&mut self) -> Option<Time> {
        self.opportunities.open()
    }

    /// Ends the open delivery; what is left of it is lost.
    pub(crate) fn close(&mut self) {
        self.opportunities.close();
    }

    pub(crate) fn begin(&mut self, transit: Transit<P>) {
        self.left = self.framing.wire_bytes(transit.packet.len());
        self.packet = Some(transit);
    }

    /// Sends what the open delivery still takes.
    pub(crate) fn send(&mut self) -> Busy<P> {
        if self.packet.is_some() {
            self.left -= self.opportunities.take(self.left);
        }
        match self.packet.take() {
            Some(transit) if self.left == 0 => Busy::Done(transit),
            Some(transit) => {
                self.packet = Some(transit);
                Busy::Sending
            }
            None if self.opportunities.is_open() => Busy::Idle,
            None => Busy::Sending,
        }
    }
}
