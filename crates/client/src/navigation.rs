//! One navigation: the document, and whatever it turns out to need, until all of it is there.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::time::Duration;

use http::Method;
use pronghorn_flight::monotonic_s;
use pronghorn_http::{Handshake, SessionUse, TlsError};
use pronghorn_page::{DecodeError, Decoder, Kind};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::time::Instant;
use url::Url;

use crate::budget::{self, Budget, MOST_READ, MOST_RESOURCES};
use crate::discover::{HtmlScanner, Reference, css_references};
use crate::host::OwnHost;
use crate::left_out::LeftOuts;
use crate::priority::{Place, Priority};
use crate::record::{ConnectionRecord, EarlyData, Outcome, PageLoad, Reason, ResourceRecord, Why};
use crate::tolerate::Tolerate;
use crate::transport::{
    Context, Event, Failure, Head, Prepared, Report, Target, Transport, Wanted,
};

/// Loads the page at `document` (a path) with an empty cache. It ends when every resource has ended,
/// or after `limit`, and closes its connections then; one that gains sessions ends a little later, when
/// it has one. Must run inside a `LocalSet`.
///
/// Errors are of the set-up only; whatever the network or the origin does is in the record.
pub async fn load(target: Target, document: &str, limit: Duration) -> Result<PageLoad, LoadError> {
    load_tolerating(target, document, limit, Tolerate::default()).await
}

/// Loads the page as `load` does; failures of requests that `tolerate` allows are theirs alone.
pub async fn load_tolerating(
    target: Target,
    document: &str,
    limit: Duration,
    tolerate: Tolerate,
) -> Result<PageLoad, LoadError> {
    if target.method == Method::CONNECT {
        return Err(LoadError::Connect);
    }
    let (base, document) = locate(&target, document)?;
    // Only of connections that are made while it lives.
    let _timeouts = target
        .quic_watch
        .flight
        .as_ref()
        .map(|_| pronghorn_http::count_timeouts());
    let prepared = Prepared::new(&target)?;
    let kept = prepared.kept();
    let (reports, inbox) = unbounded_channel();
    let started = Instant::now();
    let context = Context {
        target: Rc::new(target),
        started,
        connections: Rc::new(RefCell::default()),
        reports,
    };
    let transport = prepared.start(context.clone());
    let mut navigation = Navigation::new(&context, &transport, base, tolerate);
    navigation.begin(document);
    let timed_out = tokio::time::timeout(limit, navigation.run(inbox))
        .await
        .is_err();
    if timed_out {
        navigation.time_out(limit);
    }
    if let Some(kept) = kept {
        navigation.keep(kept).await;
    }
    transport.read_settings(&context);
    let connections = context.connections.borrow().clone();
    let record = navigation.record(connections);
    transport.close(context.target.session).await;
    Ok(record)
}

/// Redirects in a row that browsers follow (Fetch, "HTTP-redirect fetch").
const MOST_REDIRECTS: usize = 20;

/// How long a session may come after the page: servers give it with the handshake or right after it.
const SESSION_PATIENCE: Duration = Duration::from_secs(3);

/// Why a load can't even begin.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The CA, or the transport's own configuration.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A host name that no URL can have.
    #[error("host_name `{0}` is no host name: {1}")]
    HostName(String, url::ParseError),
    /// A document that isn't the origin's.
    #[error("document `{0}` is not a path on the origin, as /index.html is")]
    Document(String),
    /// A method that asks for no resource.
    #[error(
        "method `CONNECT` asks a proxy for a tunnel (RFC 9110 §9.3.6), which is no load; every other method asks \
             for the document"
    )]
    Connect,
}

/// The origin's URL and the document's.
fn locate(target: &Target, document: &str) -> Result<(Url, Url), LoadError> {
    let base = format!("https://{}:{}/", target.host_name, target.address.port());
    let base =
        Url::parse(&base).map_err(|error| LoadError::HostName(target.host_name.clone(), error))?;
    match base.join(document) {
        Ok(url) if url.origin() == base.origin() => Ok((base, url)),
        _ => Err(LoadError::Document(document.to_owned())),
    }
}

