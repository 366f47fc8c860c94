//! One navigation: the document, and whatever it turns out to need, until all of it is there.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use http::Method;
use pronghorn_http::TlsError;
use pronghorn_page::{Kind, Place, Role};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::time::Instant;
use url::Url;

use crate::budget::{Budget, MOST_RESOURCES};
use crate::contents::{Content, Frame};
use crate::host::OwnHost;
use crate::left_out::LeftOuts;
use crate::noted::About;
use crate::priority::Priority;
use crate::record::{PageLoad, Reason, ResourceRecord};
use crate::tolerate::Tolerate;
use crate::transport::{Context, Event, Failure, Prepared, Report, Target, Transport, Wanted};

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
    /// A recorded page's request names a host of which nothing is said.
    #[error("a recorded request is for the host `{0}`, of which `hosts` says nothing")]
    UnknownHost(String),
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
pub(crate) struct Resource {
    pub(crate) record: ResourceRecord,
    pub(crate) url: Url,
    pub(crate) initiator: Option<usize>,
    pub(crate) place: Place,
    /// Steps of discovery from the document, which is 1.
    pub(crate) depth: u32,
    /// Redirects that led here.
    pub(crate) hops: usize,
    pub(crate) content: Content,
    pub(crate) ended: bool,
}

/// Waits until a session is kept; the failure where none comes.
pub(crate) async fn missing_session(mut kept: watch::Receiver<u64>) -> Option<Failure> {
    let some = kept.wait_for(|sessions| *sessions > 0);
    if tokio::time::timeout(SESSION_PATIENCE, some).await.is_ok() {
        return None;
    }
    let patience_s = SESSION_PATIENCE.as_secs();
    let detail = format!("the server gave no TLS session within {patience_s} s");
    Some(Failure::new(Reason::Session, detail))
}

/// What is to be asked for.
pub(crate) struct Asked {
    pub(crate) url: Url,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
    pub(crate) initiator: Option<usize>,
    pub(crate) depth: u32,
    pub(crate) hops: usize,
    pub(crate) content: Content,
}

/// What to write where a request may fail, as a sentence's end.
fn mend(path: &str) -> String {
    let glob = match path.split_once('?') {
        Some((path, _)) => format!("{path}*"),
        None => path.to_owned(),
    };
    format!("; if it may fail, write tolerate = [{glob:?}] in the experiment")
}

/// The load while it goes on.
pub(crate) struct Navigation<'a> {
    pub(crate) context: &'a Context,
    transport: &'a Transport,
    pub(crate) own: OwnHost,
    tolerate: Tolerate,
    /// The page's document and those in its frames, in the order in which they began to come.
    pub(crate) frames: Vec<Frame>,
    pub(crate) resources: Vec<Resource>,
    /// What was asked for, and as which resource; of one that was redirected the last.
    pub(crate) known: HashMap<Url, usize>,
    pub(crate) left_out: LeftOuts,
    pub(crate) budget: Budget,
    images: usize,
    open: usize,
    pub(crate) failure: Option<Failure>,
}

impl<'a> Navigation<'a> {
    fn new(context: &'a Context, transport: &'a Transport, base: Url, tolerate: Tolerate) -> Self {
        Navigation {
            context,
            transport,
            own: OwnHost::new(base),
            tolerate,
            frames: Vec::new(),
            resources: Vec::new(),
            known: HashMap::new(),
            left_out: LeftOuts::default(),
            budget: Budget::default(),
            images: 0,
            open: 0,
            failure: None,
        }
    }

    fn begin(&mut self, document: Url) {
        let asked = Asked {
            url: document,
            kind: Kind::Document,
            place: Place::Free,
            initiator: None,
            depth: 1,
            hops: 0,
            content: Content::new(Role::Frame, None),
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

    /// Makes a request.
    pub(crate) fn request(&mut self, asked: Asked, method: Method, at: Instant) {
        if self.resources.len() == MOST_RESOURCES {
            let detail = format!(
                "the page asks for more than {MOST_RESOURCES} resources, of which {} is one too many",
                OwnHost::path(&asked.url)
            );
            return self.too_large(detail);
        }
        let priority = Priority::of(asked.kind, asked.place, self.images);
        self.images += usize::from(asked.kind == Kind::Image);
        let path = OwnHost::path(&asked.url);
        let initiator = asked
            .initiator
            .map(|index| self.resources[index].record.path.clone());
        let about = About {
            method: method.to_string(),
            path: path.clone(),
            kind: asked.kind,
            initiator,
            priority,
        };
        let record = ResourceRecord::new(about, self.seconds(at));
        let resource = self.resources.len();
        self.resources.push(Resource {
            record,
            url: asked.url.clone(),
            initiator: asked.initiator,
            place: asked.place,
            depth: asked.depth,
            hops: asked.hops,
            content: asked.content,
            ended: false,
        });
        self.known.insert(asked.url, resource);
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
        resource.record.note(&event, at_s);
        match event {
            Event::Sent { .. } | Event::TooEarly | Event::Due => {}
            Event::Head(head) => self.head(index, &head, at),
            Event::Data(bytes) => self.read(index, &bytes, at),
            Event::End => self.end(index, at),
            Event::Failed(failure) => self.fail(index, failure, at),
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
            return self.fail(index, Failure::new(Reason::Protocol, detail), at);
        }
        if !(200..400).contains(&status) {
            let detail = format!("{} was answered {status}", resource.record.path);
            return self.fail(index, Failure::new(Reason::Status, detail), at);
        }
        self.read_rest(index, at);
        if !self.resources[index].ended {
            self.resources[index].ended = true;
            self.open -= 1;
            self.whole(index, at);
        }
    }

    /// Whether a resource's failure is its own and not the load's; the document's never is.
    fn tolerated(&self, index: usize) -> bool {
        let resource = &self.resources[index];
        resource.initiator.is_some() && self.tolerate.allows(&resource.record.path)
    }

    pub(crate) fn fail(&mut self, index: usize, failure: Failure, at: Instant) {
        let tolerated = self.tolerated(index) && failure.reason != Reason::Protocol;
        let resource = &mut self.resources[index];
        resource.ended = true;
        let path = &resource.record.path;
        let mut failure = failure;
        if !failure.detail.contains(path.as_str()) {
            failure.detail = format!("{path}: {}", failure.detail);
        }
        resource.record.error = Some(failure.detail.clone());
        self.open -= 1;
        if !tolerated {
            if failure.reason == Reason::Status && resource.initiator.is_some() {
                failure.detail.push_str(&mend(path));
            }
            self.failure.get_or_insert(failure);
        }
        self.give_up(index, at);
    }

    /// Fails the load for more than its bounds allow, of which `detail` tells.
    pub(crate) fn too_large(&mut self, detail: String) {
        self.failure
            .get_or_insert(Failure::new(Reason::TooLarge, detail));
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
            let failure = Failure::timeout(path, unfinished.len() - 1, limit);
            self.failure.get_or_insert(failure);
        }
    }

    /// Waits until a session is kept of a page that was loaded.
    async fn keep(&mut self, kept: watch::Receiver<u64>) {
        if self.failure.is_none() {
            self.failure = missing_session(kept).await;
        }
    }

    pub(crate) fn seconds(&self, at: Instant) -> f64 {
        (at - self.context.started).as_secs_f64()
    }
}
