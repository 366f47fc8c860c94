//! When a recorded page's requests are made: each once what set it off is there, and after what was computed then.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use pronghorn_page::{Decoder, Kind, Place};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::Itinerary;
use super::routes::Routes;
use super::steps::{Cause, Step};
use crate::budget::MOST_READ;
use crate::noted::About;
use crate::priority::Priority;
use crate::record::{Reason, ResourceRecord};
use crate::summary::Ended;
use crate::tolerate::Tolerate;
use crate::transport::{Context, Event, Failure, Report, Wanted};

/// What equal requests have in common: host, method and target.
type Question<'a> = (&'a str, &'a str, &'a str);

/// The load while it goes on.
pub(super) struct Walk<'a> {
    context: &'a Context,
    itinerary: &'a Itinerary,
    routes: &'a mut Routes,
    tolerate: Tolerate,
    /// By the steps' places.
    states: Vec<State>,
    /// Places of those that each sets off, and that it hasn't yet.
    followers: Vec<Vec<usize>>,
    /// What was recorded of equal requests, which are answered in turn: statuses, and bytes of bodies.
    recorded: HashMap<Question<'a>, Vec<(u16, u64)>>,
    images: usize,
    /// Requests that are under way, or that what is computed before them is.
    open: usize,
    failure: Option<Failure>,
}