/// A resource under way.
struct Resource {
    record: ResourceRecord,
    url: Url,
    initiator: Option<usize>,
    place: Place,
    /// Steps of discovery from the document, which is 1.
    depth: u32,
    /// Redirects that led here.
    hops: usize,
    body: Body,
    ended: bool,
}

/// What becomes of a body.
enum Body {
    /// It is counted.
    Counted,
    /// It is read for what it refers to.
    Read { decoder: Decoder, sheet: Vec<u8> },
}

/// What is to be asked for.
struct Asked {
    url: Url,
    kind: Kind,
    place: Place,
    initiator: Option<usize>,
    depth: u32,
    hops: usize,
}

/// What to write where a request may fail, as a sentence's end.
fn mend(path: &str) -> String {
    let glob = match path.split_once('?') {
        Some((path, _)) => format!("{path}*"),
        None => path.to_owned(),
    };
    format!("; if it may fail, write tolerate = [{glob:?}] in the experiment")
}

struct Navigation<'a> {
    context: &'a Context,
    transport: &'a Transport,
    own: OwnHost,
    tolerate: Tolerate,
    scanner: HtmlScanner,
    resources: Vec<Resource>,
    known: HashSet<Url>,
    left_out: LeftOuts,
    budget: Budget,
    images: usize,
    open: usize,
    failure: Option<Failure>,
}

impl<'a> Navigation<'a> {
    fn new(context: &'a Context, transport: &'a Transport, base: Url, tolerate: Tolerate) -> Self {
        Navigation {
            context,
            transport,
            own: OwnHost::new(base),
            tolerate,
            scanner: HtmlScanner::new(),
            resources: Vec::new(),
            known: HashSet::new(),
            left_out: LeftOuts::default(),
            budget: Budget::default(),
            images: 0,
            open: 0,
            failure: None,
        }
    }

    fn begin(&mut self, document: Url) {
        self.known.insert(document.clone());
        let asked = Asked {
            url: document,
            kind: Kind::Document,
            place: Place::Free,
            initiator: None,
            depth: 1,
            hops: 0,
        };
        let method = self.context.target.method.clone();
        self.request(asked, method, self.context.started);
    }

    async fn run(&mut self, mut inbox: UnboundedReceiver<Report>) {
        while self.open > 0 {
            let Some(report) = inbox.recv().await else {
                break;
            };
            self.handle(report);
        }
    }

    /// Asks for what wasn't asked for before.
    fn discover(&mut self, initiator: usize, references: Vec<Reference>, at: Instant) {
        for reference in references {
            let from = &self.resources[initiator];
            let Ok(mut url) = from.url.join(reference.url.trim()) else {
                continue;
            };
            url.set_fragment(None);
            if !matches!(url.scheme(), "http" | "https") {
                continue;
            }
            let Some(url) = self.own.own(&url) else {
                self.left_out.add(url, Why::OtherHost, reference.kind);
                continue;
            };
            if !self.known.insert(url.clone()) {
                continue;
            }
            let asked = Asked {
                url,
                kind: reference.kind,
                place: reference.place,
                initiator: Some(initiator),
                depth: from.depth + 1,
                hops: 0,
            };
            self.request(asked, Method::GET, at);
        }
    }

    fn request(&mut self, asked: Asked, method: Method, at: Instant) {
        if self.resources.len() == MOST_RESOURCES {
            let detail = format!(
                "the page asks for more than {MOST_RESOURCES} resources, of which {} is one too many",
                OwnHost::path(&asked.url)
            );
            self.failure
                .get_or_insert(Failure::new(Reason::TooLarge, detail));
            return;
        }
        let priority = Priority::of(asked.kind, asked.place, self.images);
        self.images += usize::from(asked.kind == Kind::Image);
        let path = OwnHost::path(&asked.url);
        let record = ResourceRecord {
            method: method.to_string(),
            path: path.clone(),
            kind: asked.kind,
            initiator: asked
                .initiator
                .map(|index| self.resources[index].record.path.clone()),
            priority,
            protocol: None,
            status: None,
            bytes: 0,
            content_coding: None,
            connection: None,
            start_s: self.seconds(at),
            request_s: None,
            too_early_s: None,
            first_byte_s: None,
            last_byte_s: None,
            error: None,
        };
        let resource = self.resources.len();
        self.resources.push(Resource {
            record,
            url: asked.url,
            initiator: asked.initiator,
            place: asked.place,
            depth: asked.depth,
            hops: asked.hops,
            body: Body::Counted,
            ended: false,
        });
        self.open += 1;
        self.transport
            .submit(Wanted::new(resource, method, path, priority));
    }

