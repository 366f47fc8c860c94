//! What a question is answered, and what it changes.

use bytemuck::Zeroable;

use crate::decision::{Action, Arm, Ask, Decision, Downgrade, Reason};
use crate::entry::{BLOCKED, Entry, Expected, ON, OWN, PARENT, Part};
use crate::head::Head;
use crate::key::Keys;
use crate::pins;
use crate::policy::Policy;
use crate::posterior::posterior;
use crate::sample::Protocol;
use crate::steering::Change;
use crate::table::Table;
use crate::votes::Votes;

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
            let own = table.take(keys.own, OWN, now_ms)?;
            // A parent comes about with the first key that has something to say to its other keys.
            let parent = if table.at(own)?.outcomes.has_both() {
                Some(table.take(keys.parent, PARENT, now_ms)?)
            } else {
                table.take_known(keys.parent, PARENT)?
            };
            let epoch = table.head.come_to(&policy.steering, now_ms);
            let half_life_s = policy.steering.half_life_s;
            // Both lie in one slice; they are worked on as copies.
            let mut entry = *table.at(own)?;
            let mut elder = match parent {
                Some(index) => Some(*table.at(index)?),
                None => None,
            };
            let question = Question {
                policy,
                protocol,
                ask,
                epoch,
                now_ms: entry.advance(now_ms, half_life_s),
            };
            if let Some(elder) = &mut elder {
                elder.advance(now_ms, half_life_s);
            }
            let decision = question.answer(table.head, &mut entry, elder.as_mut());
            *table.at_mut(own)? = entry;
            if let (Some(index), Some(elder)) = (parent, elder) {
                *table.at_mut(index)? = elder;
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
    fn answer(&self, head: &mut Head, entry: &mut Entry, parent: Option<&mut Entry>) -> Decision {
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
        let expected = match entry.expected(self.now_ms) {
            Some(known) => known,
            None => self.reckoned(head, entry, parent),
        };
        let (offered, reason) = match arm {
            Arm::PinnedH2 => (false, Reason::Pinned),
            Arm::PinnedH3 => (true, Reason::Pinned),
            Arm::Steered => {
                let reason = self.steer(head, entry, expected);
                (entry.is(ON), reason)
            }
        };
        let action = match (offered, self.protocol, self.ask.downgrade) {
            (true, _, _) => Action::Advertise,
            (false, Protocol::Quic, Downgrade::Clear) => Action::Clear,
            (false, _, _) => Action::Nothing,
        };
        self.count(head, entry, arm, action);
        head.lease_s = self.ask.max_age_s;
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
            gain: expected.mean,
            sd: expected.sd,
        }
    }

    /// What is expected now; the key's vote in its parent is exchanged for one that fits.
    fn reckoned(&self, head: &Head, entry: &mut Entry, parent: Option<&mut Entry>) -> Expected {
        let Some(parent) = parent else {
            let (expected, _) = posterior(self.policy, head, entry, &Votes::zeroed());
            entry.expect(expected, self.now_ms);
            return expected;
        };
        let others = if entry.stamp == parent.stamp {
            parent.votes.without(&entry.votes)
        } else {
            parent.votes
        };
        let (expected, vote) = posterior(self.policy, head, entry, &others);
        parent.votes = others;
        parent.votes.add(&vote);
        entry.votes = vote;
        entry.stamp = parent.stamp;
        entry.expect(expected, self.now_ms);
        expected
    }

    fn steer(&self, head: &mut Head, entry: &mut Entry, expected: Expected) -> Reason {
        let was_blocked = entry.is(BLOCKED);
        let steering = &self.policy.steering;
        let (change, reason) = entry.steer(steering, &expected, self.ask.downgrade, self.now_ms);
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
