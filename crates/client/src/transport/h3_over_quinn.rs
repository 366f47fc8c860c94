//! Connections of quinn's: how they begin, migrate and end.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;

use pronghorn_flight::End;
use pronghorn_http::h3::{ClientConnection, Ended};
use pronghorn_http::{
    ClientTls, HandshakeProbes, QuicCongestionControl, QuicOptions, QuicReader, QuicSocket,
    SessionUse, Settings, TlsError, UdpError,
};
use tokio::sync::watch;

use super::h3::{FAREWELL, LONG_FAREWELL, Opened, enter_handshake, fetch};
use super::migration::{Watch, local_address};
use super::multiplexed::Connector;
use super::{Context, Failure, Target, Wanted, h3};
use crate::record::{EarlyData, Reason};

/// Opens connections over quinn.
pub(crate) struct Quinn {
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

impl Quinn {
    /// Binds a socket. Must be called inside a tokio runtime.
    pub(super) fn new(tls: ClientTls, target: &Target) -> Result<Quinn, TlsError> {
        let options = target.quic_options();
        let config = pronghorn_http::client_quic_config(tls.config.clone(), &options)?;
        let socket = bind(target)?;
        let (endpoint, probes) = pronghorn_http::client_endpoint(config.clone(), &socket)?;
        Ok(Quinn {
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
    pub(super) fn endpoint(&self) -> h3::Endpoint {
        h3::Endpoint::Quinn(Endpoint {
            endpoint: self.endpoint.clone(),
            reader: self.reader.clone(),
            opened: self.opened.clone(),
        })
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

impl Connector for Quinn {
    type Connection = Opened<quinn::Connection>;

    async fn open(&self, context: &Context) -> Result<(usize, Self::Connection), Failure> {
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
        let quic = connecting.await.map_err(Ended::from)?;
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
        connection: Opened<quinn::Connection>,
        wanted: &Wanted,
    ) -> Result<(), Failure> {
        fetch(context, index, connection, wanted).await
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
    let control = QuicCongestionControl::of(connection);
    enter_handshake(context, index, alpn, control, tls, resumed);
}