    fn handle(&mut self, report: Report) {
        let Report {
            resource: index,
            at,
            event,
        } = report;
        let at_s = self.seconds(at);
        let resource = &mut self.resources[index];
        if resource.ended {
            return;
        }
        match event {
            Event::Sent { connection } => {
                resource.record.connection = Some(connection);
                if resource.record.too_early_s.is_none() {
                    resource.record.request_s = Some(at_s);
                }
            }
            Event::TooEarly => resource.record.too_early_s = Some(at_s),
            Event::Head(head) => {
                resource.record.protocol = head.protocol;
                resource.record.status = Some(head.status);
                resource.record.first_byte_s = Some(at_s);
                self.head(index, &head, at);
            }
            Event::Data(bytes) => {
                resource.record.bytes += bytes.len() as u64;
                if let Body::Read { decoder, .. } = &mut resource.body {
                    let content = decoder.push(&bytes);
                    self.read(index, content, at);
                }
            }
            Event::End => self.end(index, at),
            Event::Failed(failure) => self.fail(index, failure),
        }
    }

    /// Heeds what a response says of its content and of where else to look.
    fn head(&mut self, index: usize, head: &Head, at: Instant) {
        if (300..400).contains(&head.status) {
            return self.redirect(index, head, at);
        }
        let codings = head.header("content-encoding");
        let resource = &mut self.resources[index];
        resource.record.content_coding = (!codings.is_empty()).then_some(codings.clone());
        let kind = resource.record.kind;
        let ok = (200..300).contains(&head.status);
        if !ok || !matches!(kind, Kind::Document | Kind::Style) {
            return;
        }
        match Decoder::new(&codings, MOST_READ) {
            Ok(decoder) => {
                resource.body = Body::Read {
                    decoder,
                    sheet: Vec::new(),
                }
            }
            Err(error) => self.fail(index, self.undecodable(index, &error)),
        }
    }

    /// Asks at once for what a redirect leads to; its own response counts as any other.
    fn redirect(&mut self, index: usize, head: &Head, at: Instant) {
        let location = head.header("location");
        let from = &self.resources[index];
        let path = from.record.path.clone();
        let answered = format!("{path} was answered {}", head.status);
        let led = match head.status {
            301 | 302 | 303 | 307 | 308 if !location.is_empty() => from.url.join(&location).ok(),
            _ => None,
        };
        let Some(mut url) = led else {
            let detail = format!("{answered} without a place that it leads to");
            return self.fail(index, Failure::new(Reason::Status, detail));
        };
        if from.hops == MOST_REDIRECTS {
            let detail = format!("{answered} after {MOST_REDIRECTS} redirects");
            return self.fail(index, Failure::new(Reason::Status, detail));
        }
        url.set_fragment(None);
        let Some(own) = self.own.own(&url) else {
            let kind = from.record.kind;
            if from.initiator.is_none() {
                let detail = format!("{answered} and leads to another host: {url}");
                self.fail(index, Failure::new(Reason::Status, detail));
            }
            return self.left_out.add(url, Why::OtherHost, kind);
        };
        let method: Method = from.record.method.parse().unwrap_or_default();
        // RFC 9110 §15.4: browsers change POST to GET with 301 and 302, and all but HEAD with 303.
        let method = match head.status {
            301 | 302 if method == Method::POST => Method::GET,
            303 if method != Method::HEAD => Method::GET,
            _ => method,
        };
        let asked = Asked {
            url: own.clone(),
            kind: from.record.kind,
            place: from.place,
            initiator: from.initiator,
            depth: from.depth + 1,
            hops: from.hops + 1,
        };
        self.known.insert(own);
        self.request(asked, method, at);
    }

