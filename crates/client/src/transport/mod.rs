//! How requests travel: one transport a protocol, each a set of tasks that report events.

mod failure;
mod h1;
mod h2;
mod h3;
mod migration;
mod multiplexed;
mod over_quinn;
mod over_s2n;
mod response;
mod secure;
mod watched;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};
use pronghorn_http::{
    ClientTlsOptions, CongestionControl, Protocol, QuicOptions, QuicStack, QuicWatch, SecretLog,
    SessionUse, Sessions, Settings, TlsError, TlsVersion, TransportKnobs,
};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::priority::Priority;
use crate::record::{ConnectionRecord, Reason};

pub(crate) use failure::Failure;

/// Where the origin is and how to speak with it.
#[derive(Debug, Clone)]
pub struct Target {
    /// The origin's address and port.
    pub address: SocketAddr,
    /// Its name in TLS and in requests.
    pub host_name: String,
    /// The method of the document's request; what the document needs is asked for with GET.
    pub method: Method,
    /// PEM file of the only CA to trust; none: those of the system.
    pub ca: Option<PathBuf>,
    /// The protocol to speak.
    pub protocol: Protocol,
    /// The version of TLS to offer.
    pub tls: TlsVersion,
    /// What becomes of TLS sessions.
    pub session: SessionUse,
    /// Where sessions are kept from one load to the next.
    pub sessions: Arc<Sessions>,
    /// What carries HTTP/3.
    pub quic_stack: QuicStack,
    /// Congestion control of the client's end.
    pub congestion_control: CongestionControl,
    /// What else is asked of the client's end; those of other transports than the protocol's are without effect.
    pub knobs: TransportKnobs,
    /// Where the connections leave their TLS secrets; none: nowhere.
    pub secrets: Option<Arc<SecretLog>>,
    /// How its QUIC connections are watched.
    pub quic_watch: QuicWatch,
}

impl Target {
    /// How QUIC connections are to be.
    fn quic_options(&self) -> QuicOptions {
        QuicOptions {
            congestion_control: self.congestion_control.quic,
            knobs: self.knobs,
            watch: self.quic_watch.clone(),
        }
    }

    /// The name, or that of another `host` there, and the port unless it is the scheme's own, as requests carry it
    /// (RFC 9110 §7.2).
    fn authority(&self, host: Option<&str>) -> String {
        let host = host.unwrap_or(&self.host_name);
        match self.address.port() {
            443 => host.to_owned(),
            port => format!("{host}:{port}"),
        }
    }
}

/// A request to be made: its resource's index, what is asked for and how urgently.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    resource: usize,
    method: Method,
    path: String,
    priority: Priority,
    /// The host that is asked, where it may be another than the connection was opened for.
    host: Option<Rc<str>>,
    /// Headers beside those that every request has, or in their place.
    headers: HeaderMap,
    content: Bytes,
    /// The connection whose server refused it unread: it is made once more, elsewhere.
    refused_by: Option<usize>,
}

impl Wanted {
    pub(crate) fn new(resource: usize, method: Method, path: String, priority: Priority) -> Self {
        Wanted {
            resource,
            method,
            path,
            priority,
            host: None,
            headers: HeaderMap::new(),
            content: Bytes::new(),
            refused_by: None,
        }
    }

    /// A request of this host, with these headers and this content.
    pub(crate) fn of_host(self, host: Rc<str>, headers: HeaderMap, content: Bytes) -> Self {
        Wanted {
            host: Some(host),
            headers,
            content,
            ..self
        }
    }
}

/// What happened to a resource, with the time at which it did.
#[derive(Debug)]
pub(crate) enum Event {
    Sent {
        connection: usize,
    },
    /// The server doesn't take it as early data; it is made again.
    TooEarly,
    Head(Box<Head>),
    Data(Bytes),
    End,
    Failed(Failure),
    /// It is time to ask for it.
    Due,
}

/// A response's head.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) protocol: Option<Protocol>,
    pub(crate) status: u16,
    headers: HeaderMap,
}

