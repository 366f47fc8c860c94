//! CoDel: drops from the head of a queue in which packets stand for too long (RFC 8289).
//!
//! The steps are those of the RFC's section 5, whose names the fields keep. How long a packet stood is known
//! when it is taken out to be sent. Where packets may be marked (RFC 3168), a mark takes a drop's place and
//! steps the control law alike (RFC 8289, section 3: "mark").

use crate::packet::Packet;
use crate::time::Time;
use crate::transit::Transit;

/// What to aim at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    pub(crate) target_ns: u64,
    pub(crate) interval_ns: u64,
    /// Marks packets that allow it instead of dropping them.
    pub(crate) ecn: bool,
}

/// The queue that is managed, and where drops go.
pub(crate) trait Managed<P> {
    /// Takes out the packet at the head.
    fn take(&mut self) -> Option<Transit<P>>;
    /// Bytes of the packets left in the queue.
    fn bytes(&self) -> u64;
    /// Ends a packet that was taken out.
    fn drop(&mut self, transit: Transit<P>);
}

/// The state of one managed queue.
#[derive(Debug)]
pub(crate) struct Codel {
    /// When the delay will have stood above the target for an interval; none while it is below.
    first_above_time: Option<Time>,
    drop_next: Time,
    count: u32,
    lastcount: u32,
    dropping: bool,
    maxpacket: u64,
}

/// The length of an MTU-sized packet as long as no longer one was seen, in bytes.
const USUAL_MTU: u64 = 1500;

impl Codel {
    pub(crate) fn new() -> Codel {
        Codel {
            first_above_time: None,
            drop_next: Time::ZERO,
            count: 0,
            lastcount: 0,
            dropping: false,
            maxpacket: USUAL_MTU,
        }
    }

    /// The packet to send at `now`, after those that are dropped on the way to it. None where the queue is empty.
    pub(crate) fn dequeue<P: Packet>(
        &mut self,
        aim: Aim,
        now: Time,
        queue: &mut impl Managed<P>,
    ) -> Option<Transit<P>> {
        let (mut packet, mut ok_to_drop) = self.do_dequeue(aim, now, queue);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if mark(aim, &mut packet) {
                    self.drop_next = control_law(aim, self.drop_next, self.count);
                    break;
                }
                (packet, ok_to_drop) = self.replace(aim, now, queue, packet);
                if ok_to_drop {
                    self.drop_next = control_law(aim, self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            if !mark(aim, &mut packet) {
                (packet, _) = self.replace(aim, now, queue, packet);
            }
            self.dropping = true;
            let delta = self.count.wrapping_sub(self.lastcount);
            let recent =
                now.0.saturating_sub(self.drop_next.0) < aim.interval_ns.saturating_mul(16);
            self.count = if delta > 1 && recent { delta } else { 1 };
            self.drop_next = control_law(aim, now, self.count);
            self.lastcount = self.count;
        }
        packet
    }

    /// Drops a packet and takes the next one.
    fn replace<P: Packet>(
        &mut self,
        aim: Aim,
        now: Time,
        queue: &mut impl Managed<P>,
        packet: Option<Transit<P>>,
    ) -> (Option<Transit<P>>, bool) {
        if let Some(transit) = packet {
            queue.drop(transit);
        }
        self.do_dequeue(aim, now, queue)
    }

    /// The packet at the head, and whether the delay has stood above the target for an interval.
    fn do_dequeue<P: Packet>(
        &mut self,
        aim: Aim,
        now: Time,
        queue: &mut impl Managed<P>,
    ) -> (Option<Transit<P>>, bool) {
        let Some(transit) = queue.take() else {
            self.first_above_time = None;
            return (None, false);
        };
        self.maxpacket = self.maxpacket.max(transit.packet.len() as u64);
        let sojourn_ns = now.0.saturating_sub(transit.reached.0);
        if sojourn_ns < aim.target_ns || queue.bytes() <= self.maxpacket {
            self.first_above_time = None;
            return (Some(transit), false);
        }
        let ok_to_drop = match self.first_above_time {
            Some(at) => now >= at,
            None => {
                self.first_above_time = Some(now.plus_nanos(aim.interval_ns));
                false
            }
        };
        (Some(transit), ok_to_drop)
    }
}

fn control_law(aim: Aim, from: Time, count: u32) -> Time {
    from.plus_nanos((aim.interval_ns as f64 / f64::from(count).sqrt()) as u64)
}

fn mark<P: Packet>(aim: Aim, packet: &mut Option<Transit<P>>) -> bool {
    let Some(transit) = packet else {
        return false;
    };
    let marked = aim.ecn && transit.packet.mark_congestion();
    transit.marks.congestion |= marked;
    marked
}
