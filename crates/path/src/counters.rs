//! What a link counts.

use schemars::JsonSchema;
use serde::Serialize;

/// What has happened on a link so far. Events that are due but for which nobody has popped yet are
/// not counted; pop until `None` first.
///
/// A duplicated packet that is then lost counts under both, and one copy of it goes on; so
/// `duplicated` and `lost` each count every decision of their stage that said yes, and
/// `packets_in + duplicated == packets_out + dropped + held` always, where dropped is the sum of `lost`,
/// `too_big`, `udp_dropped`, `outage_dropped`, `policed`, `queue_dropped`, `aqm_dropped` and `left_behind`.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Counters {
    /// Packets that entered.
    pub packets_in: u64,
    /// Bytes of the packets that entered.
    pub bytes_in: u64,
    /// Packets that left.
    pub packets_out: u64,
    /// Bytes of the packets that left.
    pub bytes_out: u64,
    /// Packets and copies that the loss stage lost.
    pub lost: u64,
    /// Packets and copies on which the loss stage decided. 0 where the link has none.
    pub loss_decisions: u64,
    /// Packets that were duplicated, counted when they enter.
    pub duplicated: u64,
    /// Packets in which a bit flipped, of those that were not lost.
    pub corrupted: u64,
    /// Packets that left after one that had entered later; a copy enters before its original.
    pub reordered: u64,
    /// Packets longer than the link's MTU.
    pub too_big: u64,
    /// UDP packets that the link's rule for UDP dropped.
    pub udp_dropped: u64,
    /// Packets that came during an outage.
    pub outage_dropped: u64,
    /// Packets beyond the token bucket before the queue.
    pub policed: u64,
    /// Packets that found no room before the bottleneck.
    pub queue_dropped: u64,
    /// Packets that active queue management dropped.
    pub aqm_dropped: u64,
    /// Packets that a handover ended: inside the first path as the client left it, or from or to its address before.
    pub left_behind: u64,
    /// Packets that left with "congestion experienced" set by active queue management.
    pub marked: u64,
    /// The most bytes that were in the queue at once, the packet being sent included.
    pub queue_high_water_bytes: u64,
    /// The most packets that were in the queue at once, the one being sent included.
    pub queue_high_water_packets: u64,
    /// Packets still inside.
    pub held: u64,
}

impl Counters {
    /// Packets that ended in the link, whatever the cause.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.lost
            + self.too_big
            + self.udp_dropped
            + self.outage_dropped
            + self.policed
            + self.queue_dropped
            + self.aqm_dropped
            + self.left_behind
    }

    /// What two links have counted that packets took one after the other in time.
    pub(crate) fn and(&self, other: &Counters) -> Counters {
        let sum = |of: fn(&Counters) -> u64| of(self) + of(other);
        let most = |of: fn(&Counters) -> u64| of(self).max(of(other));
        Counters {
            packets_in: sum(|one| one.packets_in),
            bytes_in: sum(|one| one.bytes_in),
            packets_out: sum(|one| one.packets_out),
            bytes_out: sum(|one| one.bytes_out),
            lost: sum(|one| one.lost),
            loss_decisions: sum(|one| one.loss_decisions),
            duplicated: sum(|one| one.duplicated),
            corrupted: sum(|one| one.corrupted),
            reordered: sum(|one| one.reordered),
            too_big: sum(|one| one.too_big),
            udp_dropped: sum(|one| one.udp_dropped),
            outage_dropped: sum(|one| one.outage_dropped),
            policed: sum(|one| one.policed),
            queue_dropped: sum(|one| one.queue_dropped),
            aqm_dropped: sum(|one| one.aqm_dropped),
            left_behind: sum(|one| one.left_behind),
            marked: sum(|one| one.marked),
            queue_high_water_bytes: most(|one| one.queue_high_water_bytes),
            queue_high_water_packets: most(|one| one.queue_high_water_packets),
            held: sum(|one| one.held),
        }
    }

    /// Whether every packet is accounted for; it is, after each call to a link.
    #[must_use]
    pub fn balance(&self) -> bool {
        self.packets_in + self.duplicated == self.packets_out + self.dropped() + self.held
    }
}
