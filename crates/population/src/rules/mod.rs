//! The rules that are compared.

mod always;
mod learned;
mod public_module;

pub(crate) use always::{Always, Informed};
pub(crate) use learned::Learned;
pub(crate) use public_module::PublicModule;

use crate::outcome::Seen;

/// Who is being answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// What a cookie would tell.
    pub(crate) client: u32,
    pub(crate) address: [u8; 4],
    /// Of the specification's controls, in their order; none where it isn't known.
    pub(crate) control: Option<usize>,
    pub(crate) quic: bool,
    pub(crate) now_ms: u64,
    pub(crate) new_connection: bool,
    pub(crate) idle_ms: u64,
    /// The truth, for a rule that may know it.
    pub(crate) h3_is_better: bool,
}

/// What `Alt-Svc` the answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Nothing,
    Advertise {
        max_age_s: u32,
    },
    Clear,
    /// The request is refused as a QUIC one, and the client told to forget QUIC.
    Refuse,
}

/// Which group of an experiment a client is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Steered,
    PinnedH2,
    PinnedH3,
}

/// A rule for whom h3 is offered.
pub(crate) trait Rule {
    /// Whether it heeds what becomes of responses.
    const LEARNS: bool = true;

    /// What the next response says.
    fn answer(&mut self, contact: &Contact) -> Action;

    /// What became of a response; one of no bytes is what is known of a connection before its first.
    fn learn(&mut self, _contact: &Contact, _seen: &Seen) {}

    /// The group of the client that was answered last.
    fn group(&self) -> Group {
        Group::Steered
    }
}
