//! One navigation: the document, and whatever it turns out to need, until all of it is there.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::time::Duration;

use http::Method;
use pronghorn_flight::monotonic_s;
use pronghorn_http::{Handshake, SessionUse, TlsError};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::time::Instant;
use url::Url;

use crate::discover::{HtmlScanner, Reference, css_references};
use crate::priority::{Place, Priority};
use crate::record::{ConnectionRecord, EarlyData, Kind, Outcome, PageLoad, Reason, ResourceRecord};
use crate::transport::{Context, Event, Failure, Prepared, Report, Target, Transport, Wanted};

/// Loads the page at `document` (a path) with an empty cache. It ends when every resource has ended,
/// or after `limit`, and closes its connections then; one that gains sessions ends a little later, when
/// it has one. Must run inside a `LocalSet`.
///
/// Errors are of the set-up only; whatever the network or the origin does is in the record.
pub async fn load(target: Target, document: &str, limit: Duration) -> Result<PageLoad, LoadError> {
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
    let mut navigation = Navigation::new(&context, &transport, base);
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
    /// Steps of discovery from the document, which is 1.
    depth: u32,
    sheet: Vec<u8>,
    ended: bool,
}

struct Navigation<'a> {
    context: &'a Context,
    transport: &'a Transport,
    base: Url,
    scanner: HtmlScanner,
    resources: Vec<Resource>,
    known: HashSet<String>,
    skipped: Vec<String>,
    images: usize,
    open: usize,
    failure: Option<Failure>,
}

impl<'a> Navigation<'a> {
    fn new(context: &'a Context, transport: &'a Transport, base: Url) -> Self {
        Navigation {
            context,
            transport,
            base,
            scanner: HtmlScanner::new(),
            resources: Vec::new(),
            known: HashSet::new(),
            skipped: Vec::new(),
            images: 0,
            open: 0,
            failure: None,
        }
    }

    fn begin(&mut self, document: Url) {
        self.known.insert(document.to_string());
        self.request(
            None,
            document,
            Kind::Document,
            Place::Free,
            self.context.started,
        );
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
            let base = &self.resources[initiator].url;
            let Ok(mut url) = base.join(reference.url.trim()) else {
                continue;
            };
            url.set_fragment(None);
            if url.scheme() == "data" || !self.known.insert(url.to_string()) {
                continue;
            }
            if url.origin() != self.base.origin() {
                self.skipped.push(url.to_string());
                continue;
            }
            self.request(Some(initiator), url, reference.kind, reference.place, at);
        }
    }

    fn request(
        &mut self,
        initiator: Option<usize>,
        url: Url,
        kind: Kind,
        place: Place,
        at: Instant,
    ) {
        let priority = Priority::of(kind, place, self.images);
        self.images += usize::from(kind == Kind::Image);
        let path = url[url::Position::BeforePath..].to_owned();
        let parent = initiator.map(|index| &self.resources[index]);
        let depth = parent.map_or(1, |parent| parent.depth + 1);
        let method = match initiator {
            None => self.context.target.method.clone(),
            Some(_) => Method::GET,
        };
        let record = ResourceRecord {
            method: method.to_string(),
            path: path.clone(),
            kind,
            initiator: parent.map(|parent| parent.record.path.clone()),
            priority,
            protocol: None,
            status: None,
            bytes: 0,
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
            url,
            depth,
            sheet: Vec::new(),
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
            Event::Head { protocol, status } => {
                resource.record.protocol = protocol;
                resource.record.status = Some(status);
                resource.record.first_byte_s = Some(at_s);
            }
            Event::Data(bytes) => {
                resource.record.bytes += bytes.len() as u64;
                match resource.record.kind {
                    Kind::Document => {
                        let found = self.scanner.push(&bytes);
                        self.discover(index, found, at);
                    }
                    Kind::Style => resource.sheet.extend_from_slice(&bytes),
                    _ => {}
                }
            }
            Event::End => self.end(index, at),
            Event::Failed(failure) => self.fail(index, failure),
        }
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
        if !(200..300).contains(&status) {
            let detail = format!("{} was answered {status}", resource.record.path);
            return self.fail(index, Failure::new(Reason::Status, detail));
        }
        resource.ended = true;
        self.open -= 1;
        let sheet = std::mem::take(&mut resource.sheet);
        let found = match resource.record.kind {
            Kind::Document => self.scanner.end(),
            Kind::Style => css_references(&String::from_utf8_lossy(&sheet)),
            _ => Vec::new(),
        };
        self.discover(index, found, at);
    }

    fn fail(&mut self, index: usize, failure: Failure) {
        let resource = &mut self.resources[index];
        resource.ended = true;
        resource.record.error = Some(failure.detail.clone());
        self.open -= 1;
        self.failure.get_or_insert(failure);
    }

    fn time_out(&mut self, limit: Duration) {
        let unfinished = self.open;
        for resource in self.resources.iter_mut().filter(|resource| !resource.ended) {
            resource.ended = true;
            resource.record.error = Some("not complete when the time limit ran out".to_owned());
        }
        let detail = format!(
            "{unfinished} resources not complete after {} s",
            limit.as_secs_f64()
        );
        self.failure
            .get_or_insert(Failure::new(Reason::Timeout, detail));
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
            skipped: self.skipped,
            connections,
            resources,
        }
    }
}