    /// Reads content that has been decoded.
    fn read(&mut self, index: usize, content: Result<Vec<u8>, DecodeError>, at: Instant) {
        let content = match content {
            Ok(content) => content,
            Err(error) => return self.fail(index, self.undecodable(index, &error)),
        };
        let resource = &mut self.resources[index];
        let kind = resource.record.kind;
        if !self.budget.take(kind, content.len()) {
            let detail = format!(
                "{}: the page's {} hold more than {MOST_READ} bytes decoded",
                resource.record.path,
                budget::name(kind)
            );
            return self.fail(index, Failure::new(Reason::TooLarge, detail));
        }
        match (&mut resource.body, kind) {
            (_, Kind::Document) => {
                let found = self.scanner.push(&content);
                self.discover(index, found, at);
            }
            (Body::Read { sheet, .. }, _) => sheet.extend_from_slice(&content),
            (Body::Counted, _) => {}
        }
    }

    fn undecodable(&self, index: usize, error: &DecodeError) -> Failure {
        let reason = match error {
            DecodeError::TooLarge(_) => Reason::TooLarge,
            _ => Reason::Incomplete,
        };
        let path = &self.resources[index].record.path;
        Failure::new(reason, format!("{path}: {error}"))
    }

    fn end(&mut self, index: usize, at: Instant) {
        let asked = self.context.target.protocol;
        let at_s = self.seconds(at);
        let resource = &mut self.resources[index];
        resource.record.last_byte_s = Some(at_s);
        let (status, protocol) = (
            resource.record.status.unwrap_or(0),
            resource.record.protocol,
        );
        if protocol != Some(asked) {
            let seen = protocol.map_or("an unknown protocol".to_owned(), |seen| seen.to_string());
            let detail = format!("{} came over {seen}, not {asked}", resource.record.path);
            return self.fail(index, Failure::new(Reason::Protocol, detail));
        }
        if !(200..400).contains(&status) {
            let detail = format!("{} was answered {status}", resource.record.path);
            return self.fail(index, Failure::new(Reason::Status, detail));
        }
        if let Body::Read { decoder, .. } = &mut resource.body {
            let content = decoder.end();
            self.read(index, content, at);
        }
        let resource = &mut self.resources[index];
        if resource.ended {
            return;
        }
        resource.ended = true;
        self.open -= 1;
        let body = std::mem::replace(&mut resource.body, Body::Counted);
        let found = match (body, resource.record.kind) {
            (Body::Read { .. }, Kind::Document) => self.scanner.end(),
            (Body::Read { sheet, .. }, _) => css_references(&String::from_utf8_lossy(&sheet)),
            _ => Vec::new(),
        };
        self.discover(index, found, at);
    }

    /// Whether a resource's failure is its own and not the load's; the document's never is.
    fn tolerated(&self, index: usize) -> bool {
        let resource = &self.resources[index];
        resource.initiator.is_some() && self.tolerate.allows(&resource.record.path)
    }

    fn fail(&mut self, index: usize, failure: Failure) {
        let tolerated = self.tolerated(index) && failure.reason != Reason::Protocol;
        let resource = &mut self.resources[index];
        resource.ended = true;
        resource.body = Body::Counted;
        let path = &resource.record.path;
        let mut failure = failure;
        if !failure.detail.contains(path.as_str()) {
            failure.detail = format!("{path}: {}", failure.detail);
        }
        resource.record.error = Some(failure.detail.clone());
        self.open -= 1;
        if tolerated {
            return;
        }
        if failure.reason == Reason::Status && resource.initiator.is_some() {
            failure.detail.push_str(&mend(path));
        }
        self.failure.get_or_insert(failure);
    }

