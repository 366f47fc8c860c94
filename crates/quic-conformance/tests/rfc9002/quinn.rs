//! quinn-proto, set up as the product sets it up (`crates/http`), with CUBIC.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use pronghorn_http::{
    QuicCongestionControl, QuicOptions, QuicWatch, TransportKnobs, client_quic_config, ping_along,
    server_quic_config,
};
use pronghorn_quic_conformance::{
    Certificate, End, HOST_NAME, Observation, Scenario, Stack, Trace, simulate,
};
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig,
    Event, ReadError, ServerConfig, StreamEvent, StreamId,
};
use rustls::RootCertStore;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::version::TLS13;

use crate::known::{PRODUCT, QUINN};

const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 50_000);
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)), 443);
const DATAGRAMS_AT_ONCE: usize = 10;
/// A request tells the response's length, in eight bytes, and is as long as requests are.
const REQUEST: usize = 300;

pub(crate) struct Quinn {
    client: rustls::ClientConfig,
    server: rustls::ServerConfig,
    mended: bool,
}

impl Quinn {
    pub(crate) fn new(mended: bool) -> Quinn {
        let made = Certificate::new();
        let certificate = CertificateDer::from(made.certificate);
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).expect("a certificate");
        let provider = Arc::new(default_provider());
        let mut client = rustls::ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])
            .expect("TLS 1.3")
            .with_root_certificates(roots)
            .with_no_client_auth();
        client.alpn_protocols = vec![b"h3".to_vec()];
        // Without tickets of earlier runs, every run is the same.
        client.resumption = rustls::client::Resumption::disabled();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.key));
        let mut server = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .expect("TLS 1.3")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("a certificate and its key");
        server.alpn_protocols = vec![b"h3".to_vec()];
        Quinn {
            client,
            server,
            mended,
        }
    }
}

impl Stack for Quinn {
    fn name(&self) -> &'static str {
        if self.mended { PRODUCT } else { QUINN }
    }

    fn version(&self) -> &'static str {
        "0.11.19"
    }

    fn run(&self, scenario: Scenario) -> Trace {
        let options = QuicOptions {
            congestion_control: QuicCongestionControl::Cubic,
            knobs: TransportKnobs {
                mtu_discovery: (!scenario.mtu_discovery).then_some(false),
                ..TransportKnobs::default()
            },
            watch: QuicWatch::default(),
        };
        let client = client_quic_config(self.client.clone(), &options).expect("a client");
        let server = server_quic_config(self.server.clone(), &options).expect("a server");
        let zero = Instant::now();
        simulate(
            scenario,
            &mut Host::client(client, self.mended, zero),
            &mut Host::server(server, zero),
        )
    }
}

struct Host {
    zero: Instant,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    peer: SocketAddr,
    program: Program,
    /// Whether probes take a PING along, as the product's do.
    mended: bool,
    buffer: Vec<u8>,
    failed: Option<String>,
}

enum Program {
    Client {
        connected: bool,
        /// Requests that wait for a connection.
        wanted: Vec<u64>,
        asked: Vec<StreamId>,
        answered: usize,
    },
    Server {
        /// What has come of a request, and what is left to send of its response.
        streams: HashMap<StreamId, (Vec<u8>, Option<u64>)>,
    },
}

impl Host {
    fn client(config: ClientConfig, mended: bool, zero: Instant) -> Host {
        let mut endpoint = Endpoint::new(endpoint(1), None, true, None);
        let connection = endpoint.connect(zero, config, SERVER, HOST_NAME);
        let program = Program::Client {
            connected: false,
            wanted: Vec::new(),
            asked: Vec::new(),
            answered: 0,
        };
        Host {
            connection: Some(connection.expect("a connection")),
            ..Host::new(endpoint, SERVER, program, mended, zero)
        }
    }

    fn server(config: ServerConfig, zero: Instant) -> Host {
        let endpoint = Endpoint::new(endpoint(2), Some(Arc::new(config)), true, None);
        let streams = HashMap::new();
        Host::new(endpoint, CLIENT, Program::Server { streams }, false, zero)
    }

    fn new(
        endpoint: Endpoint,
        peer: SocketAddr,
        program: Program,
        mended: bool,
        zero: Instant,
    ) -> Host {
        Host {
            zero,
            endpoint,
            connection: None,
            peer,
            program,
            mended,
            buffer: Vec::new(),
            failed: None,
        }
    }

