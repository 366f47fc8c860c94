//! The answers of a recorded site, made before they are asked for.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::Recorded;
use super::matching::{Index, Wanted};
use crate::answer::{Answer, Reply, Request};
use crate::matched::Match;

/// What says in an answer that nothing recorded fits.
const NOT_RECORDED: &str = "not recorded";

/// The header in which it says so.
const NOTE: HeaderName = HeaderName::from_static("pronghorn-replay");

/// What was recorded of a site, and who asks for which of it. Lives on one thread.
pub(crate) struct RecordedAnswers {
    index: Index,
    /// By the exchanges' places.
    answers: Vec<(Rc<Answer>, Duration)>,
    missed: Rc<Answer>,
    too_early: Rc<Answer>,
}

impl RecordedAnswers {
    /// Answers as recorded, with `think` times what the server took for each.
    pub(crate) fn new(recorded: &Recorded, think: f64) -> RecordedAnswers {
        let answers = recorded.exchanges.iter().map(|one| {
            let mut headers = one.headers.clone();
            if has_length(&one.method, one.status) {
                headers.insert(header::CONTENT_LENGTH, one.body.len().into());
            }
            let answer = Answer::as_is(one.status, headers, one.body.clone());
            (answer, one.think.mul_f64(think))
        });
        let note = HeaderValue::from_static(NOT_RECORDED);
        let missed = [(NOTE, note), (header::CONTENT_LENGTH, 0.into())];
        RecordedAnswers {
            answers: answers.collect(),
            index: Index::new(&recorded.exchanges),
            missed: Answer::as_is(
                StatusCode::NOT_FOUND,
                HeaderMap::from_iter(missed),
                Bytes::new(),
            ),
            too_early: Answer::as_is(
                StatusCode::TOO_EARLY,
                HeaderMap::from_iter([(header::CONTENT_LENGTH, 0.into())]),
                Bytes::new(),
            ),
        }
    }

    /// The answer to a request: what was recorded of it. What CORS asks for without a record is allowed, since browsers
    /// don't tell all of that; anything else that isn't recorded is answered 404 with a note. Early data is refused as `Answers::to` refuses it.
    pub(crate) fn to(&self, request: &Request) -> Reply {
        if request.is_refused_early() {
            return self.too_early.clone().into();
        }
        let found = self.index.find(&Wanted {
            host: request.host,
            method: request.method,
            target: request.target,
            headers: request.headers,
        });
        if let Some((place, matched)) = found {
            let (answer, think) = &self.answers[place];
            return Reply {
                answer: answer.clone(),
                matched: Some(matched),
                think: *think,
            };
        }
        let (answer, matched) = match preflight(request) {
            Some(leave) => (leave, Match::Preflight),
            None => (self.missed.clone(), Match::Missed),
        };
        Reply {
            answer,
            matched: Some(matched),
            think: Duration::ZERO,
        }
    }
}

/// Whether an answer says how long its body is (RFC 9110 §8.6); one to HEAD says what it was recorded with.
fn has_length(method: &Method, status: StatusCode) -> bool {
    *method != Method::HEAD
        && status != StatusCode::NO_CONTENT
        && status != StatusCode::NOT_MODIFIED
}

/// The leave that a CORS preflight asks for (Fetch, §4.8); none where the request is none.
fn preflight(request: &Request) -> Option<Rc<Answer>> {
    let asked = |name: HeaderName| request.headers.get(name).cloned();
    let method = asked(header::ACCESS_CONTROL_REQUEST_METHOD)?;
    let origin = asked(header::ORIGIN).filter(|_| *request.method == Method::OPTIONS)?;
    let mut headers = HeaderMap::from_iter([
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin),
        (header::ACCESS_CONTROL_ALLOW_METHODS, method),
        (
            header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        ),
    ]);
    if let Some(names) = asked(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    }
    Some(Answer::as_is(StatusCode::NO_CONTENT, headers, Bytes::new()))
}
