//! quiche, with its defaults (CUBIC) but for pacing: its datagrams would wait for the event loop.

use std::collections::HashMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use pronghorn_quic_conformance::{
    Certificate, End, HOST_NAME, Observation, Scenario, Stack, Trace, simulate,
};
use quiche::{Config, Connection, ConnectionId, RecvInfo};
use tempfile::TempDir;

use crate::clock;

const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 50_000);
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)), 443);
/// A request tells the response's length, in eight bytes, and is as long as requests are.
const REQUEST: usize = 300;

pub(crate) struct Quiche {
    folder: TempDir,
}

impl Quiche {
    pub(crate) fn new() -> Quiche {
        // BoringSSL's clients offer no Ed25519.
        let certificate = Certificate::p256();
        let folder = TempDir::new().expect("a folder");
        fs::write(
            folder.path().join("certificate"),
            certificate.certificate_pem,
        )
        .expect("a file");
        fs::write(folder.path().join("key"), certificate.key_pem).expect("a file");
        Quiche { folder }
    }

    fn config(&self, mtu_discovery: bool) -> Config {
        let path = |name| self.folder.path().join(name).display().to_string();
        let mut config = Config::new(quiche::PROTOCOL_VERSION).expect("a configuration");
        let certificate = path("certificate");
        config
            .load_cert_chain_from_pem_file(&certificate)
            .expect("a certificate");
        config
            .load_priv_key_from_pem_file(&path("key"))
            .expect("a key");
        config
            .load_verify_locations_from_file(&certificate)
            .expect("a certificate");
        config.verify_peer(false);
        config.set_application_protos(&[b"h3"]).expect("a protocol");
        config.set_max_idle_timeout(30_000);
        config.set_initial_max_data(10_000_000);
        config.set_initial_max_stream_data_bidi_local(10_000_000);
        config.set_initial_max_stream_data_bidi_remote(10_000_000);
        config.set_initial_max_streams_bidi(1000);
        config.enable_pacing(false);
        config.grease(false);
        config.discover_pmtu(mtu_discovery);
        if mtu_discovery {
            config.set_max_send_udp_payload_size(1452);
        }
        config
    }
}

impl Stack for Quiche {
    fn name(&self) -> &'static str {
        "quiche"
    }

    fn version(&self) -> &'static str {
        "0.28.0"
    }

    fn run(&self, scenario: Scenario) -> Trace {
        clock::set(Duration::ZERO);
        let zero = Instant::now();
        let mut config = self.config(scenario.mtu_discovery);
        let id = ConnectionId::from_ref(&[1; 16]);
        let connection = quiche::connect(Some(HOST_NAME), &id, CLIENT, SERVER, &mut config);
        let mut client = Host {
            connection: Some(connection.expect("a connection")),
            ..Host::new(CLIENT, SERVER, config, zero)
        };
        let config = self.config(scenario.mtu_discovery);
        let mut server = Host::new(SERVER, CLIENT, config, zero);
        let trace = simulate(scenario, &mut client, &mut server);
        clock::release();
        trace
    }
}

struct Host {
    zero: Instant,
    local: SocketAddr,
    peer: SocketAddr,
    config: Config,
    connection: Option<Connection>,
    /// A client's requests that wait for a connection.
    wanted: Vec<u64>,
    asked: u64,
    answered: usize,
    /// A server's: what has come of a request, and what is left to send of its response.
    streams: HashMap<u64, (Vec<u8>, Option<usize>)>,
}

impl Host {
    fn new(local: SocketAddr, peer: SocketAddr, config: Config, zero: Instant) -> Host {
        Host {
            zero,
            local,
            peer,
            config,
            connection: None,
            wanted: Vec::new(),
            asked: 0,
            answered: 0,
            streams: HashMap::new(),
        }
    }

    fn attend(&mut self) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        if connection.is_server() {
            for id in connection.readable() {
                let (request, left) = self.streams.entry(id).or_default();
                if read(connection, id, request) {
                    let length = request[..8].try_into().expect("eight bytes");
                    *left = usize::try_from(u64::from_be_bytes(length)).ok();
                }
            }
            self.streams.retain(|id, (_, left)| match left {
                Some(left) => !write(connection, *id, left),
                None => true,
            });
            return;
        }
        if connection.is_established() {
            for bytes in self.wanted.drain(..) {
                let mut request = bytes.to_be_bytes().to_vec();
                request.resize(REQUEST, 0);
                let written = connection.stream_send(4 * self.asked, &request, true);
                assert_eq!(written, Ok(REQUEST));
                self.asked += 1;
            }
        }
        for id in connection.readable() {
            self.answered += usize::from(read(connection, id, &mut Vec::new()));
        }
    }
}

/// Reads what has come of a stream; gives whether that was all that will ever come.
fn read(connection: &mut Connection, id: u64, into: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 1 << 16];
    while let Ok((length, finished)) = connection.stream_recv(id, &mut buffer) {
        into.extend_from_slice(&buffer[..length]);
        if finished {
            return true;
        }
    }
    false
}

/// Writes as much of a response as quiche takes; gives whether it is finished.
fn write(connection: &mut Connection, id: u64, left: &mut usize) -> bool {
    static CONTENT: [u8; 1 << 16] = [0; 1 << 16];
    loop {
        let piece = CONTENT.len().min(*left);
        match connection.stream_send(id, &CONTENT[..piece], piece == *left) {
            Ok(written) if written == *left => return true,
            Ok(written) if written > 0 => *left -= written,
            _ => return false,
        }
    }
}

impl End for Host {
    fn receive(&mut self, now: Duration, datagram: &[u8]) {
        clock::set(now);
        if self.connection.is_none() {
            let id = ConnectionId::from_ref(&[2; 16]);
            let (local, peer) = (self.local, self.peer);
            let accepted = quiche::accept(&id, None, local, peer, &mut self.config);
            self.connection = accepted.ok();
        }
        let info = RecvInfo {
            from: self.peer,
            to: self.local,
        };
        if let Some(connection) = &mut self.connection {
            // What it can't read is none of ours.
            let _ = connection.recv(&mut datagram.to_vec(), info);
        }
    }

    fn due(&mut self) -> Option<Duration> {
        let due = self.connection.as_ref()?.timeout_instant()?;
        Some(due.saturating_duration_since(self.zero))
    }

    fn wake(&mut self, now: Duration) {
        clock::set(now);
        if let Some(connection) = &mut self.connection {
            connection.on_timeout();
        }
    }

    fn send(&mut self, now: Duration, send: &mut dyn FnMut(Vec<u8>)) {
        clock::set(now);
        self.attend();
        let mut buffer = [0; 1500];
        while let Some(connection) = &mut self.connection {
            match connection.send(&mut buffer) {
                Ok((length, _)) => send(buffer[..length].to_vec()),
                Err(_) => break,
            }
        }
    }

    fn request(&mut self, bytes: u64) {
        self.wanted.push(bytes);
    }

    fn answered(&self) -> usize {
        self.answered
    }

    fn observe(&mut self) -> Observation {
        let path = self
            .connection
            .as_ref()
            .and_then(|connection| connection.path_stats().next());
        Observation {
            window: path.as_ref().map(|path| path.cwnd as u64),
            smoothed_rtt: path.as_ref().map(|path| path.rtt),
        }
    }

    fn failed(&self) -> Option<String> {
        let connection = self.connection.as_ref()?;
        connection.is_closed().then(|| "closed".to_owned())
    }
}
