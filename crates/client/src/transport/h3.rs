//! HTTP/3 over quinn.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use http::StatusCode;
use pronghorn_flight::End;
use pronghorn_http::h3::{ClientConnection, H3Error};
use pronghorn_http::{
    ClientTls, HandshakeProbes, Protocol, QuicCongestionControl, QuicOptions, QuicReader,
    QuicSocket, SessionUse, Settings, TlsError, TlsVersion, UdpError,
};
use tokio::sync::watch;

use super::failure::connection_reason;
use super::migration::{Watch, local_address};
use super::multiplexed::Connector;
use super::{Answer, Context, Event, Failure, Head, Target, Wanted};
use crate::record::{EarlyData, Reason};

/// Opens HTTP/3 connections.
pub(crate) struct H3 {
    endpoint: quinn::Endpoint,
    probes: HandshakeProbes,
    config: quinn::ClientConfig,
    options: QuicOptions,
    tls: ClientTls,
    receive_buffer: usize,
    reader: QuicReader,
    /// Until the first connection is opened.
    watch: Cell<Option<Watch>>,
    opened: Connections,
}

/// Connections by their indices in the record.
type Connections = Rc<RefCell<Vec<(usize, quinn::Connection)>>>;

impl H3 {
    /// Binds a socket. Must be called inside a tokio runtime.
    pub(super) fn new(tls: ClientTls, target: &Target) -> Result<H3, TlsError> {
        let options = target.quic_options();
        let config = pronghorn_http::client_quic_config(tls.config.clone(), &options)?;
        let socket = bind(target)?;
        let (endpoint, probes) = pronghorn_http::client_endpoint(config.clone(), &socket)?;
        Ok(H3 {
            endpoint,
            probes,
            config,
            options,
            tls,
            receive_buffer: socket.receive_buffer(),
            reader: QuicReader::new(target.knobs, socket),
            watch: Cell::new(Some(Watch::new(target.address)?)),
            opened: Rc::default(),
        })
    }

    /// What outlives the requests.
    pub(super) fn endpoint(&self) -> Endpoint {
        Endpoint {
            endpoint: self.endpoint.clone(),
            reader: self.reader.clone(),
            opened: self.opened.clone(),
        }
    }

    /// Begins with a connection.
    fn connect(&self, target: &Target) -> Result<quinn::Connecting, quinn::ConnectError> {
        let (address, name) = (target.address, &target.host_name);
        match pronghorn_http::logged_client_config(&self.config, &self.options) {
            Some(config) => self.endpoint.connect_with(config, address, name),
            None => self.endpoint.connect(address, name),
        }
    }

    /// Accompanies a connection, keeps it among those that migrate, and records what it does where that is asked for.
    fn follow(&self, context: &Context, index: usize, connection: &quinn::Connection) {
        if let Some(recorder) = &context.target.quic_watch.flight {
            if let Some(local) = self.local_address(connection) {
                let (connection, recorder) = (connection.clone(), recorder.clone());
                let end = End::Client;
                let recording = pronghorn_http::record_flight(connection, local, end, recorder);
                tokio::task::spawn_local(recording);
            }
        }
        let accompanied = self.probes.clone().accompany(connection.clone());
        tokio::task::spawn_local(accompanied);
        self.opened.borrow_mut().push((index, connection.clone()));
        if let Some(watch) = self.watch.take() {
            let (context, endpoint) = (context.clone(), self.endpoint.clone());
            tokio::task::spawn_local(migrate(context, endpoint, watch, self.opened.clone()));
        }
    }

    /// The client's end of a connection: the socket is bound to no address of the host's.
    fn local_address(&self, connection: &quinn::Connection) -> Option<SocketAddr> {
        let bound = self.endpoint.local_addr().ok()?;
        let ip = local_address(connection.remote_address());
        Some(SocketAddr::new(ip.unwrap_or(bound.ip()), bound.port()))
    }
}

/// How long the connections' closing may take to be sent. The runtime ends with the load, and with it whatever waits in it.
const FAREWELL: Duration = Duration::from_millis(5);

/// How long it may take to be over, in a load after which another one is measured.
const LONG_FAREWELL: Duration = Duration::from_secs(3);

/// A socket for connections to the target.
fn bind(target: &Target) -> Result<QuicSocket, UdpError> {
    let local = pronghorn_http::any_local(target.address);
    let socket = pronghorn_http::bind_udp(local, &target.knobs)?;
    Ok(QuicSocket::new(socket)?)
}

/// The socket and what goes over it.
pub(crate) struct Endpoint {
    endpoint: quinn::Endpoint,
    reader: QuicReader,
    opened: Connections,
}

impl Endpoint {
    /// Enters into the record how the connections are set up now.
    pub(super) fn read_settings(&self, context: &Context) {
        for (index, connection) in self.opened.borrow().iter() {
            let settings = Settings::Quic(self.reader.read(connection));
            context.update(*index, |record| record.settings = settings);
        }
    }

    /// Tells the server that the connections are no longer needed (RFC 9114 §5.2). A load that gains sessions waits
    /// besides until none of them can be heard of any more (RFC 9000 §10.2).
    pub(super) async fn close(&self, session: SessionUse) {
        self.endpoint.close(pronghorn_http::h3::no_error(), b"");
        let at_most = match session {
            SessionUse::Gain => LONG_FAREWELL,
            _ => FAREWELL,
        };
        // What isn't over by then ends with the socket.
        let _ = tokio::time::timeout(at_most, self.endpoint.wait_idle()).await;
    }
}

/// A connection, and whether its handshake is done, before which requests may go as early data.
#[derive(Clone)]
pub(super) struct Opened {
    http: ClientConnection,
    settled: watch::Receiver<bool>,
}