impl Head {
    fn new(protocol: Option<Protocol>, status: http::StatusCode, headers: HeaderMap) -> Head {
        Head {
            protocol,
            status: status.as_u16(),
            headers,
        }
    }

    /// A header's values, joined as one list (RFC 9110 §5.3); empty where there is none. Bytes beyond ASCII are
    /// replaced where they aren't UTF-8.
    pub(crate) fn header(&self, name: &str) -> String {
        let values = self.headers.get_all(name);
        let values = values
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()));
        values.collect::<Vec<_>>().join(", ")
    }
}

/// What a server said to a request.
enum Answer {
    /// A response, which was reported to its end.
    Response,
    /// 425 to early data (RFC 8470 §5.2): the request is to be made again, once, after the handshake.
    TooEarly,
}

/// An event of one resource.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) resource: usize,
    pub(crate) at: Instant,
    pub(crate) event: Event,
}

/// What the tasks of a transport share.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) target: Rc<Target>,
    pub(crate) started: Instant,
    pub(crate) connections: Rc<RefCell<Vec<ConnectionRecord>>>,
    pub(crate) reports: UnboundedSender<Report>,
}

/// Methods that are expected to bring content, so that a request without any says so (RFC 9110 §8.6).
const WITH_CONTENT: [Method; 3] = [Method::POST, Method::PUT, Method::PATCH];

/// The content codings that Chromium asks for over TLS, as it writes them.
const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";

impl Context {
    /// Seconds since the navigation began.
    fn now_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Enters a new connection into the record and returns its index.
    fn open_connection(&self) -> usize {
        let mut connections = self.connections.borrow_mut();
        connections.push(ConnectionRecord {
            host: self.target.host_name.clone(),
            protocol: self.target.protocol,
            alpn: None,
            start_s: self.now_s(),
            connected_s: None,
            secured_s: None,
            tls_version: None,
            cipher: None,
            key_exchange: None,
            congestion_controller: None,
            udp_receive_buffer: None,
            settings: Settings::default(),
            resumed: None,
            early_data: None,
            migrations: Vec::new(),
        });
        connections.len() - 1
    }

    /// Whether a connection's handshake was ever done.
    fn connected(&self, connection: usize) -> bool {
        self.connections.borrow()[connection].connected_s.is_some()
    }

    /// Whether a connection's TLS handshake is done; before, what is sent goes as early data.
    fn secured(&self, connection: usize) -> bool {
        self.connections.borrow()[connection].secured_s.is_some()
    }

    fn update(&self, connection: usize, change: impl FnOnce(&mut ConnectionRecord)) {
        change(&mut self.connections.borrow_mut()[connection]);
    }

    fn report(&self, resource: usize, event: Event) {
        // The navigation may be over (a time-out): then nobody needs to know.
        let _ = self.reports.send(Report {
            resource,
            at: Instant::now(),
            event,
        });
    }

    fn request(
        &self,
        wanted: &Wanted,
        version: http::Version,
    ) -> Result<http::Request<()>, Failure> {
        let authority = self.target.authority(wanted.host.as_deref());
        let uri = match version {
            http::Version::HTTP_11 => wanted.path.clone(),
            _ => format!("https://{authority}{}", wanted.path),
        };
        let mut request = http::Request::builder()
            .method(wanted.method.clone())
            .uri(uri)
            .version(version)
            .header(
                http::header::USER_AGENT,
                concat!("pronghorn/", env!("CARGO_PKG_VERSION")),
            )
            .header(http::header::ACCEPT, "*/*")
            .header(http::header::ACCEPT_ENCODING, ACCEPT_ENCODING);
        if version == http::Version::HTTP_11 {
            request = request.header(http::header::HOST, authority);
        } else if let Some(priority) = wanted.priority.header() {
            request = request.header("priority", priority);
        }
        if WITH_CONTENT.contains(&wanted.method) || !wanted.content.is_empty() {
            request = request.header(http::header::CONTENT_LENGTH, wanted.content.len());
        }
        let request = request.body(());
        let mut request = request.map_err(|error| Failure::new(Reason::Incomplete, error))?;
        request.headers_mut().extend(wanted.headers.clone());
        Ok(request)
    }
}

