//! What an origin answers from: a folder's files, or what was recorded.

use crate::answer::{Answers, Reply, Request};
use crate::recorded::RecordedAnswers;

/// What an origin answers from.
pub(crate) enum Replies {
    /// A folder's files.
    Site(Answers),
    /// What was recorded.
    Recorded(RecordedAnswers),
}

impl Replies {
    /// The reply to a request.
    pub(crate) fn to(&self, request: &Request) -> Reply {
        match self {
            Replies::Site(answers) => answers.to(request).into(),
            Replies::Recorded(answers) => answers.to(request),
        }
    }
}
