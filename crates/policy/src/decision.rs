//! What is asked and what is answered.

use core::ffi::CStr;

/// What to say in the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// No Alt-Svc: a lease that runs isn't renewed.
    Nothing = 0,
    /// Alt-Svc with `ma` of the decision's `max_age_s`.
    Advertise = 1,
    /// Alt-Svc: clear.
    Clear = 2,
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Neither is expected to be faster: it stays as it is.
    Undecided = 0,
    /// Offered: h3 is expected to be faster.
    H3Faster = 1,
    /// Not offered: h3 is expected to be slower.
    H3Slower = 2,
    /// Would change, but changed too short a time ago.
    Dwelling = 3,
    /// Would be offered, but was let go too short a time ago.
    CoolingDown = 4,
    /// Was offered, and nothing came by QUIC.
    UdpBlocked = 5,
    /// Belongs to the holdout.
    Pinned = 6,
    /// Would be let go, but none is.
    DowngradeOff = 7,
    /// The memory holds no table, or one that can't be mended.
    NoTable = 8,
    /// Offered: h3 isn't expected to be faster, and trying it is worth what it costs.
    Exploring = 9,
}

/// The group of a key in an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arm {
    /// Decided by what is expected.
    Steered = 0,
    /// Never offered.
    PinnedH2 = 1,
    /// Always offered.
    PinnedH3 = 2,
}

impl Action {
    /// For logs and labels.
    pub fn name(self) -> &'static str {
        text(self.c_name())
    }

    pub(crate) fn c_name(self) -> &'static CStr {
        match self {
            Action::Nothing => c"nothing",
            Action::Advertise => c"advertise",
            Action::Clear => c"clear",
        }
    }
}

impl Reason {
    /// Every reason, in the order of the C ABI's numbers.
    pub const ALL: [Reason; 10] = [
        Reason::Undecided,
        Reason::H3Faster,
        Reason::H3Slower,
        Reason::Dwelling,
        Reason::CoolingDown,
        Reason::UdpBlocked,
        Reason::Pinned,
        Reason::DowngradeOff,
        Reason::NoTable,
        Reason::Exploring,
    ];

    /// For logs and labels.
    pub fn name(self) -> &'static str {
        text(self.c_name())
    }

    pub(crate) fn c_name(self) -> &'static CStr {
        match self {
            Reason::Undecided => c"undecided",
            Reason::H3Faster => c"h3_faster",
            Reason::H3Slower => c"h3_slower",
            Reason::Dwelling => c"dwelling",
            Reason::CoolingDown => c"cooling_down",
            Reason::UdpBlocked => c"udp_blocked",
            Reason::Pinned => c"pinned",
            Reason::DowngradeOff => c"downgrade_off",
            Reason::NoTable => c"no_table",
            Reason::Exploring => c"exploring",
        }
    }
}

impl Arm {
    /// For logs and labels.
    pub fn name(self) -> &'static str {
        text(self.c_name())
    }

    pub(crate) fn c_name(self) -> &'static CStr {
        match self {
            Arm::Steered => c"steered",
            Arm::PinnedH2 => c"pinned_h2",
            Arm::PinnedH3 => c"pinned_h3",
        }
    }
}

/// How clients are let go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Downgrade {
    /// Not at all for what is measured; only where no QUIC arrives.
    Off = 0,
    /// Their lease lapses; where it would hold for longer than `lease_s` still, they are told.
    #[default]
    Lease = 1,
    /// `Alt-Svc: clear` to who comes over QUIC.
    Clear = 2,
}

/// What a decision depends on besides the key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ask {
    /// Share of keys pinned to each arm, 0 to 0.5; below 0: the file's.
    pub holdout: f32,
    /// Of an offer; 0: the file's `lease_s`, or its `lease_most_s` where h3 is expected to be faster and another look at h2 isn't
    /// worth what it costs.
    pub max_age_s: u32,
    /// How clients are let go.
    pub downgrade: Downgrade,
    /// The answer says what would be done; the caller doesn't do it, and no offer is counted.
    pub dry_run: bool,
    /// The first decision on this connection.
    pub new_connection: bool,
    /// Whom the client asks for, hashed: an offer is of one host alone.
    pub host: u8,
}

impl Default for Ask {
    /// The file's holdout and lease, downgrade by lease, a new connection.
    fn default() -> Ask {
        Ask {
            holdout: -1.0,
            max_age_s: 0,
            downgrade: Downgrade::Lease,
            dry_run: false,
            new_connection: true,
            host: 0,
        }
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// What to say in the response.
    pub action: Action,
    /// Why.
    pub reason: Reason,
    /// The key's group in this epoch.
    pub arm: Arm,
    /// Of the offer; 0 where there is none.
    pub max_age_s: u32,
    /// The chance with which a key belongs to this arm, in this epoch.
    pub propensity: f32,
    /// Expected ln(mean time with h3 / mean time with h2) of this key's responses.
    pub gain: f32,
    /// Its standard deviation.
    pub sd: f32,
}

impl Decision {
    pub(crate) const NO_TABLE: Decision = Decision {
        action: Action::Nothing,
        reason: Reason::NoTable,
        arm: Arm::Steered,
        max_age_s: 0,
        propensity: 0.0,
        gain: 0.0,
        sd: 0.0,
    };
}

fn text(name: &'static CStr) -> &'static str {
    name.to_str().unwrap_or_default()
}
