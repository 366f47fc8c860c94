//! What a question is answered, and what it changes.

use crate::decision::{Action, Arm, Ask, Decision, Downgrade, Reason};
use crate::entry::{BLOCKED, Entry, ON, OWN, PARENT, Part};
use crate::head::Head;
use crate::key::Keys;
use crate::pins;
use crate::policy::Policy;
use crate::posterior::posterior;
use crate::sample::Protocol;
use crate::steering::Change;
use crate::table::Table;

impl Table<'_> {
    /// What to say to a client of `keys` that asks by `protocol`, at `now_ms`.
    ///
    /// Never fails: where nothing is known, the policy's surface decides; where the memory can't be mended, nothing is to be said.
    pub fn decide(
        &mut self,
        policy: &Policy,
        keys: Keys,
        protocol: Protocol,
        ask: &Ask,
        now_ms: u64,
    ) -> Decision {
        self.guarded(|table| {
            let parent = table.find(keys.parent, PARENT)?;
            if parent.is_some() {
                table.take(keys.parent, PARENT, now_ms)?;
            }
            let own = table.take(keys.own, OWN, now_ms)?;
            let epoch = table.head.come_to(&policy.steering, now_ms);
            let half_life_s = policy.steering.half_life_s;
            let mut elder = match parent {
                Some(index) => Some(table.at_mut(index)?),
                None => None,
            };
            if let Some(entry) = &mut elder {
                entry.advance(now_ms, half_life_s);
            }
            let elder = elder.copied();
            let Table { head, entries, .. } = table;
            let entry = entries.get_mut(own as usize);
            Ok(entry.map_or(Decision::NO_TABLE, |entry| {
                let (now_ms, _) = entry.advance(now_ms, half_life_s);
                let question = Question {
                    policy,
                    protocol,
                    ask,
                    epoch,
                    now_ms,
                };
                question.answer(head, entry, elder.as_ref())
            }))
        })
        .unwrap_or(Decision::NO_TABLE)
    }
}

struct Question<'a> {
    policy: &'a Policy,
    protocol: Protocol,
    ask: &'a Ask,
    epoch: u64,
    /// The entry's own time.
    now_ms: u64,
}

impl Question<'_> {
    fn answer(&self, head: &mut Head, entry: &mut Entry, parent: Option<&Entry>) -> Decision {
        let steering = &self.policy.steering;
        let holdout = pins::holdout(self.ask.holdout, steering.holdout);
        let arm = pins::arm(&head.secret, entry.key, self.epoch, holdout);
        if entry.part.arm(self.epoch) != Some(arm) {
            let part = entry.part;
            head.withdraw(&part, self.epoch);
            entry.part = Part::new(self.epoch, arm);
        }
        if self.protocol == Protocol::Quic && entry.arrived_by_quic() {
            head.keys_blocked = head.keys_blocked.saturating_sub(1);
        }
        let expected = posterior(self.policy, head, entry, parent);
        let (offered, reason) = match arm {
            Arm::PinnedH2 => (false, Reason::Pinned),
            Arm::PinnedH3 => (true, Reason::Pinned),
            Arm::Steered => {
                let reason = self.steer(head, entry, expected.mean);
                (entry.is(ON), reason)
            }
        };
        let action = match (offered, self.protocol, self.ask.downgrade) {
            (true, _, _) => Action::Advertise,
            (false, Protocol::Quic, Downgrade::Clear) => Action::Clear,
            (false, _, _) => Action::Nothing,
        };
        self.count(head, entry, arm, action);
        let max_age_s = match (action, self.ask.max_age_s) {
            (Action::Advertise, 0) => steering.lease_s,
            (Action::Advertise, asked) => asked,
            _ => 0,
        };
        Decision {
            action,
            reason,
            arm,
            max_age_s,
            propensity: pins::propensity(arm, holdout) as f32,
            gain: expected.mean as f32,
            sd: crate::math::sqrt(expected.variance) as f32,
        }
    }

    fn steer(&self, head: &mut Head, entry: &mut Entry, gain: f64) -> Reason {
        let was_blocked = entry.is(BLOCKED);
        let steering = &self.policy.steering;
        let (change, reason) = entry.steer(steering, gain, self.ask.downgrade, self.now_ms);
        let counters = &mut head.counters;
        let counter = match change {
            Change::Stayed => return reason,
            Change::TurnedOn => {
                head.keys_on = head.keys_on.saturating_add(1);
                &mut counters.upgrades
            }
            Change::TurnedOff => {
                head.keys_on = head.keys_on.saturating_sub(1);
                &mut counters.downgrades
            }
            Change::FoundBlocked => {
                head.keys_on = head.keys_on.saturating_sub(1);
                &mut counters.blocks
            }
        };
        *counter = counter.saturating_add(1);
        match (was_blocked, entry.is(BLOCKED)) {
            (false, true) => head.keys_blocked = head.keys_blocked.saturating_add(1),
            (true, false) => head.keys_blocked = head.keys_blocked.saturating_sub(1),
            _ => {}
        }
        reason
    }

    fn count(&self, head: &mut Head, entry: &mut Entry, arm: Arm, action: Action) {
        let counters = &mut head.counters;
        if let Some(counter) = counters.decisions.get_mut(action as usize) {
            *counter = counter.saturating_add(1);
        }
        let is_offer = action == Action::Advertise
            && self.protocol == Protocol::Tcp
            && self.ask.new_connection
            && !self.ask.dry_run;
        if is_offer {
            counters.offers = counters.offers.saturating_add(1);
            if arm == Arm::Steered {
                entry.offered(self.now_ms);
            }
        }
    }
}