/// How far a request has come.
#[derive(Default)]
struct State {
    /// Once it is made.
    record: Option<ResourceRecord>,
    /// How much of its answer was decoded; where something waits for that.
    decoded: Option<(Decoder, u64)>,
    ended: bool,
    depth: u32,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        context: &'a Context,
        itinerary: &'a Itinerary,
        routes: &'a mut Routes,
        tolerate: Tolerate,
    ) -> Self {
        let steps = &itinerary.steps.0;
        let mut followers = vec![Vec::new(); steps.len()];
        let mut recorded: HashMap<_, Vec<_>> = HashMap::new();
        for (place, step) in steps.iter().enumerate() {
            match step.cause {
                Cause::Start => {}
                Cause::Head(other) | Cause::Bytes(other, _) | Cause::End(other) => {
                    followers[other].push(place);
                }
            }
            let asked = (&*step.host, step.method.as_str(), &*step.target);
            let answer = (step.status, step.bytes);
            recorded.entry(asked).or_default().push(answer);
        }
        Walk {
            context,
            itinerary,
            routes,
            tolerate,
            states: steps.iter().map(|_| State::default()).collect(),
            followers,
            recorded,
            images: 0,
            open: 0,
            failure: None,
        }
    }

    pub(super) async fn run(&mut self, mut inbox: UnboundedReceiver<Report>) {
        self.states[0].depth = 1;
        self.open += 1;
        self.request(0, self.context.started);
        while self.open > 0 {
            let Some(report) = inbox.recv().await else {
                break;
            };
            self.handle(report);
        }
    }

    pub(super) fn time_out(&mut self, limit: Duration) {
        let mut unfinished = Vec::new();
        let mut under_way = 0;
        for place in 0..self.states.len() {
            let state = &mut self.states[place];
            let Some(record) = state.record.as_mut().filter(|_| !state.ended) else {
                continue;
            };
            under_way += 1;
            record.error = Some("not complete when the time limit ran out".to_owned());
            if !self.tolerate.allows(&record.path) {
                unfinished.push(record.path.clone());
            }
        }
        let path = match unfinished.first() {
            Some(first) => first.clone(),
            // All that is unfinished may be so.
            None if self.open == under_way => return,
            // What is computed takes time as well.
            None => self.path(0),
        };
        let failure = Failure::timeout(&path, unfinished.len().saturating_sub(1), limit);
        self.failure.get_or_insert(failure);
    }

    /// What it came to, without its connections; in the order of the requests' start.
    pub(super) fn end(self) -> Ended {
        let depth = self.states.iter().map(|state| state.depth).max();
        let mut resources: Vec<_> = self
            .states
            .into_iter()
            .filter_map(|state| state.record)
            .collect();
        resources.sort_by(|one, other| one.start_s.total_cmp(&other.start_s));
        Ended {
            failure: self.failure,
            depth: depth.unwrap_or(1),
            resources,
            connections: Vec::new(),
            left_out: (Vec::new(), 0),
            scripts_not_run: (Vec::new(), 0),
        }
    }

    fn step(&self, place: usize) -> &'a Step {
        &self.itinerary.steps.0[place]
    }

    /// Path and query, or the whole URL where it isn't of the document's host.
    fn path(&self, place: usize) -> String {
        let Step { host, target, .. } = self.step(place);
        match *host == self.step(0).host {
            true => target.clone(),
            false => format!("https://{host}{target}"),
        }
    }

    /// Makes a request, for which `open` counts already.
    fn request(&mut self, place: usize, at: Instant) {
        let step = self.step(place);
        let usual = Priority::of(step.kind, Place::Free, self.images);
        self.images += usize::from(step.kind == Kind::Image);
        let priority = Priority {
            urgency: step.urgency.unwrap_or(usual.urgency),
            incremental: step.incremental.unwrap_or(usual.incremental),
        };
        let initiator = match step.cause {
            Cause::Start => None,
            Cause::Head(other) | Cause::Bytes(other, _) | Cause::End(other) => Some(other),
        };
        let about = About {
            method: step.method.to_string(),
            path: self.path(place),
            kind: step.kind,
            initiator: initiator.map(|other| self.path(other)),
            priority,
        };
        let record = ResourceRecord::new(about, self.seconds(at));
        self.states[place].record = Some(record);
        let wanted = Wanted::new(place, step.method.clone(), step.target.clone(), priority);
        let content = Bytes::from(vec![b'x'; step.content_bytes]);
        let wanted = wanted.of_host(step.host.as_str().into(), step.headers.clone(), content);
        self.routes.submit(&step.host, wanted);
    }

    fn handle(&mut self, report: Report) {
        let Report {
            resource: place,
            at,
            event,
        } = report;
        if let Event::Due = event {
            return self.request(place, at);
        }
        let at_s = self.seconds(at);
        let state = &mut self.states[place];
        let Some(record) = state.record.as_mut().filter(|_| !state.ended) else {
            return;
        };
        record.note(&event, at_s);
        match event {
            Event::Sent { .. } | Event::TooEarly | Event::Due => {}
            Event::Head(head) => {
                let codings = head.header("content-encoding");
                let waits = |place: &usize| matches!(self.step(*place).cause, Cause::Bytes(..));
                let read = self.followers[place].iter().any(waits);
                let state = &mut self.states[place];
                // What can't be decoded sets off at its end whatever waits for it.
                let decoder = Decoder::new(&codings, MOST_READ).ok().filter(|_| read);
                state.decoded = decoder.map(|decoder| (decoder, 0));
                if let Some(record) = &mut state.record {
                    record.content_coding = (!codings.is_empty()).then_some(codings);
                }
                self.set_off(place, at, |cause| matches!(cause, Cause::Head(_)));
            }
            Event::Data(bytes) => self.read(place, &bytes, at),
            Event::End => self.ends(place, at),
            Event::Failed(failure) => self.fail(place, failure),
        }
    }

    fn read(&mut self, place: usize, bytes: &[u8], at: Instant) {
        let state = &mut self.states[place];
        let Some((decoder, decoded)) = &mut state.decoded else {
            return;
        };
        match decoder.push(bytes) {
            Ok(more) => *decoded += more.len() as u64,
            Err(_) => return state.decoded = None,
        }
        let there = *decoded;
        self.set_off(
            place,
            at,
            |cause| matches!(cause, Cause::Bytes(_, bytes) if bytes <= there),
        );
    }

    fn ends(&mut self, place: usize, at: Instant) {
        let at_s = self.seconds(at);
        let step = self.step(place);
        let asked = self.routes.protocol(&step.host);
        let path = self.path(place);
        let Some(record) = self.states[place].record.as_mut() else {
            return;
        };
        record.last_byte_s = Some(at_s);
        let answer = (record.status.unwrap_or(0), record.bytes);
        let seen = record.protocol;
        if seen != Some(asked) {
            let seen = seen.map_or("an unknown protocol".to_owned(), |seen| seen.to_string());
            let detail = format!("{path} came over {seen}, not {asked}");
            return self.fail(place, Failure::new(Reason::Protocol, detail));
        }
        let recorded = &self.recorded[&(&*step.host, step.method.as_str(), &*step.target)];
        if !recorded.contains(&answer) {
            let (status, bytes) = answer;
            let (reason, detail) = match recorded.iter().any(|(one, _)| *one == status) {
                true => {
                    let detail = format!("{path} has {bytes} bytes, recorded are {}", step.bytes);
                    (Reason::Incomplete, detail)
                }
                false => {
                    let detail =
                        format!("{path} was answered {status}, recorded is {}", step.status);
                    (Reason::Status, detail)
                }
            };
            return self.fail(place, Failure::new(reason, detail));
        }
        self.states[place].ended = true;
        self.open -= 1;
        self.set_off(place, at, |_| true);
    }

    /// Ends a request that failed; what it would have set off isn't requested.
    fn fail(&mut self, place: usize, mut failure: Failure) {
        let path = self.path(place);
        let tolerated =
            place > 0 && failure.reason != Reason::Protocol && self.tolerate.allows(&path);
        if !failure.detail.contains(&path) {
            failure.detail = format!("{path}: {}", failure.detail);
        }
        let state = &mut self.states[place];
        state.ended = true;
        if let Some(record) = &mut state.record {
            record.error = Some(failure.detail.clone());
        }
        self.open -= 1;
        if !tolerated {
            self.failure.get_or_insert(failure);
        }
    }

    /// Sets off those followers whose `cause` has come, each after what is computed before it.
    fn set_off(&mut self, place: usize, at: Instant, has_come: impl Fn(Cause) -> bool) {
        let depth = self.states[place].depth + 1;
        let steps = &self.itinerary.steps.0;
        let (now, later) = std::mem::take(&mut self.followers[place])
            .into_iter()
            .partition(|follower| has_come(steps[*follower].cause));
        self.followers[place] = later;
        let now: Vec<usize> = now;
        for follower in now {
            self.open += 1;
            self.states[follower].depth = depth;
            let compute = steps[follower].compute;
            if !self.itinerary.compute || compute.is_zero() {
                self.request(follower, at);
                continue;
            }
            let due = at + compute;
            let reports = self.context.reports.clone();
            tokio::task::spawn_local(async move {
                tokio::time::sleep_until(due).await;
                // The load may be over (a time-out).
                let _ = reports.send(Report {
                    resource: follower,
                    at: Instant::now(),
                    event: Event::Due,
                });
            });
        }
    }

    fn seconds(&self, at: Instant) -> f64 {
        (at - self.context.started).as_secs_f64()
    }
}
