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
//! | which response is sent first | `h2.rs`, `h3.rs` (over quinn or s2n-quic: `over_quinn.rs`, `over_s2n.rs`); the rules in `crates/http-wire` |
//! | what is a request answered with | `target.rs`, `site.rs`, `answer.rs`, `coding.rs` |
//! | and if the site is a recorded one | `replies.rs`, `recorded/` |
//! | where does it listen, and with which certificates | `face.rs` |
//! | how are requests handed on to an application | `proxy/` |
//! | how does it end | `ending.rs` |
//! | what happens to 0-RTT data | `early.rs`, `boundary.rs` |
//! | how are small writes gathered | `gather.rs`, `records.rs` |
//! | what works without TLS | `clear.rs` |
//! | what is logged | `log/` |

mod answer;
mod boundary;
mod clear;
mod coding;
mod early;
mod ending;
mod face;
mod gather;
mod h1;
mod h2;
mod h3;
mod headers;
mod log;
mod matched;
mod media_type;
mod over_quinn;
mod over_s2n;
mod proxy;
mod recorded;
mod records;
mod replies;
mod site;
mod target;

use std::future::pending;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{HeaderMap, Method, Uri};
use pronghorn_http::{
    CongestionControl, Protocol, QuicOptions, QuicStack, QuicWatch, SecretLog, Settings,
    TcpSettings, TcpStack, Tickets, TimeoutCounting, TlsError, TransportKnobs, UdpError,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::answer::{Answer, Answers, Reply, Request};
use crate::boundary::Boundary;
use crate::clear::Reopened;
use crate::early::EarlyStream;
use crate::ending::Ending;
use crate::face::Door;
use crate::log::Served;
use crate::proxy::Proxy;
use crate::recorded::RecordedAnswers;
use crate::records::Records;
use crate::replies::Replies;

pub use answer::EXECUTE_PATH;
pub use face::Face;
pub use headers::{HeaderError, ResponseHeaders};
pub use log::{
    AccessLog, ConnectionCount, ConnectionEntry, LogEntry, LogKeeping, RequestCount, TicketLog,
};
pub use matched::Match;
pub use proxy::{Application, ApplicationError};
pub use recorded::{Recorded, RecordedError};
pub use site::{Site, SiteError};

/// What an origin serves.
#[derive(Debug, Clone)]
pub enum Content {
    /// A folder's files, whatever host they are asked of.
    Site(Arc<Site>),
    /// What was recorded of several hosts.
    Recorded {
        /// The recording.
        site: Arc<Recorded>,
        /// How many times as long as the recorded servers it takes for an answer: 0 answers at once.
        think: f64,
    },
    /// What an application answers, to which requests are handed on.
    Proxied(Application),
}

/// What an origin is made of.
#[derive(Debug, Clone)]
pub struct OriginConfig {
    /// What it serves.
    pub content: Content,
    /// Where it listens, at least one, on one port.
    pub faces: Vec<Face>,
    /// What carries HTTP/3. s2n-quic takes no early data.
    pub quic_stack: QuicStack,
    /// Congestion control of both transports.
    pub congestion_control: CongestionControl,
    /// What else is asked of them; what clients offer in TLS isn't the origin's.
    pub knobs: TransportKnobs,
    /// Port for TCP and UDP alike; 0 for one of the kernel's choice.
    pub port: u16,
    /// Port of TCP at the first face on which HTTP/1.1 and HTTP/2 are served in the clear; 0 for one of the kernel's choice, none:
    /// nothing is.
    pub clear_port: Option<u16>,
    /// What every response of a folder's files bears beside the headers that describe its content.
    pub headers: ResponseHeaders,
    /// Whether session tickets allow early data (0-RTT), which is then answered at once.
    pub early_data: bool,
    /// Whether an answer over HTTP/3 counts as under way until its client has it, for [`Origin::serve_until`].
    pub graceful: bool,
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
        address: std::net::IpAddr,
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
    replies: Replies,
    early_data: bool,
    graceful: bool,
    ending: Ending,
    knobs: TransportKnobs,
    log: AccessLog,
}

/// The answer to a request, how long it is held back, and what the log is to have of it.
pub(crate) struct Answered {
    answer: Rc<Answer>,
    think: Duration,
    served: Served,
}

impl Shared {
    /// The answer to a request that came over `protocol`, as early data or not, and began to at `arrived`.
    pub(crate) fn answer(
        &self,
        protocol: Protocol,
        (method, uri, headers): (&Method, &Uri, &HeaderMap),
        early: bool,
        arrived: Instant,
    ) -> Answered {
        let (host, target) = (target::host(uri, headers), target::target(uri));
        let Reply {
            answer,
            matched,
            think,
        } = self.replies.to(&Request {
            method,
            host: &host,
            target,
            headers,
            early,
        });
        let served = Served {
            asked: self.log.asked(method, &host, target),
            matched,
            protocol,
            status: answer.status,
            bytes: answer.body.len(),
            early,
            arrived,
        };
        Answered {
            answer,
            think,
            served,
        }
    }

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
    doors: Vec<Door>,
    clear: Option<TcpListener>,
    shared: Rc<Shared>,
    end: watch::Sender<bool>,
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
    ///
    /// # Panics
    /// The configuration has no face.
    pub fn bind(config: &OriginConfig) -> Result<Origin, OriginError> {
        let stack = config.tcp_stack();
        let watch = &config.quic_watch;
        let timeouts = watch.flight.is_some().then(pronghorn_http::count_timeouts);
        let (tcp_tickets, quic_tickets) = (Tickets::new(), Tickets::new());
        let mut doors: Vec<Door> = Vec::with_capacity(config.faces.len());
        for face in &config.faces {
            let port = doors.first().map_or(config.port, Door::port);
            doors.push(Door::open(
                config,
                face,
                port,
                [&tcp_tickets, &quic_tickets],
            )?);
        }
        let port = doors.first().expect("an origin has a face").port();
        let address = config.faces[0].address;
        let clear = config.clear_port.map(|port| {
            let listener = pronghorn_http::listen(&stack, address, port);
            listener.and_then(|listener| Ok((listener.local_addr()?.port(), listener)))
        });
        let clear = clear.transpose().map_err(|source| OriginError::Listen {
            address,
            port: config.clear_port.unwrap_or_default(),
            source,
        })?;
        let (clear_port, clear) = clear.unzip();
        let log = AccessLog::new(config.log, tcp_tickets, quic_tickets);
        let replies = match &config.content {
            Content::Site(site) => Replies::Site(Answers::new(site, &config.headers)),
            Content::Recorded { site, think } => {
                Replies::Recorded(RecordedAnswers::new(site, *think))
            }
            Content::Proxied(application) => Replies::Proxied(Rc::new(Proxy::new(
                application,
                port,
                &config.headers,
                log.clone(),
            ))),
        };
        let (end, ending) = Ending::new();
        Ok(Origin {
            doors,
            end,
            clear,
            shared: Rc::new(Shared {
                replies,
                early_data: config.early_data,
                graceful: config.graceful,
                ending,
                knobs: config.knobs,
                log,
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
        self.serve_until(pending()).await;
    }

    /// Serves until `stop` says how long requests under way may still take; then accepts no more of them, and returns
    /// once they are answered or that time has passed. Whether they all were. Must run inside a `LocalSet`.
    pub async fn serve_until(self, stop: impl Future<Output = Duration>) -> bool {
        let Origin {
            doors: faces,
            clear,
            shared,
            end,
            ..
        } = self;
        let mut doors = JoinSet::new();
        for door in faces {
            doors.spawn_local(door.serve(shared.clone()));
        }
        if let Some(listener) = clear {
            let shared = shared.clone();
            doors.spawn_local(async move {
                let serve = |stream| in_the_clear(stream, shared.clone());
                accept_all(&listener, &shared.ending, serve).await;
            });
        }
        // Connections and doors alone hold it from here on.
        drop(shared);
        let within = stop.await;
        end.send_replace(true);
        let ended = async {
            end.closed().await;
            while doors.join_next().await.is_some() {}
        };
        tokio::time::timeout(within, ended).await.is_ok()
    }
}

impl OriginConfig {
    fn tcp_stack(&self) -> TcpStack {
        TcpStack {
            congestion_control: self.congestion_control.tcp.clone(),
            paced: self.knobs.pacing == Some(true),
        }
    }

    fn quic_options(&self) -> QuicOptions {
        QuicOptions {
            congestion_control: self.congestion_control.quic,
            knobs: self.knobs,
            watch: self.quic_watch.clone(),
        }
    }
}

/// Serves every connection that comes, until the origin is to end.
async fn accept_all<F>(listener: &TcpListener, ending: &Ending, serve: impl Fn(TcpStream) -> F)
where
    F: Future<Output = ()> + 'static,
{
    let mut ending = pin!(ending.begun());
    loop {
        let accepted = tokio::select! {
            biased;
            accepted = listener.accept() => accepted,
            () = &mut ending => return,
        };
        match accepted {
            Ok((stream, _)) => drop(tokio::task::spawn_local(serve(stream))),
            // Out of descriptors, or a client gone before it was accepted: neither is lasting, and
            // asking again at once would only burn the CPU.
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// TLS, then the protocol that ALPN chose; HTTP/1.1 for a client that names none.
async fn secure(stream: TcpStream, acceptor: TlsAcceptor, shared: Rc<Shared>) {
    let _ = stream.set_nodelay(true);
    let congestion_controller = pronghorn_http::congestion_control_of(&stream).ok();
    let settings = TcpSettings::of(&stream);
    let peer = peer(&stream);
    if shared.early_data {
        let config = acceptor.config().clone();
        if let Ok(stream) = EarlyStream::accept(stream, config).await {
            let protocol = negotiated(stream.tls());
            limit_unsent(stream.get_ref(), protocol);
            shared.connected_over_tcp(protocol, true, congestion_controller, settings);
            let boundary = stream.boundary();
            serve(Records::of_tls(stream), protocol, (boundary, peer), shared).await;
        }
    } else if let Ok(stream) = acceptor.accept(stream).await {
        let (socket, tls) = stream.get_ref();
        let protocol = negotiated(tls);
        limit_unsent(socket, protocol);
        shared.connected_over_tcp(protocol, true, congestion_controller, settings);
        let none = Boundary::none();
        serve(Records::of_tls(stream), protocol, (none, peer), shared).await;
    }
}

/// The protocol that the client's first bytes tell, without TLS.
async fn in_the_clear(stream: TcpStream, shared: Rc<Shared>) {
    let _ = stream.set_nodelay(true);
    let congestion_controller = pronghorn_http::congestion_control_of(&stream).ok();
    let settings = TcpSettings::of(&stream);
    let peer = peer(&stream);
    if let Ok((stream, protocol)) = Reopened::tell(stream).await {
        limit_unsent(stream.get_ref(), protocol);
        shared.connected_over_tcp(protocol, false, congestion_controller, settings);
        let none = Boundary::none();
        serve(Records::none(stream), protocol, (none, peer), shared).await;
    }
}

/// Who is at the other end; a client that is gone already is nobody.
fn peer(stream: &TcpStream) -> IpAddr {
    stream
        .peer_addr()
        .map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.ip())
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

async fn serve<S>(
    stream: Records<S>,
    protocol: Protocol,
    (boundary, peer): (Boundary, IpAddr),
    shared: Rc<Shared>,
) where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    if let Replies::Proxied(proxy) = &shared.replies {
        let (windows, proxy) = (h2::windows(&shared.knobs), proxy.clone());
        let client = (&boundary, peer);
        let serving = proxy::serve_tcp(stream, protocol, client, windows, proxy, &shared.ending);
        return boundary.serve(serving).await;
    }
    match protocol {
        Protocol::H2 => {
            boundary.serve(h2::serve(stream, &boundary, shared)).await;
        }
        _ => boundary.serve(h1::serve(stream, &boundary, shared)).await,
    }
}
