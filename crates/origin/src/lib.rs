//! The built-in origin: HTTP/1.1, HTTP/2 and HTTP/3 over TLS from one thread, the first two in the clear as well
//! where that is asked for, for static sites, and one path that counts what was executed (`EXECUTE_PATH`).
//!
//! No protocol is tuned alone: windows, GSO and buffers are as the libraries ship them or as they are asked for
//! (`pronghorn_http::TransportKnobs`), the congestion control is set explicitly on both transports, and HTTP/2 and HTTP/3
//! schedule their responses by the same rules (`pronghorn_http_wire::Rank`). Both gather what is to be sent at one
//! time, so that it costs few system calls: HTTP/2 up to a TLS record (`gather`), QUIC up to what one call takes
//! (`pronghorn_http::server_endpoint`).
//!
//! | question | file |
//! |---|---|
//! | which response is sent first | `h2.rs`, `h3.rs`; the rules in `crates/http-wire` |
//! | what is a request answered with | `target.rs`, `site.rs`, `answer.rs`, `coding.rs` |
//! | what happens to 0-RTT data | `early.rs`, `boundary.rs` |
//! | how are small writes gathered | `gather.rs`, `records.rs` |
//! | what works without TLS | `clear.rs` |
//! | what is logged | `log/` |

mod answer;
mod boundary;
mod clear;
mod coding;
mod early;
mod gather;
mod h1;
mod h2;
mod h3;
mod h3_over_quinn;
mod h3_over_s2n;
mod headers;
mod log;
mod media_type;
mod records;
mod site;
mod target;

