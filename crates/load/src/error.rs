//! Why a load can't be, or broke.

use std::io;
use std::path::PathBuf;

use pronghorn_http::{KnobError, TlsError};

/// Who can do something about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// Who asked: the specification is wrong.
    Input,
    /// This host can't.
    Host,
    /// Something broke while measuring.
    Bench,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A part of the specification that can't be.
    #[error("{key}: {problem}")]
    Spec {
        /// Where in the specification.
        key: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// A setting of the transport that can't be.
    #[error("knobs: {0}")]
    Knobs(#[from] KnobError),
    /// TLS can't be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A host name that leads nowhere.
    #[error("the host `{host}` has no address: {source}")]
    Name {
        /// The name.
        host: String,
        /// What the resolver says.
        source: io::Error,
    },
    /// The list of targets that can't be read.
    #[error("{path}: {source}", path = path.display())]
    Targets {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file that can't be written.
    #[error("{path}: {source}", path = path.display())]
    HistogramLog {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The server gave nothing to resume.
    #[error(
        "session `{asked}`: {gained} of {slots} connections gained a session that could be resumed; `cold` needs none"
    )]
    NoSession {
        /// What was asked for.
        asked: &'static str,
        /// Slots that have a session.
        gained: u32,
        /// All of them.
        slots: u32,
        /// Why the first one has none.
        why: String,
    },
    /// Something that the operating system denies.
    #[error("{what}: {source}")]
    System {
        /// What was asked of it.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// A thread of ours failed.
    #[error("a worker panicked; its message is on stderr")]
    Panicked,
}

impl LoadError {
    pub(crate) fn spec(key: impl Into<String>, problem: impl ToString) -> LoadError {
        LoadError::Spec {
            key: key.into(),
            problem: problem.to_string(),
        }
    }

    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> LoadError {
        move |source| LoadError::System { what, source }
    }

    /// Who can do something about it.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            LoadError::Spec { .. }
            | LoadError::Knobs(_)
            | LoadError::Name { .. }
            | LoadError::Targets { .. }
            | LoadError::HistogramLog { .. } => Blame::Input,
            LoadError::Tls(TlsError::Udp(_)) | LoadError::System { .. } => Blame::Host,
            LoadError::Tls(_) => Blame::Input,
            LoadError::NoSession { .. } | LoadError::Panicked => Blame::Bench,
        }
    }

    /// What helps, as a sentence or a command.
    #[must_use]
    pub fn mend(&self) -> Option<String> {
        match self {
            LoadError::Name { .. } => Some("name the server's address as `address`".to_owned()),
            LoadError::NoSession { why, .. } => Some(why.clone()),
            LoadError::System { source, .. }
                if source.raw_os_error() == Some(nix::libc::EMFILE) =>
            {
                Some(
                    "`ulimit -n` bounds the open sockets; raise it, or use fewer connections"
                        .to_owned(),
                )
            }
            _ => None,
        }
    }
}