impl Opened {
    /// Waits for the handshake's end, or the connection's.
    async fn settle(&self) {
        // The sender goes only once it has said so.
        let _ = self.settled.clone().wait_for(|settled| *settled).await;
    }
}

impl Connector for H3 {
    type Connection = Opened;

    async fn open(&self, context: &Context) -> Result<(usize, Opened), Failure> {
        let target = &context.target;
        let index = context.open_connection();
        context.update(index, |record| {
            record.udp_receive_buffer = Some(self.receive_buffer);
        });
        let certificates = self.tls.certificates();
        let connecting = self
            .connect(target)
            .map_err(|error| Failure::new(Reason::Connect, error))?;
        let (tell, settled) = watch::channel(false);
        let connecting = match target.session {
            SessionUse::ZeroRtt => match connecting.into_0rtt() {
                Ok((quic, answer)) => {
                    self.follow(context, index, &quic);
                    let http = ClientConnection::start(quic.clone());
                    let (context, tls) = (context.clone(), self.tls.clone());
                    let opened = Opened {
                        http: http.clone(),
                        settled,
                    };
                    tokio::task::spawn_local(async move {
                        let accepted = answer.await;
                        if quic.close_reason().is_none() {
                            let resumed = tls.certificates() == certificates;
                            secured(&context, index, &quic, &tls, resumed);
                            let answer = match accepted {
                                true => EarlyData::Accepted,
                                false => EarlyData::Rejected,
                            };
                            context.update(index, |record| record.early_data = Some(answer));
                            if !accepted {
                                http.reopen();
                            }
                        }
                        // Nobody may be waiting any more.
                        let _ = tell.send(true);
                    });
                    return Ok((index, opened));
                }
                Err(connecting) => connecting,
            },
            _ => connecting,
        };
        let quic = connecting
            .await
            .map_err(|error| Failure::new(connection_reason(&error, Reason::Connect), error))?;
        self.follow(context, index, &quic);
        let resumed = self.tls.certificates() == certificates;
        secured(context, index, &quic, &self.tls, resumed);
        let _ = tell.send(true);
        let http = ClientConnection::start(quic);
        Ok((index, Opened { http, settled }))
    }

    async fn fetch(
        &self,
        context: &Context,
        index: usize,
        connection: Opened,
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        let mut outcome = exchange(context, index, &connection, wanted).await;
        if let Err(H3Error::EarlyDataRejected) = outcome {
            connection.settle().await;
            outcome = exchange(context, index, &connection, wanted).await;
        }
        if let Ok(Answer::TooEarly) = outcome {
            // The handshake is done: no answer comes before.
            outcome = exchange(context, index, &connection, wanted).await;
        }
        outcome.map(|_| ()).map_err(|error| {
            let mut failure = Failure::from(error);
            if failure.reason == Reason::Reset && !context.connected(index) {
                failure.reason = Reason::Connect;
            }
            failure
        })
    }
}

/// Moves all connections to a new socket whenever the host's address towards the server is another.
async fn migrate(
    context: Context,
    endpoint: quinn::Endpoint,
    mut watch: Watch,
    opened: Connections,
) {
    while watch.changed().await.is_ok() {
        let moved = bind(&context.target).and_then(|socket| Ok(socket.replace(&endpoint)?));
        // The old socket goes on where there is no new one; then nothing is entered as a migration.
        if moved.is_err() {
            continue;
        }
        let now_s = context.now_s();
        for (index, connection) in opened.borrow().iter() {
            if connection.close_reason().is_none() {
                context.update(*index, |record| record.migrations.push(now_s));
            }
        }
    }
}

/// Enters a finished handshake.
fn secured(
    context: &Context,
    index: usize,
    connection: &quinn::Connection,
    tls: &ClientTls,
    resumed: bool,
) {
    let alpn = connection
        .handshake_data()
        .and_then(|data| data.downcast::<quinn::crypto::rustls::HandshakeData>().ok())
        .and_then(|data| data.protocol)
        .map(|alpn| String::from_utf8_lossy(&alpn).into_owned());
    let control = QuicCongestionControl::of(connection).map(|name| name.to_string());
    context.update(index, |record| {
        let now_s = context.now_s();
        record.connected_s = Some(now_s);
        record.secured_s = Some(now_s);
        record.alpn = alpn;
        // QUIC version 1 has no other (RFC 9001 §4.2).
        record.tls_version = Some(TlsVersion::Tls13.to_string());
        record.key_exchange = tls.key_exchange();
        record.congestion_controller = control;
        record.resumed = Some(resumed);
    });
}

async fn exchange(
    context: &Context,
    index: usize,
    connection: &Opened,
    wanted: &Wanted,
) -> Result<Answer, H3Error> {
    let resource = wanted.resource;
    let request = match context.request(wanted, http::Version::HTTP_3) {
        Ok(request) => request,
        Err(failure) => {
            context.report(resource, Event::Failed(failure));
            return Ok(Answer::Response);
        }
    };
    let early = !*connection.settled.borrow();
    let stream = connection.http.open().await?;
    context.report(resource, Event::Sent { connection: index });
    let mut exchange = stream.send(&request, wanted.content.clone()).await?;
    let head = exchange.head().await?;
    let status = head.status;
    // A response comes after the handshake, of which the record is to know first.
    connection.settle().await;
    if early && status == StatusCode::TOO_EARLY {
        context.report(resource, Event::TooEarly);
        while exchange.data().await?.is_some() {}
        return Ok(Answer::TooEarly);
    }
    let head = Head::new(Some(Protocol::H3), status, head.headers);
    context.report(resource, Event::Head(Box::new(head)));
    while let Some(data) = exchange.data().await? {
        context.report(resource, Event::Data(data));
    }
    context.report(resource, Event::End);
    Ok(Answer::Response)
}