use std::net::{IpAddr, UdpSocket};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use pronghorn_http::{
    CongestionControl, MAX_EARLY_DATA_TCP, Protocol, QuicOptions, QuicSocket, QuicStack, QuicWatch,
    S2nServer, SecretLog, Settings, TcpSettings, TcpStack, Tickets, TimeoutCounting, TlsError,
    TransportKnobs, UdpError,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::answer::Answers;
use crate::boundary::Boundary;
use crate::clear::Reopened;
use crate::early::EarlyStream;
use crate::records::Records;

pub use answer::EXECUTE_PATH;
pub use headers::{HeaderError, ResponseHeaders};
pub use log::{
    AccessLog, ConnectionCount, ConnectionEntry, LogEntry, LogKeeping, RequestCount, TicketLog,
};
pub use site::{Site, SiteError};

/// What an origin is made of.
#[derive(Debug, Clone)]
pub struct OriginConfig {
    /// The site.
    pub site: Arc<Site>,
    /// PEM file of the certificate chain, leaf first.
    pub certificate: PathBuf,
    /// PEM file of the leaf's private key.
    pub key: PathBuf,
    /// What carries HTTP/3. s2n-quic takes no early data.
    pub quic_stack: QuicStack,
    /// Congestion control of both transports.
    pub congestion_control: CongestionControl,
    /// What else is asked of them; what clients offer in TLS isn't the origin's.
    pub knobs: TransportKnobs,
    /// Address on which to listen.
    pub address: IpAddr,
    /// Port for TCP and UDP alike; 0 for one of the kernel's choice.
    pub port: u16,
    /// Port of TCP on which HTTP/1.1 and HTTP/2 are served in the clear; 0 for one of the kernel's choice, none:
    /// nothing is.
    pub clear_port: Option<u16>,
    /// What every response bears beside the headers that describe its content.
    pub headers: ResponseHeaders,
    /// Whether session tickets allow early data (0-RTT), which is then answered at once.
    pub early_data: bool,
    /// What is kept of what it serves.
    pub log: LogKeeping,
    /// Where the connections leave their TLS secrets; none: nowhere.
    pub secrets: Option<Arc<SecretLog>>,
    /// How its QUIC connections are watched.
    pub quic_watch: QuicWatch,
}

/// Why an origin can't start.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// The certificate or its key.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address or port.
    #[error("can't listen on {address}:{port}: {source}")]
    Listen {
        /// Address asked for.
        address: IpAddr,
        /// Port asked for.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// QUIC's socket, which can't be as it is asked for.
    #[error(transparent)]
    Udp(UdpError),
}

/// What every connection needs.
pub(crate) struct Shared {
    answers: Answers,
    early_data: bool,
    knobs: TransportKnobs,
    log: AccessLog,
    quic: h3::Endpoint,
}

impl Shared {
    fn connected_over_tcp(
        &self,
        protocol: Protocol,
        tls: bool,
        congestion_controller: Option<String>,
        settings: TcpSettings,
    ) {
        let settings = match protocol {
            Protocol::H2 => {
                let (stream, connection) = h2::windows(&self.knobs);
                settings.with_windows(stream, connection)
            }
            Protocol::H1 | Protocol::H3 => settings,
        };
        self.log.connected_over_tcp(ConnectionEntry {
            protocol,
            tls,
            congestion_controller,
            udp_receive_buffer: None,
            settings: Settings::Tcp(settings),
        });
    }
}

/// An origin that listens but doesn't answer yet. Lives on one thread.
pub struct Origin {
    listener: TcpListener,
    clear: Option<TcpListener>,
    acceptor: TlsAcceptor,
    shared: Rc<Shared>,
    port: u16,
    clear_port: Option<u16>,
    /// As long as connections are made.
    _timeouts: Option<TimeoutCounting>,
}

/// How much unsent data the kernel may hold for an HTTP/2 connection, in bytes: beyond it, what was
/// decided can't be overtaken by a response of higher priority. One TLS record.
const NOT_SENT_LOW_WATER: u32 = 16 * 1024;

/// How long accepting pauses after it failed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

impl Origin {
    /// Binds TCP and UDP. Must be called inside a tokio runtime.
    pub fn bind(config: &OriginConfig) -> Result<Origin, OriginError> {
        let OriginConfig {
            certificate,
            key,
            congestion_control,
            knobs,
            address,
            ..
        } = config;
        let stack = TcpStack {
            congestion_control: congestion_control.tcp.clone(),
            paced: knobs.pacing == Some(true),
        };
        let denied = |port: u16| {
            let address = *address;
            move |source| OriginError::Listen {
                address,
                port,
                source,
            }
        };
        let bound = bind_both(&stack, knobs, *address, config.port);
        let (listener, socket, port) = bound.map_err(|error| match error {
            UdpError::Io(source) => denied(config.port)(source),
            other => OriginError::Udp(other),
        })?;
        let clear = config.clear_port.map(|port| {
            let listener = pronghorn_http::listen(&stack, *address, port);
            listener.and_then(|listener| Ok((listener.local_addr()?.port(), listener)))
        });
        let clear = clear
            .transpose()
            .map_err(denied(config.clear_port.unwrap_or_default()))?;
        let (clear_port, clear) = clear.unzip();
        let (tcp_tickets, quic_tickets) = (Tickets::new(), Tickets::new());
        let tls = |protocols: &[Protocol], max_early_data: u32, tickets: &Arc<Tickets>| {
            let allowed = if config.early_data { max_early_data } else { 0 };
            let mut tls = pronghorn_http::server_tls(certificate, key, protocols, allowed)?;
            tls.session_storage = tickets.clone();
            if let Some(secrets) = &config.secrets {
                tls.key_log = secrets.clone();
            }
            Ok::<_, TlsError>(tls)
        };
        let max_early_data = match config.quic_stack {
            QuicStack::Quinn => u32::MAX,
            QuicStack::S2n => 0,
        };
        let quic_tls = tls(&[Protocol::H3], max_early_data, &quic_tickets)?;
        let over_tcp = [Protocol::H2, Protocol::H1];
        let tls = tls(&over_tcp, MAX_EARLY_DATA_TCP, &tcp_tickets)?;
        let watch = config.quic_watch.clone();
        let timeouts = watch.flight.is_some().then(pronghorn_http::count_timeouts);
        let options = QuicOptions {
            congestion_control: congestion_control.quic,
            knobs: *knobs,
            watch,
        };
        let quic = match config.quic_stack {
            QuicStack::Quinn => {
                let socket = QuicSocket::new(socket).map_err(TlsError::from)?;
                let server = pronghorn_http::server_endpoint(socket, quic_tls, options)?;
                h3::Endpoint::Quinn(Box::new(server))
            }
            QuicStack::S2n => h3::Endpoint::S2n(S2nServer::new(quic_tls, &options, socket)?),
        };
        Ok(Origin {
            listener,
            clear,
            acceptor: TlsAcceptor::from(Arc::new(tls)),
            shared: Rc::new(Shared {
                answers: Answers::new(&config.site, &config.headers),
                early_data: config.early_data,
                knobs: *knobs,
                log: AccessLog::new(config.log, tcp_tickets, quic_tickets),
                quic,
            }),
            port,
            clear_port,
            _timeouts: timeouts,
        })
    }

    /// The port on which it listens, TCP and UDP.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port on which it serves in the clear, if it does.
    pub fn clear_port(&self) -> Option<u16> {
        self.clear_port
    }

    /// The access log.
    pub fn log(&self) -> AccessLog {
        self.shared.log.clone()
    }

    /// Serves for ever; ends when dropped. Must run inside a `LocalSet`.
    pub async fn serve(self) {
        tokio::join!(
            self.serve_securely(),
            self.serve_in_the_clear(),
            self.serve_quic()
        );
    }

    async fn serve_securely(&self) {
        accept_all(&self.listener, |stream| {
            secure(stream, self.acceptor.clone(), self.shared.clone())
        })
        .await;
    }

    async fn serve_in_the_clear(&self) {
        if let Some(listener) = &self.clear {
            accept_all(listener, |stream| in_the_clear(stream, self.shared.clone())).await;
        }
    }

    async fn serve_quic(&self) {
        h3::serve_all(&self.shared.quic, &self.shared).await;
    }
}

/// Serves every connection that comes, for ever.
async fn accept_all<F>(listener: &TcpListener, serve: impl Fn(TcpStream) -> F)
where
    F: Future<Output = ()> + 'static,
{
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::task::spawn_local(serve(stream))),
            // Out of descriptors, or a client gone before it was accepted: neither is lasting, and
            // asking again at once would only burn the CPU.
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// One port for both: where the kernel chooses TCP's, UDP's may be taken, so try a few.
fn bind_both(
    stack: &TcpStack,
    knobs: &TransportKnobs,
    address: IpAddr,
    port: u16,
) -> Result<(TcpListener, UdpSocket, u16), UdpError> {
    let mut attempts = if port == 0 { 20 } else { 1 };
    loop {
        let listener = pronghorn_http::listen(stack, address, port)?;
        let chosen = listener.local_addr()?.port();
        attempts -= 1;
        match pronghorn_http::bind_udp((address, chosen), knobs) {
            Ok(socket) => return Ok((listener, socket, chosen)),
            Err(error) if attempts == 0 => return Err(error),
            Err(_) => {}
        }
    }
}

/// TLS, then the protocol that ALPN chose; HTTP/1.1 for a client that names none.
async fn secure(stream: TcpStream, acceptor: TlsAcceptor, shared: Rc<Shared>) {
    let _ = stream.set_nodelay(true);
    let congestion_controller = pronghorn_http::congestion_control_of(&stream).ok();
    let settings = TcpSettings::of(&stream);
    if shared.early_data {
        let config = acceptor.config().clone();
        if let Ok(stream) = EarlyStream::accept(stream, config).await {
            let protocol = negotiated(stream.tls());
            limit_unsent(stream.get_ref(), protocol);
            shared.connected_over_tcp(protocol, true, congestion_controller, settings);
            let boundary = stream.boundary();
            serve(Records::of_tls(stream), protocol, boundary, shared).await;
        }
    } else if let Ok(stream) = acceptor.accept(stream).await {
        let (socket, tls) = stream.get_ref();
        let protocol = negotiated(tls);
        limit_unsent(socket, protocol);
        shared.connected_over_tcp(protocol, true, congestion_controller, settings);
        serve(Records::of_tls(stream), protocol, Boundary::none(), shared).await;
    }
}

/// The protocol that the client's first bytes tell, without TLS.
async fn in_the_clear(stream: TcpStream, shared: Rc<Shared>) {
    let _ = stream.set_nodelay(true);
    let congestion_controller = pronghorn_http::congestion_control_of(&stream).ok();
    let settings = TcpSettings::of(&stream);
    if let Ok((stream, protocol)) = Reopened::tell(stream).await {
        limit_unsent(stream.get_ref(), protocol);
        shared.connected_over_tcp(protocol, false, congestion_controller, settings);
        serve(Records::none(stream), protocol, Boundary::none(), shared).await;
    }
}

fn negotiated(tls: &rustls::CommonState) -> Protocol {
    tls.alpn_protocol()
        .and_then(Protocol::from_alpn)
        .unwrap_or(Protocol::H1)
}

/// Bounds what the kernel holds unsent where responses take turns.
fn limit_unsent(stream: &TcpStream, protocol: Protocol) {
    if protocol == Protocol::H2 {
        // Without it the order is coarser, not wrong.
        let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(NOT_SENT_LOW_WATER);
    }
}

async fn serve<S>(stream: Records<S>, protocol: Protocol, boundary: Boundary, shared: Rc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    match protocol {
        Protocol::H2 => {
            boundary.serve(h2::serve(stream, &boundary, shared)).await;
        }
        _ => boundary.serve(h1::serve(stream, &boundary, shared)).await,
    }
}
