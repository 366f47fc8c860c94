//! What a question is answered, and what it changes.

use bytemuck::Zeroable;

use crate::decision::{Action, Arm, Ask, Decision, Downgrade, Reason};
use crate::estimate::{Expected, posterior};
use crate::key::Keys;
use crate::policy::Policy;
use crate::rules::{Change, pins};
use crate::sample::Protocol;
use crate::state::{Entry, Head, ON, OWN, PARENT, Part, Table, Votes};

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
            let epoch = table.head.come_to(policy.steering.epoch_s, now_ms);
            let half_life_s = policy.steering.half_life_s;
            // Both lie in one slice; they are worked on as copies.
            let mut entry = *table.at(own)?;
            let mut elder = match parent {
                Some(index) => Some(*table.at(index)?),
                None => None,
            };
            let question = Question {
                policy,
                client: keys.client,
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
    client: u64,
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
        self.draw(head, entry, arm, holdout);
        let was_blocked = entry.is_blocked();
        if self.protocol == Protocol::Quic {
            entry.arrived_by_quic(self.client);
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
                (
                    entry.is(ON) && entry.silence_of(self.client).is_none(),
                    reason,
                )
            }
        };
        head.count_blocked(was_blocked, entry.is_blocked());
        let action = match offered {
            true => Action::Advertise,
            false if self.takes_back(entry, arm) => Action::Clear,
            false => Action::Nothing,
        };
        let lasting_s = match (action, self.ask.max_age_s, arm) {
            (Action::Advertise, 0, Arm::Steered) => steering.lease_of(&expected),
            (Action::Advertise, 0, _) => steering.lease_most_s.max(steering.lease_s),
            (Action::Advertise, asked, _) => asked,
            _ => 0,
        };
        let max_age_s = self.before_pinned_to_h2(&entry.part, lasting_s);
        self.count(head, entry, arm, action, max_age_s);
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

    /// Gives the key its part in the epoch, where it has none of this arm. It has none where it is asked about with another share than the
    /// table's: nobody knows then which of the two it was treated by. A dry run changes nothing; what is measured in one doesn't count.
    fn draw(&self, head: &mut Head, entry: &mut Entry, arm: Arm, holdout: f64) {
        if self.ask.dry_run {
            return;
        }
        let drawn = head.holds(holdout).then_some(arm);
        if entry.part.arm(head.stamp(self.epoch)) == drawn {
            return;
        }
        let part = entry.part;
        head.withdraw(&part, self.epoch);
        match drawn {
            Some(arm) => {
                let before_h2 =
                    pins::epochs_before_h2(&head.secret, entry.key, self.epoch, holdout);
                entry.take_part(
                    head,
                    self.epoch,
                    arm,
                    before_h2,
                    &self.policy.steering,
                    self.now_ms,
                );
            }
            None => entry.part = Part::none(),
        }
    }

    /// An offer that was to hold for `lasting_s` ends with the epoch before one that pins the key to h2, or `lease_s` after now where that is later:
    /// of whoever comes to h3 by an older one nothing could be told about h2.
    fn before_pinned_to_h2(&self, part: &Part, lasting_s: u32) -> u32 {
        let steering = &self.policy.steering;
        let Some(epochs) = part.epochs_before_h2() else {
            return lasting_s;
        };
        let begins_s = (self.epoch + u64::from(epochs)).saturating_mul(u64::from(steering.epoch_s));
        let left_s = begins_s.saturating_sub(self.now_ms / 1000);
        let left_s = u32::try_from(left_s).unwrap_or(u32::MAX);
        lasting_s.min(left_s.max(steering.lease_s))
    }

    /// Whether a client that isn't offered QUIC (any more) is told so, rather than left until its lease lapses: one that came by it, and one whose
    /// lease is long, over TCP as well, where QUIC may be blocked.
    fn takes_back(&self, entry: &Entry, arm: Arm) -> bool {
        let comes_by_it = self.protocol == Protocol::Quic;
        comes_by_it && (arm == Arm::PinnedH2 || self.ask.downgrade == Downgrade::Clear)
            || entry.leased_for_s(self.now_ms, self.client) > self.policy.steering.lease_s
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
        let steering = &self.policy.steering;
        entry.end_silence(steering, self.now_ms);
        let (change, reason) = entry.steer(steering, &expected, self.ask.downgrade, self.now_ms);
        self.count_change(head, change);
        if !entry.is(ON) {
            return reason;
        }
        if entry.falls_silent(steering, self.client, self.now_ms) {
            head.counters.blocks = head.counters.blocks.saturating_add(1);
        }
        entry.silence_of(self.client).unwrap_or(reason)
    }

    fn count_change(&self, head: &mut Head, change: Change) {
        let counters = &mut head.counters;
        let counter = match change {
            Change::Stayed => return,
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
    }

    fn count(&self, head: &mut Head, entry: &mut Entry, arm: Arm, action: Action, max_age_s: u32) {
        let counters = &mut head.counters;
        if let Some(counter) = counters.decisions.get_mut(action as usize) {
            *counter = counter.saturating_add(1);
        }
        if self.ask.dry_run {
            return;
        }
        match action {
            Action::Advertise => {}
            Action::Clear => return entry.take_back(self.client, self.ask.host),
            Action::Nothing => return,
        }
        if self.protocol == Protocol::Tcp {
            if self.ask.new_connection {
                counters.offers = counters.offers.saturating_add(1);
            }
            if arm == Arm::Steered {
                let new_connection = self.ask.new_connection;
                entry.came_over_tcp(self.now_ms, self.client, self.ask.host, new_connection);
            }
        }
        entry.lease(self.now_ms, self.client, self.ask.host, max_age_s);
    }
}