    /// Carries what the connection has for its endpoint there, and the answers back.
    fn forward(&mut self) {
        let Some((handle, connection)) = &mut self.connection else {
            return;
        };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(answer);
            }
        }
    }

    /// Does what the program does after an event.
    fn attend(&mut self) {
        let Some((_, connection)) = &mut self.connection else {
            return;
        };
        let mut readable: Vec<StreamId> = Vec::new();
        while let Some(event) = connection.poll() {
            match (event, &mut self.program) {
                (Event::Connected, Program::Client { connected, .. }) => *connected = true,
                (
                    Event::Stream(StreamEvent::Opened { dir: Dir::Bi }),
                    Program::Server { streams },
                ) => {
                    while let Some(id) = connection.streams().accept(Dir::Bi) {
                        streams.insert(id, (Vec::new(), None));
                        readable.push(id);
                    }
                }
                (Event::Stream(StreamEvent::Readable { id }), _) => readable.push(id),
                (Event::ConnectionLost { reason }, _) => {
                    self.failed.get_or_insert_with(|| reason.to_string());
                }
                _ => {}
            }
        }
        match &mut self.program {
            Program::Client {
                connected,
                wanted,
                asked,
                answered,
            } => {
                for bytes in wanted.drain(..if *connected { wanted.len() } else { 0 }) {
                    let id = connection.streams().open(Dir::Bi).expect("a stream");
                    let mut request = bytes.to_be_bytes().to_vec();
                    request.resize(REQUEST, 0);
                    let mut stream = connection.send_stream(id);
                    assert_eq!(stream.write(&request), Ok(REQUEST));
                    stream.finish().expect("a stream");
                    asked.push(id);
                }
                for id in readable.into_iter().filter(|id| asked.contains(id)) {
                    *answered += usize::from(read(connection, id, &mut Vec::new()));
                }
            }
            Program::Server { streams } => {
                for id in readable {
                    let Some((request, left)) = streams.get_mut(&id) else {
                        continue;
                    };
                    if left.is_none() && read(connection, id, request) {
                        let length = request[..8].try_into().expect("eight bytes");
                        *left = Some(u64::from_be_bytes(length));
                    }
                }
                streams.retain(|id, (_, left)| match left {
                    Some(left) => !write(connection, *id, left),
                    None => true,
                });
            }
        }
    }
}

/// Reads what has come of a stream; gives whether that was all that will ever come.
fn read(connection: &mut Connection, id: StreamId, into: &mut Vec<u8>) -> bool {
    let mut stream = connection.recv_stream(id);
    let Ok(mut chunks) = stream.read(true) else {
        return false;
    };
    let finished = loop {
        match chunks.next(usize::MAX) {
            Ok(Some(chunk)) => into.extend_from_slice(&chunk.bytes),
            Ok(None) => break true,
            Err(ReadError::Blocked) => break false,
            Err(error) => panic!("{error}"),
        }
    };
    let _ = chunks.finalize();
    finished
}

/// Writes as much of a response as quinn takes; gives whether it is finished.
fn write(connection: &mut Connection, id: StreamId, left: &mut u64) -> bool {
    static CONTENT: [u8; 1 << 16] = [0; 1 << 16];
    let mut stream = connection.send_stream(id);
    while *left > 0 {
        let piece = CONTENT
            .len()
            .min(usize::try_from(*left).unwrap_or(usize::MAX));
        match stream.write(&CONTENT[..piece]) {
            Ok(written) => *left -= written as u64,
            Err(_) => return false,
        }
    }
    stream.finish().expect("a stream");
    true
}

impl End for Host {
    fn receive(&mut self, now: Duration, datagram: &[u8]) {
        let now = self.zero + now;
        self.buffer.clear();
        let event = self.endpoint.handle(
            now,
            self.peer,
            None,
            None,
            BytesMut::from(datagram),
            &mut self.buffer,
        );
        match event {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                let accepted = self.endpoint.accept(incoming, now, &mut self.buffer, None);
                self.connection = accepted.ok();
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(_)) | None => {}
        }
        self.forward();
    }

    fn due(&mut self) -> Option<Duration> {
        let due = self.connection.as_mut()?.1.poll_timeout()?;
        Some(due.saturating_duration_since(self.zero))
    }

    fn wake(&mut self, now: Duration) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(self.zero + now);
        }
        self.forward();
    }

    fn send(&mut self, now: Duration, send: &mut dyn FnMut(Vec<u8>)) {
        self.attend();
        let now = self.zero + now;
        self.buffer.clear();
        while let Some((_, connection)) = &mut self.connection {
            let sent = connection.poll_transmit(now, DATAGRAMS_AT_ONCE, &mut self.buffer);
            let Some(transmit) = sent else { break };
            let segment = transmit.segment_size.unwrap_or(transmit.size).max(1);
            let contents = &self.buffer[..transmit.size];
            for payload in contents.chunks(segment) {
                send(payload.to_vec());
            }
            if self.mended {
                ping_along(connection, contents);
            }
            self.buffer.clear();
        }
        self.forward();
    }

    fn request(&mut self, bytes: u64) {
        if let Program::Client { wanted, .. } = &mut self.program {
            wanted.push(bytes);
        }
    }

    fn answered(&self) -> usize {
        match &self.program {
            Program::Client { answered, .. } => *answered,
            Program::Server { .. } => 0,
        }
    }

    fn observe(&mut self) -> Observation {
        let connection = self.connection.as_ref().map(|(_, connection)| connection);
        Observation {
            window: connection.map(|connection| connection.congestion_state().window()),
            smoothed_rtt: connection.map(Connection::rtt),
        }
    }

    fn failed(&self) -> Option<String> {
        self.failed.clone()
    }
}

/// quinn's defaults, seeded.
fn endpoint(seed: u8) -> Arc<EndpointConfig> {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some([seed; 32]));
    Arc::new(config)
}
