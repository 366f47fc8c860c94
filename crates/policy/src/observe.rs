//! What a sample changes.

use crate::estimate;
use crate::key::Keys;
use crate::policy::Policy;
use crate::sample::{Outcome, Protocol, Sample, TcpControl};
use crate::state::{Entry, Head, OWN, Table};

impl Table<'_> {
    /// Takes a sample of a key in, at `now_ms` (milliseconds of any clock that all who use the table share).
    pub fn observe(
        &mut self,
        policy: &Policy,
        keys: Keys,
        protocol: Protocol,
        sample: &Sample,
        now_ms: u64,
    ) {
        let outcome = sample.outcome();
        self.guarded(|table| {
            let own = table.take(keys.own, OWN, now_ms)?;
            let epoch = table.head.come_to(policy.steering.epoch_s, now_ms);
            let Table { head, entries, .. } = table;
            let Some(entry) = entries.get_mut(own as usize) else {
                return Ok(());
            };
            let now_ms = entry.advance(now_ms, policy.steering.half_life_s);
            entry.learn(policy, head, protocol, sample, outcome, now_ms);
            head.tell(protocol, sample, outcome);
            if protocol == Protocol::Quic {
                let was_blocked = entry.is_blocked();
                entry.arrived_by_quic(keys.client);
                head.count_blocked(was_blocked, entry.is_blocked());
            }
            let counts = !sample.dry_run && entry.part.counts(now_ms);
            if let Some(outcome) = outcome.filter(|_| counts) {
                head.contribute(entry, epoch, outcome);
            }
            Ok(())
        });
    }
}

impl Entry {
    fn learn(
        &mut self,
        policy: &Policy,
        head: &Head,
        protocol: Protocol,
        sample: &Sample,
        outcome: Option<Outcome>,
        now_ms: u64,
    ) {
        self.told();
        let traits = sample.traits();
        self.network.add(protocol, &traits);
        if protocol == Protocol::Tcp && sample.bytes == 0 {
            self.network.meet(&traits);
        }
        self.outcomes
            .add_packets(protocol, traits.sent, traits.lost);
        if sample.tcp_control != TcpControl::Unknown {
            self.control = sample.tcp_control as u8;
        }
        if let Some(outcome) = outcome {
            let control = head.tcp_control(self);
            let pages =
                estimate::page_scatter(policy, control, &self.network, self.outcomes.packets());
            let [tcp, quic] = estimate::rho(policy, &self.network, pages);
            let rho = match protocol {
                Protocol::Tcp => tcp,
                Protocol::Quic => quic,
            };
            if self.outcomes.add(protocol, outcome, rho, now_ms) {
                self.visits += 1.0;
            }
        }
    }
}

impl Head {
    fn tell(&mut self, protocol: Protocol, sample: &Sample, outcome: Option<Outcome>) {
        if sample.tcp_control != TcpControl::Unknown {
            self.control = sample.tcp_control as u8;
        }
        let counters = &mut self.counters;
        let count = |of: &mut [u64; 2]| {
            let [tcp, quic] = of;
            let counter = match protocol {
                Protocol::Tcp => tcp,
                Protocol::Quic => quic,
            };
            *counter = counter.saturating_add(1);
        };
        if outcome.is_some() {
            count(&mut counters.samples);
            if sample.stalled {
                count(&mut counters.stalls);
            }
        } else if !sample.traits().say_something() {
            counters.refused = counters.refused.saturating_add(1);
        }
    }
}
