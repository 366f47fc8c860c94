//! Ours: the decision core itself.

use std::net::{IpAddr, Ipv4Addr};

use pronghorn_policy::{Arm, Ask, Policy, Protocol, Sample, Snapshot, Table, TcpControl};

use super::{Action, Contact, Group, Rule};
use crate::outcome::Seen;
use crate::spec::{Downgrade, GatewaySpec};

/// A gateway with the policy that was fitted.
pub(crate) struct Learned<'a> {
    policy: &'a Policy,
    table: Table<'a>,
    ask: Ask,
    parent_bits: u8,
    /// The TCP congestion controls of the specification, in their order.
    controls: Vec<TcpControl>,
    group: Group,
}

impl<'a> Learned<'a> {
    /// With an empty table.
    pub(crate) fn new(
        policy: &'a Policy,
        table: Table<'a>,
        spec: &GatewaySpec,
        controls: &[&str],
    ) -> Self {
        let ask = Ask {
            holdout: spec
                .holdout
                .map_or(Ask::default().holdout, |one| one as f32),
            max_age_s: spec.max_age_s.unwrap_or(0),
            downgrade: match spec.downgrade {
                Downgrade::Off => pronghorn_policy::Downgrade::Off,
                Downgrade::Lease => pronghorn_policy::Downgrade::Lease,
                Downgrade::Clear => pronghorn_policy::Downgrade::Clear,
            },
            dry_run: spec.dry_run,
            ..Ask::default()
        };
        Learned {
            policy,
            table,
            ask,
            parent_bits: spec.parent_bits,
            controls: controls.iter().map(|name| control(name)).collect(),
            group: Group::Steered,
        }
    }

    /// What the gateway would tell of itself.
    pub(crate) fn snapshot(&self, now_ms: u64) -> Snapshot {
        self.table.snapshot(self.policy, now_ms)
    }
}

impl Rule for Learned<'_> {
    fn answer(&mut self, contact: &Contact) -> Action {
        let keys = self.table.keys_of(address(contact), 0, self.parent_bits);
        let ask = Ask {
            new_connection: contact.new_connection,
            ..self.ask
        };
        let decision =
            self.table
                .decide(self.policy, keys, protocol(contact), &ask, contact.now_ms);
        self.group = match decision.arm {
            Arm::Steered => Group::Steered,
            Arm::PinnedH2 => Group::PinnedH2,
            Arm::PinnedH3 => Group::PinnedH3,
        };
        if self.ask.dry_run {
            return Action::Nothing;
        }
        match decision.action {
            pronghorn_policy::Action::Nothing => Action::Nothing,
            pronghorn_policy::Action::Advertise => Action::Advertise {
                max_age_s: decision.max_age_s,
            },
            pronghorn_policy::Action::Clear => Action::Clear,
        }
    }

    fn learn(&mut self, contact: &Contact, seen: &Seen) {
        let keys = self.table.keys_of(address(contact), 0, self.parent_bits);
        let known = contact.control.and_then(|place| self.controls.get(place));
        let sample = Sample {
            bytes: seen.bytes,
            time_us: seen.time_us,
            rate_bytes_per_s: seen.rate_bytes_per_s,
            delivered: seen.delivered,
            min_rtt_us: seen.min_rtt_us,
            sent: seen.sent,
            lost: seen.lost,
            tcp_control: known.copied().unwrap_or_default(),
            dry_run: self.ask.dry_run,
            ..Sample::default()
        };
        self.table.observe(
            self.policy,
            keys,
            protocol(contact),
            &sample,
            contact.now_ms,
        );
    }

    fn group(&self) -> Group {
        self.group
    }
}

fn address(contact: &Contact) -> IpAddr {
    Ipv4Addr::from(contact.address).into()
}

fn protocol(contact: &Contact) -> Protocol {
    if contact.quic {
        Protocol::Quic
    } else {
        Protocol::Tcp
    }
}

fn control(name: &str) -> TcpControl {
    match name {
        "cubic" => TcpControl::Cubic,
        "bbr" => TcpControl::Bbr,
        "reno" => TcpControl::Reno,
        _ => TcpControl::Unknown,
    }
}
