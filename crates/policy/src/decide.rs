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
            let parent = table.take_known(keys.parent, PARENT)?;
            let own = table.take(keys.own, OWN, now_ms)?;
            let epoch = table.head.come_to(&policy.steering, now_ms);
            let half_life_s = policy.steering.half_life_s;
            if let Some(index) = parent {
                table.at_mut(index)?.advance(now_ms, half_life_s);
            }
            let Table { head, entries, .. } = table;
            // Both lie in one slice; the key's own is worked on as a copy.
            let mut entry = entries.get(own as usize).copied();
            let elder = parent.and_then(|index| entries.get(index as usize));
            let decision = entry.as_mut().map_or(Decision::NO_TABLE, |entry| {
                let now_ms = entry.advance(now_ms, half_life_s);
                let question = Question {
                    policy,
                    protocol,
                    ask,
                    epoch,
                    now_ms,
                };
                question.answer(head, entry, elder)
            });
            if let (Some(place), Some(entry)) = (entries.get_mut(own as usize), entry) {
                *place = entry;
            }
            Ok(decision)
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
        let reckoned = |entry: &Entry| posterior(self.policy, head, entry, parent);
        let (gain, sd) = entry.expected(self.now_ms, reckoned);
        let (offered, reason) = match arm {
            Arm::PinnedH2 => (false, Reason::Pinned),
            Arm::PinnedH3 => (true, Reason::Pinned),
            Arm::Steered => {
                let reason = self.steer(head, entry, f64::from(gain));
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
            gain,
            sd,
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
