//! What keeps a packet out before anything else: length, being UDP other than DNS, an outage; in this order.

use crate::fate::DropCause;
use crate::outage::Outage;
use crate::packet::Packet;
use crate::spec::{Direction, LinkSpec, Udp};
use crate::time::Time;
use crate::token_bucket::TokenBucket;

/// The door to a link.
#[derive(Debug)]
pub(crate) struct Gate {
    longest: usize,
    udp: Option<UdpRule>,
    outage: Option<Outage>,
}

#[derive(Debug)]
enum UdpRule {
    Block,
    Police(TokenBucket),
}

impl Gate {
    /// None where nothing is kept out.
    pub(crate) fn new(spec: &LinkSpec, seed: u64, direction: Direction) -> Option<Gate> {
        let asked = spec.mtu.is_some() || spec.udp.is_some() || spec.outage.is_some();
        asked.then(|| Gate {
            longest: spec.mtu.map_or(usize::MAX, |mtu| mtu.bytes as usize),
            udp: spec.udp.map(|rule| match rule {
                Udp::Block => UdpRule::Block,
                Udp::Police(bucket) => UdpRule::Police(TokenBucket::new(bucket)),
            }),
            outage: spec
                .outage
                .as_ref()
                .map(|outage| Outage::new(outage, seed, direction)),
        })
    }

    /// Why a packet that comes at `at` doesn't enter a link that started at `start`; none where it does.
    pub(crate) fn refuses<P: Packet>(
        &mut self,
        at: Time,
        start: Time,
        packet: &P,
    ) -> Option<DropCause> {
        if packet.len() > self.longest {
            return Some(DropCause::TooBig);
        }
        if let Some(rule) = self.udp.as_mut().filter(|_| packet.is_udp_other_than_dns()) {
            let passes = match rule {
                UdpRule::Block => false,
                UdpRule::Police(bucket) => bucket.passes(at, packet.len()),
            };
            if !passes {
                return Some(DropCause::Udp);
            }
        }
        let elapsed_ns = at.0.saturating_sub(start.0);
        self.outage
            .as_mut()
            .is_some_and(|outage| outage.is_out(elapsed_ns))
            .then_some(DropCause::Outage)
    }
}
