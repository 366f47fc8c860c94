//! What was found of one requirement.

use std::fmt;

/// Whether a stack does what a requirement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It doesn't.
    Misses,
    /// The scenario didn't come to the point in question.
    Unseen,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Holds => "holds",
            Verdict::Misses => "MISSES",
            Verdict::Unseen => "unseen",
        })
    }
}

/// A verdict and what it is founded on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// What was measured, against what is required.
    pub measured: String,
}

impl Finding {
    pub(crate) fn new(holds: bool, measured: impl Into<String>) -> Finding {
        Finding {
            verdict: if holds {
                Verdict::Holds
            } else {
                Verdict::Misses
            },
            measured: measured.into(),
        }
    }

    pub(crate) fn unseen(why: impl Into<String>) -> Finding {
        Finding {
            verdict: Verdict::Unseen,
            measured: why.into(),
        }
    }
}
