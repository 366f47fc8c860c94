//! What an origin answers from: a folder's files, or a recording.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::answer::{Answer, Answers, Request};
use crate::recorded::{Match, RecordedAnswers};

/// The answer to a request, and what belongs to it where the site is a recorded one.
pub(crate) struct Reply {
    pub(crate) answer: Rc<Answer>,
    /// How it was found.
    pub(crate) matched: Option<Match>,
    /// How long it is held back.
    pub(crate) think: Duration,
}

impl From<Rc<Answer>> for Reply {
    fn from(answer: Rc<Answer>) -> Reply {
        Reply {
            answer,
            matched: None,
            think: Duration::ZERO,
        }
    }
}

/// What an origin answers from.
pub(crate) enum Replies {
    /// A folder's files.
    Site(Answers),
    /// What was recorded.
    Recorded(RecordedAnswers),
}

impl Replies {
    /// The reply to a request. One that came as early data, and whose method isn't safe (RFC 9110 §9.2.1), is answered
    /// 425 and nothing is done for it: it may be a replay (RFC 8470 §5.2).
    pub(crate) fn to(&self, request: &Request) -> Reply {
        match self {
            Replies::Site(answers) => answers.to(request).into(),
            Replies::Recorded(_) if request.early && !request.method.is_safe() => {
                let nothing = [(header::CONTENT_LENGTH, HeaderValue::from(0))];
                let headers = HeaderMap::from_iter(nothing);
                Answer::as_is(StatusCode::TOO_EARLY, headers, Bytes::new()).into()
            }
            Replies::Recorded(answers) => {
                let (answer, matched, think) = answers.to(request);
                Reply {
                    answer,
                    matched: Some(matched),
                    think,
                }
            }
        }
    }
}
