//! Why a specification is refused.

use thiserror::Error;

/// What is wrong with a specification: the key (as `down.loss.probability`; without the direction
/// where a link alone was checked), its value, what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// A value outside of its range.
    #[error("{key} is {value}; allowed is {allowed}")]
    OutOfRange {
        /// The key, its parents before it.
        key: String,
        /// The value found.
        value: String,
        /// The values allowed, in words.
        allowed: String,
    },
    /// A value that means nothing beside the others, or contradicts them.
    #[error("{key} is {value}; allowed is {allowed}")]
    Misplaced {
        /// The key, its parents before it.
        key: String,
        /// The value found.
        value: String,
        /// What it needs, in words.
        allowed: String,
    },
    /// A line of a text (a trace, a schedule, a distribution) that can't be read.
    #[error("{key}, line {line}: {problem}")]
    Text {
        /// The text's key, its parents before it.
        key: String,
        /// The line, the first being 1.
        line: usize,
        /// What is wrong with it, in which column where there are several, and what is allowed.
        problem: String,
    },
}

impl SpecError {
    /// The key that is wrong, its parents before it.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            SpecError::OutOfRange { key, .. }
            | SpecError::Misplaced { key, .. }
            | SpecError::Text { key, .. } => key,
        }
    }

    /// The line that is wrong, the first being 1; none where the value is no text.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        match self {
            SpecError::Text { line, .. } => Some(*line),
            SpecError::OutOfRange { .. } | SpecError::Misplaced { .. } => None,
        }
    }

    pub(crate) fn within(mut self, parent: &str) -> SpecError {
        let (SpecError::OutOfRange { key, .. }
        | SpecError::Misplaced { key, .. }
        | SpecError::Text { key, .. }) = &mut self;
        key.insert(0, '.');
        key.insert_str(0, parent);
        self
    }
}