    fn time_out(&mut self, limit: Duration) {
        let open: Vec<usize> = (0..self.resources.len())
            .filter(|index| !self.resources[*index].ended)
            .collect();
        let unfinished: Vec<usize> = open
            .iter()
            .copied()
            .filter(|index| !self.tolerated(*index))
            .collect();
        for index in open {
            let resource = &mut self.resources[index];
            resource.ended = true;
            resource.record.error = Some("not complete when the time limit ran out".to_owned());
        }
        if let Some(first) = unfinished.first() {
            let path = &self.resources[*first].record.path;
            let others = match unfinished.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            let limit_s = limit.as_secs_f64();
            let detail = format!("{path}{others} not complete after {limit_s} s");
            self.failure
                .get_or_insert(Failure::new(Reason::Timeout, detail));
        }
    }

    /// Waits until a session is kept of a page that was loaded.
    async fn keep(&mut self, mut kept: watch::Receiver<u64>) {
        if self.failure.is_some() {
            return;
        }
        let some = kept.wait_for(|sessions| *sessions > 0);
        if tokio::time::timeout(SESSION_PATIENCE, some).await.is_err() {
            let patience_s = SESSION_PATIENCE.as_secs();
            let detail = format!("the server gave no TLS session within {patience_s} s");
            self.failure = Some(Failure::new(Reason::Session, detail));
        }
    }

    fn seconds(&self, at: Instant) -> f64 {
        (at - self.context.started).as_secs_f64()
    }

    /// The fewest round trips before the first request: by the handshake that was asked for unless the
    /// first connection's is known to have cost more.
    fn handshake_round_trips(&self, first: Option<&ConnectionRecord>) -> u32 {
        let target = &self.context.target;
        let resumed = first.and_then(|first| first.resumed) != Some(false);
        // A handshake that is done and tells of no early data had no permission for any.
        let early = first.is_none_or(|first| match first.early_data {
            Some(answer) => answer == EarlyData::Accepted,
            None => first.secured_s.is_none(),
        });
        let handshake = match target.session {
            SessionUse::Early if resumed && early => Handshake::Early,
            SessionUse::Resume | SessionUse::Early if resumed => Handshake::Resumed,
            _ => Handshake::Full,
        };
        target.protocol.handshake_round_trips(target.tls, handshake)
    }

    fn record(self, connections: Vec<ConnectionRecord>) -> PageLoad {
        let handshake = self.handshake_round_trips(connections.first());
        let depth = self
            .resources
            .iter()
            .map(|resource| resource.depth)
            .max()
            .unwrap_or(1);
        // Every chain begins with the document.
        let repeated = self
            .resources
            .first()
            .is_some_and(|document| document.record.too_early_s.is_some());
        let known = self.known;
        let (left_out, left_out_count) = self.left_out.finish(|url| known.contains(url));
        let resources: Vec<_> = self
            .resources
            .into_iter()
            .map(|resource| resource.record)
            .collect();
        let last = resources
            .iter()
            .filter_map(|r| r.last_byte_s)
            .fold(0.0, f64::max);
        PageLoad {
            outcome: if self.failure.is_none() {
                Outcome::Ok
            } else {
                Outcome::Failed
            },
            reason: self.failure.as_ref().map(|failure| failure.reason),
            load_s: self.failure.is_none().then_some(last),
            detail: self.failure.map(|failure| failure.detail),
            started_monotonic_s: monotonic_s(self.context.started.into_std()),
            ttfb_s: resources.first().and_then(|document| document.first_byte_s),
            connect_s: connections
                .first()
                .and_then(|connection| connection.connected_s),
            tls_s: connections
                .first()
                .and_then(|connection| connection.secured_s),
            requests: resources.len(),
            bytes: resources.iter().map(|resource| resource.bytes).sum(),
            failures: resources
                .iter()
                .filter(|resource| resource.error.is_some())
                .count(),
            round_trips: handshake + depth + u32::from(repeated),
            left_out,
            left_out_count,
            connections,
            resources,
        }
    }
}
