//! What an origin answers from: a folder's files, or what was recorded.

use std::rc::Rc;

use crate::answer::{Answers, Reply, Request};
use crate::proxy::Proxy;
use crate::recorded::RecordedAnswers;

/// What an origin answers from.
pub(crate) enum Replies {
    /// A folder's files.
    Site(Answers),
    /// What was recorded.
    Recorded(RecordedAnswers),
    /// An application.
    Proxied(Rc<Proxy>),
}

impl Replies {
    /// The reply to a request.
    pub(crate) fn to(&self, request: &Request) -> Reply {
        match self {
            Replies::Site(answers) => answers.to(request).into(),
            Replies::Recorded(answers) => answers.to(request),
            // Its connections are served by `proxy`.
            Replies::Proxied(_) => unreachable!("an application's requests are handed on"),
        }
    }
}
