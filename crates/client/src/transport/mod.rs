//! How requests travel: one transport a protocol, each a set of tasks that report events.

mod h1;
mod h2;
mod h3;
mod secure;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;

use bytes::Bytes;
use pronghorn_http::{CongestionControl, Protocol, TlsError};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use crate::priority::Priority;
use crate::record::{ConnectionRecord, Reason};

/// Where the origin is and how to speak with it.
#[derive(Debug, Clone)]
pub struct Target {
    /// The origin's address and port.
    pub address: SocketAddr,
    /// Its name in TLS and in requests.
    pub host_name: String,
    /// PEM file of the only CA to trust.
    pub ca: PathBuf,
    /// The protocol to speak.
    pub protocol: Protocol,
    /// Congestion control of the client's end.
    pub congestion_control: CongestionControl,
}

impl Target {
    /// Name, and port unless it is the scheme's own, as requests carry it (RFC 9110 §7.2).
    fn authority(&self) -> String {
        match self.address.port() {
            443 => self.host_name.clone(),
            port => format!("{}:{port}", self.host_name),
        }
    }
}

/// A request to be made: its resource's index, where and how urgent.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) resource: usize,
    pub(crate) path: String,
    pub(crate) priority: Priority,
}

/// What happened to a resource, with the time at which it did.
#[derive(Debug)]
pub(crate) enum Event {
    Sent {
        connection: usize,
    },
    Head {
        protocol: Option<Protocol>,
        status: u16,
    },
    Data(Bytes),
    End,
    Failed(Failure),
}

/// Why a resource could not be had.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) reason: Reason,
    pub(crate) detail: String,
}

impl Failure {
    pub(crate) fn new(reason: Reason, detail: impl ToString) -> Self {
        Failure {
            reason,
            detail: detail.to_string(),
        }
    }
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
            protocol: self.target.protocol,
            alpn: None,
            start_s: self.now_s(),
            connected_s: None,
            secured_s: None,
            tls_version: None,
            cipher: None,
            congestion_control: None,
        });
        connections.len() - 1
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
        let authority = self.target.authority();
        let uri = match version {
            http::Version::HTTP_11 => wanted.path.clone(),
            _ => format!("https://{authority}{}", wanted.path),
        };
        let mut request = http::Request::get(uri)
            .version(version)
            .header(
                http::header::USER_AGENT,
                concat!("pronghorn/", env!("CARGO_PKG_VERSION")),
            )
            .header(http::header::ACCEPT, "*/*");
        if version == http::Version::HTTP_11 {
            request = request.header(http::header::HOST, authority);
        } else if let Some(priority) = wanted.priority.header() {
            request = request.header("priority", priority);
        }
        request
            .body(())
            .map_err(|error| Failure::new(Reason::Incomplete, error))
    }
}

/// One of the three transports, ready to take requests.
pub(crate) enum Transport {
    H1(h1::Pool),
    Multiplexed(UnboundedSender<Wanted>),
}

impl Transport {
    /// Begins with the connection at once.
    pub(crate) fn start(context: Context) -> Result<Transport, TlsError> {
        let tls = pronghorn_http::client_tls(&context.target.ca, context.target.protocol)?;
        Ok(match context.target.protocol {
            Protocol::H1 => Transport::H1(h1::Pool::new(context, tls)),
            Protocol::H2 => Transport::Multiplexed(h2::start(context, tls)),
            Protocol::H3 => Transport::Multiplexed(h3::start(context, tls)?),
        })
    }

    /// Takes a request; what becomes of it comes as events.
    pub(crate) fn submit(&self, wanted: Wanted) {
        match self {
            Transport::H1(pool) => pool.submit(wanted),
            // The receiving task lives as long as the sender.
            Transport::Multiplexed(requests) => drop(requests.send(wanted)),
        }
    }
}
