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
mod target;
mod wanted;
mod watched;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use pronghorn_http::{ClientTlsOptions, Protocol, QuicStack, SessionUse, Settings, TlsError};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::record::ConnectionRecord;

pub(crate) use failure::Failure;
pub use target::Target;
pub(crate) use wanted::Wanted;

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