/// A transport that has all it needs from its own host, and has sent nothing yet: so no arm's set-up
/// counts as its network's.
pub(crate) struct Prepared {
    stack: Stack,
    kept: Option<watch::Receiver<u64>>,
}

enum Stack {
    H1(Arc<rustls::ClientConfig>),
    H2(Arc<rustls::ClientConfig>),
    H3OverQuinn(Box<over_quinn::Quinn>),
    H3OverS2n(Box<over_s2n::S2n>),
}

impl Prepared {
    /// Reads the CA, and binds QUIC's socket. Must be called inside a tokio runtime.
    pub(crate) fn new(target: &Target) -> Result<Prepared, TlsError> {
        let options = ClientTlsOptions {
            ca: target.ca.clone(),
            insecure: false,
            protocol: target.protocol,
            version: target.tls,
            offer: target.knobs.offer(),
            session: target.session,
        };
        let mut tls = pronghorn_http::client_tls(&options, &target.sessions)?;
        if let Some(secrets) = &target.secrets {
            tls.config.key_log = secrets.clone();
        }
        Ok(Prepared {
            kept: tls.kept(),
            stack: match (target.protocol, target.quic_stack) {
                (Protocol::H1, _) => Stack::H1(Arc::new(tls.config)),
                (Protocol::H2, _) => Stack::H2(Arc::new(tls.config)),
                (Protocol::H3, QuicStack::Quinn) => {
                    Stack::H3OverQuinn(Box::new(over_quinn::Quinn::new(tls, target)?))
                }
                (Protocol::H3, QuicStack::S2n) => {
                    Stack::H3OverS2n(Box::new(over_s2n::S2n::new(tls, target)?))
                }
            },
        })
    }

    /// How many sessions are kept; none where none is to be.
    pub(crate) fn kept(&self) -> Option<watch::Receiver<u64>> {
        self.kept.clone()
    }

    /// Begins with the connection at once.
    pub(crate) fn start(self, context: Context) -> Transport {
        match self.stack {
            Stack::H1(tls) => Transport::H1(h1::Pool::new(context, tls)),
            Stack::H2(tls) => Transport::H2(multiplexed::start(context, h2::H2 { tls })),
            Stack::H3OverQuinn(h3) => {
                let endpoint = h3.endpoint();
                Transport::H3(multiplexed::start(context, *h3), endpoint)
            }
            Stack::H3OverS2n(h3) => {
                let endpoint = h3.endpoint();
                Transport::H3(multiplexed::start(context, *h3), endpoint)
            }
        }
    }
}

/// One of the three transports, ready to take requests.
pub(crate) enum Transport {
    H1(h1::Pool),
    H2(UnboundedSender<Wanted>),
    H3(UnboundedSender<Wanted>, h3::Endpoint),
}

impl Transport {
    /// Takes a request; what becomes of it comes as events.
    pub(crate) fn submit(&self, wanted: Wanted) {
        match self {
            Transport::H1(pool) => pool.submit(wanted),
            // The receiving task lives as long as the sender.
            Transport::H2(requests) | Transport::H3(requests, _) => drop(requests.send(wanted)),
        }
    }

    /// Enters into the record how connections are set up of which that may change while they are used: QUIC's.
    pub(crate) fn read_settings(&self, context: &Context) {
        if let Transport::H3(_, endpoint) = self {
            endpoint.read_settings(context);
        }
    }

    /// Closes what the kernel doesn't close by itself when the page loader ends: QUIC's connections, whose server would
    /// else go on probing for acknowledgements.
    pub(crate) async fn close(self, session: SessionUse) {
        if let Transport::H3(requests, endpoint) = self {
            drop(requests);
            endpoint.close(session).await;
        }
    }
}
