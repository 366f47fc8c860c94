//! What keeps a bench's hosts apart from the machine, and makes everything end with its process.
//!
//! [`enter`] tries what the host allows and splits the process:
//!
//! ```text
//! caller ── supervisor ── init (PID 1 of a new PID namespace) ── engine ── threads, processes
//! ```
//!
//! * the **supervisor** stays in the caller's PID namespace, forwards signals inwards and the
//!   engine's exit status outwards, and ends everything when its own parent is gone;
//! * **init** reaps orphans, so that the engine can wait for its own children undisturbed; when it
//!   ends, for whatever reason, the kernel kills all that is left in the namespace;
//! * the **engine** is the process that returns from [`enter`].
//!
//! `kill -9` of any of the three, or of the caller, therefore leaves nothing behind: network
//! namespaces and TUN devices go with the last process that holds them. What the engine writes into its
//! private folder, the supervisor removes.

mod mend;
mod private;
mod probe;
mod supervise;

pub use private::private_folder;
pub use supervise::FORWARDED_SIGNALS;

use std::sync::OnceLock;

use probe::{Refusal, Way};

/// The variable that forces a mode: `none` acts as if the host denied namespaces, `user` takes
/// the way through a user namespace even as root. Any other value changes nothing.
pub const ISOLATION_VARIABLE: &str = "PRONGHORN_ISOLATION";

static ENTERED: OnceLock<Isolation> = OnceLock::new();

/// By what right this process makes network namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// As root of the machine (or of a container that was given the capabilities).
    Root,
    /// As root of a user namespace of its own.
    UserNamespace,
    /// The host denies namespaces or `/dev/net/tun`: benches can't be opened.
    None {
        /// What is denied, in one sentence.
        reason: String,
        /// What a person can do about it.
        mend: String,
    },
}

impl Isolation {
    /// The engine protocol's word for it: `root`, `user-namespace` or `none`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Isolation::Root => "root",
            Isolation::UserNamespace => "user-namespace",
            Isolation::None { .. } => "none",
        }
    }

    /// What the host denies; `None` where benches can be opened.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Isolation::None { reason, .. } => Some(reason),
            _ => None,
        }
    }

    /// What a person can do about it; `None` where benches can be opened.
    #[must_use]
    pub fn mend(&self) -> Option<&str> {
        match self {
            Isolation::None { mend, .. } => Some(mend),
            _ => None,
        }
    }

    fn denied(reason: impl Into<String>, mend: impl Into<String>) -> Isolation {
        Isolation::None {
            reason: reason.into(),
            mend: mend.into(),
        }
    }
}

/// Isolates this process as far as the host allows, and puts it under supervision.
///
/// To be called first thing in `main`, before any thread exists (a user namespace needs a
/// single-threaded process) and before anything is written to a buffered stdout. The process that
/// returns is a child (a grandchild, inside a PID namespace) of the one that called; the caller's
/// process forwards SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 to it and ends as it
/// ends. Where namespaces are denied it is supervised all the same. A second call changes nothing
/// and gives the first one's answer.
pub fn enter() -> Isolation {
    ENTERED.get_or_init(enter_once).clone()
}

/// As [`enter`], for a process that has a kernel of its own: there is nothing to be kept apart from, and what ends
/// the kernel ends all.
pub fn enter_guest() -> Isolation {
    ENTERED.get_or_init(|| Isolation::Root).clone()
}

/// Whether this process runs in a guest, whose clock counts no time for computing: what its kernel says of CPU time is
/// nothing.
pub fn in_guest() -> bool {
    static TRAVELS: OnceLock<bool> = OnceLock::new();
    *TRAVELS.get_or_init(|| {
        std::fs::read_to_string("/proc/cmdline").is_ok_and(|line| line.contains("time-travel="))
    })
}

/// What [`enter`] has found, or `None` where it wasn't called.
pub(crate) fn entered() -> Option<&'static Isolation> {
    ENTERED.get()
}

fn enter_once() -> Isolation {
    let _ = private::name();
    match choose() {
        Ok(way) => match probe::assume(way) {
            Ok(()) => match supervise::split(true) {
                Ok(()) => match way {
                    Way::Root => Isolation::Root,
                    Way::User => Isolation::UserNamespace,
                },
                Err(errno) => Isolation::denied(
                    format!("a PID namespace could not be made: {}", errno.desc()),
                    mend::CONTAINER,
                ),
            },
            Err(refusal) => denied(&refusal),
        },
        Err(isolation) => {
            // Nothing to fall back on: an unsupervised engine still ends with its stdin.
            let _ = supervise::split(false);
            isolation
        }
    }
}

/// The first way that the host allows, tried in a child process.
fn choose() -> Result<Way, Isolation> {
    let forced = std::env::var(ISOLATION_VARIABLE).unwrap_or_default();
    let ways: &[Way] = match forced.as_str() {
        "none" => {
            return Err(Isolation::denied(
                format!("{ISOLATION_VARIABLE}=none is set"),
                format!("unset {ISOLATION_VARIABLE}"),
            ));
        }
        "user" => &[Way::User],
        _ if nix::unistd::geteuid().is_root() => &[Way::Root, Way::User],
        _ => &[Way::User],
    };
    let mut first = None;
    for way in ways {
        match probe::probe(*way) {
            Ok(()) => return Ok(*way),
            Err(refusal) => first = first.or(Some(refusal)),
        }
    }
    Err(match first {
        Some(refusal) => denied(&refusal),
        None => Isolation::denied("no way of isolation was tried", mend::CONTAINER),
    })
}

fn denied(refusal: &Refusal) -> Isolation {
    let (reason, mend) = mend::explain(refusal, &mend::Host::look());
    Isolation::None { reason, mend }
}
