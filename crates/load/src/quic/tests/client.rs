//! What drives a connection in a test, as a worker does.

use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Method};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use pronghorn_http::{
    ClientTlsOptions, Protocol, QuicCongestionControl, SessionUse, Sessions, TlsVersion,
    TransportKnobs, client_tls,
};

use super::super::{QuicClient, QuicConnection};
use super::server::{Certificate, HOST_NAME};
use crate::connection::{Connection, Ending, Event, FailureKind, Stream, Ticket};
use crate::content::Content;
use crate::endpoint::{Endpoint, Place};
use crate::prepared::Prepared;

/// Long enough for the slowest machine; no test waits for it unless it fails.
const AMPLE: Duration = Duration::from_secs(60);

/// The most that a test waits before it looks again.
const LOOK: Duration = Duration::from_millis(50);

/// TLS that trusts a certificate.
pub(super) fn tls(certificate: &Certificate) -> rustls::ClientConfig {
    let options = ClientTlsOptions {
        ca: Some(certificate.path()),
        insecure: false,
        protocol: Protocol::H3,
        version: TlsVersion::Tls13,
        offer: TransportKnobs::default().offer(),
        session: SessionUse::Cold,
    };
    let tls = client_tls(&options, &Sessions::default());
    tls.expect("usable TLS").config
}

/// What makes connections with so many requests at a time.
pub(super) fn client(
    tls: rustls::ClientConfig,
    server: SocketAddr,
    streams: u32,
) -> Arc<QuicClient> {
    let endpoint = Endpoint {
        protocol: Protocol::H3,
        place: Place::Internet(server),
        server_name: HOST_NAME.try_into().expect("a name"),
        tls: None,
        streams,
        tcp: None,
        quic: QuicCongestionControl::Cubic,
        knobs: TransportKnobs::default(),
    };
    let client = QuicClient::new(&endpoint, tls);
    Arc::new(client.expect("a client"))
}

/// A connection and all that it told.
pub(super) struct Driven {
    pub(super) connection: QuicConnection,
    pub(super) events: Vec<Event>,
}

impl Driven {
    pub(super) fn open(client: &Arc<QuicClient>) -> Driven {
        let connection = QuicConnection::open(client, Instant::now()).expect("a socket");
        Driven {
            connection,
            events: Vec::new(),
        }
    }

    /// One that a server takes requests on.
    pub(super) fn connected(certificate: &Certificate, server: SocketAddr, streams: u32) -> Driven {
        let mut driven = Driven::open(&client(tls(certificate), server, streams));
        driven.until(|driven| driven.connection.room() > 0);
        driven
    }

    /// Hands over a request; its stream.
    pub(super) fn ask(&mut self, ticket: Ticket, request: &Prepared) -> Stream {
        assert!(self.connection.room() > 0, "no room for {ticket}");
        self.connection.send(ticket, request, Instant::now())
    }

    /// Makes so many requests, as many at a time as there is room for, and waits until all are over.
    pub(super) fn ask_for(&mut self, requests: Ticket) {
        let request = get();
        let mut asked = 0;
        self.until(|driven| {
            while asked < requests && driven.connection.room() > 0 {
                driven.ask(asked, &request);
                asked += 1;
            }
            driven.over() == requests as usize
        });
    }

    /// Goes on until something has happened.
    pub(super) fn until(&mut self, mut happened: impl FnMut(&mut Driven) -> bool) {
        let begun = Instant::now();
        while !happened(self) {
            let now = Instant::now();
            assert!(now - begun < AMPLE, "only this: {:?}", self.events);
            self.connection.flush(now, &mut self.events);
            self.wait(now);
            let now = Instant::now();
            while self.connection.readable(now, &mut self.events) {}
            if self.connection.deadline().is_some_and(|due| due <= now) {
                self.connection.expire(now, &mut self.events);
            }
        }
    }

    fn wait(&self, now: Instant) {
        let due = self.connection.deadline();
        let wait = due.map_or(LOOK, |due| due.saturating_duration_since(now).min(LOOK));
        // SAFETY: the connection keeps its socket open meanwhile.
        let socket = unsafe { BorrowedFd::borrow_raw(self.connection.descriptor()) };
        let timeout = PollTimeout::try_from(wait).expect("it is short");
        poll(&mut [PollFd::new(socket, PollFlags::POLLIN)], timeout).expect("a socket");
    }

    /// Requests that are over.
    pub(super) fn over(&self) -> usize {
        let over = |event: &&Event| {
            matches!(
                event,
                Event::Done { .. } | Event::Failed { .. } | Event::Refused(_)
            )
        };
        self.events.iter().filter(over).count()
    }

    pub(super) fn done(&self) -> Vec<Ticket> {
        let done = self.events.iter().filter_map(|event| match event {
            Event::Done { ticket, .. } => Some(*ticket),
            _ => None,
        });
        done.collect()
    }

    pub(super) fn refused(&self) -> Vec<Ticket> {
        let refused = self.events.iter().filter_map(|event| match event {
            Event::Refused(ticket) => Some(*ticket),
            _ => None,
        });
        refused.collect()
    }

    pub(super) fn failed(&self, wanted: FailureKind) -> Vec<Ticket> {
        let failed = self.events.iter().filter_map(|event| match event {
            Event::Failed { ticket, kind, .. } if *kind == wanted => Some(*ticket),
            _ => None,
        });
        failed.collect()
    }

    /// How it came to its end, for which it waits.
    pub(super) fn ending(&mut self) -> &Ending {
        self.until(|driven| matches!(driven.events.last(), Some(Event::Closed(_))));
        match self.events.last() {
            Some(Event::Closed(ending)) => ending,
            _ => unreachable!("it was just there"),
        }
    }
}

/// A request for the front page.
pub(super) fn get() -> Prepared {
    request(Method::GET, Bytes::new())
}

pub(super) fn request(method: Method, body: Bytes) -> Prepared {
    let uri = format!("https://{HOST_NAME}/").parse().expect("a URI");
    let content = Content::Memory(body);
    Prepared::new(Protocol::H3, method, &uri, HeaderMap::new(), content).expect("a request")
}
