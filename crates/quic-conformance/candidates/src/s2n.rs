//! s2n-quic, with its defaults (CUBIC), in its own virtual time. It has no interface without I/O, but a network of its own
//! for tests.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use pronghorn_quic_conformance::{
    Certificate, Direction, Fate, HOST_NAME, Observation, Scenario, Stack, Trace, Wire,
};
use s2n_quic::client::Connect;
use s2n_quic::provider::event::{self, events};
use s2n_quic::provider::io::testing::network::{Buffers, Network};
use s2n_quic::provider::io::testing::{Executor, Handle, primary, spawn, time};
use s2n_quic::provider::random;
use s2n_quic::{Client, Server};

/// A request tells the response's length, in eight bytes, and is as long as requests are.
const REQUEST: usize = 300;
const SERVER_PORT: u16 = 49152;

pub(crate) struct S2n {
    certificate: Certificate,
}

impl S2n {
    pub(crate) fn new() -> S2n {
        S2n {
            certificate: Certificate::new(),
        }
    }
}

fn now() -> Duration {
    // SAFETY: virtual time begins at zero.
    unsafe { time::now().as_duration() }
}

impl Stack for S2n {
    fn name(&self) -> &'static str {
        "s2n"
    }

    fn version(&self) -> &'static str {
        "1.91.0"
    }

    fn run(&self, mut scenario: Scenario) -> Trace {
        if !scenario.stalls.is_empty() {
            // Its network can't hold an end up.
            return Trace::default();
        }
        let script = std::mem::replace(&mut scenario.script, Box::new(|_| Fate::Pass));
        let wire = Rc::new(RefCell::new(Wire::new(scenario.one_way, script)));
        let mut executor = Executor::new(Path(wire.clone()), 1);
        let handle = executor.handle().clone();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let answered = Arc::new(Mutex::new(Vec::new()));
        executor.enter(|| self.start(&handle, &scenario, &seen, &answered));
        executor.run();
        executor.close();
        drop(executor);
        let mut wire = Rc::into_inner(wire)
            .expect("nobody else has the path")
            .into_inner();
        for (at, sender, seen) in seen.lock().expect("samples").drain(..) {
            wire.observe(at, sender, seen);
        }
        let mut trace = wire.trace;
        trace
            .datagrams
            .retain(|sighting| sighting.at <= scenario.until);
        trace.answered = std::mem::take(&mut answered.lock().expect("answers"));
        trace
    }
}

type Seen = Arc<Mutex<Vec<(Duration, Direction, Observation)>>>;
type Answered = Arc<Mutex<Vec<Duration>>>;

impl S2n {
    fn start(&self, handle: &Handle, scenario: &Scenario, seen: &Seen, answered: &Answered) {
        let Certificate {
            certificate_pem,
            key_pem,
            ..
        } = &self.certificate;
        let io = || {
            let most = if scenario.mtu_discovery { 1500 } else { 1228 };
            handle
                .builder()
                .with_max_mtu(most)
                .build()
                .expect("a socket")
        };
        let subscriber = |sender| Subscriber {
            sender,
            seen: seen.clone(),
        };
        let tls = s2n_quic::provider::tls::rustls::Server::builder();
        let tls = tls
            .with_certificate(certificate_pem.as_str(), key_pem.as_str())
            .expect("a certificate");
        let tls = tls
            .with_application_protocols([b"h3".as_slice()].into_iter())
            .expect("a protocol");
        let mut server = Server::builder()
            .with_io(io())
            .expect("a socket")
            .with_tls(tls.build().expect("TLS"))
            .expect("TLS")
            .with_event(subscriber(Direction::Down))
            .expect("events")
            .with_random(Seeded(1))
            .expect("a generator")
            .start()
            .expect("a server");
        let address = server.local_addr().expect("an address");
        assert_eq!(address.port(), SERVER_PORT);
        spawn(async move {
            while let Some(mut connection) = server.accept().await {
                spawn(async move {
                    while let Ok(Some(stream)) = connection.accept_bidirectional_stream().await {
                        spawn(answer(stream));
                    }
                });
            }
        });
        let tls = s2n_quic::provider::tls::rustls::Client::builder();
        let tls = tls
            .with_certificate(certificate_pem.as_str())
            .expect("a certificate");
        let tls = tls
            .with_application_protocols([b"h3".as_slice()].into_iter())
            .expect("a protocol");
        let client = Client::builder()
            .with_io(io())
            .expect("a socket")
            .with_tls(tls.build().expect("TLS"))
            .expect("TLS")
            .with_event(subscriber(Direction::Up))
            .expect("events")
            .with_random(Seeded(2))
            .expect("a generator")
            .start()
            .expect("a client");
        let requests = scenario.requests.clone();
        let wanted = answered.clone();
        spawn(async move {
            let connect = Connect::new(address).with_server_name(HOST_NAME);
            let Ok(connection) = client.connect(connect).await else {
                return;
            };
            for request in requests {
                if request.at > now() {
                    time::delay(request.at - now()).await;
                }
                let (mut connection, answered) = (connection.handle(), wanted.clone());
                spawn(async move {
                    let Ok(stream) = connection.open_bidirectional_stream().await else {
                        return;
                    };
                    let (mut receive, mut send) = stream.split();
                    let mut content = request.bytes.to_be_bytes().to_vec();
                    content.resize(REQUEST, 0);
                    let _ = send.send(Bytes::from(content)).await;
                    let _ = send.finish();
                    while let Ok(Some(_)) = receive.receive().await {}
                    answered.lock().expect("answers").push(now());
                });
            }
            // The connection lives as long as this task.
            time::delay(Duration::from_secs(60)).await;
            drop((connection, client));
        });
        let (until, lingers) = (scenario.until, scenario.lingers);
        let (all, answered) = (scenario.requests.len(), answered.clone());
        primary::spawn(async move {
            while now() < until && (lingers || answered.lock().expect("answers").len() < all) {
                time::delay(Duration::from_millis(1)).await;
            }
        });
    }
}

async fn answer(stream: s2n_quic::stream::BidirectionalStream) {
    let (mut receive, mut send) = stream.split();
    let mut request = Vec::new();
    while let Ok(Some(piece)) = receive.receive().await {
        request.extend_from_slice(&piece);
    }
    let Some(length) = request.first_chunk() else {
        return;
    };
    let length = usize::try_from(u64::from_be_bytes(*length)).expect("a length");
    let _ = send.send(Bytes::from(vec![0; length])).await;
    let _ = send.finish();
}

/// The path between the two.
struct Path(Rc<RefCell<Wire>>);

impl Network for Path {
    fn execute(&mut self, buffers: &Buffers) -> usize {
        let mut count = 0;
        buffers.drain_pending_transmissions(|mut packet| {
            count += 1;
            let direction = match packet.path.local_address.0.port() == SERVER_PORT {
                true => Direction::Down,
                false => Direction::Up,
            };
            let sent = now();
            let datagram = std::mem::take(&mut packet.payload);
            if let Some((at, arriving)) = self.0.borrow_mut().carry(sent, direction, datagram) {
                packet.payload = arriving;
                packet.switch();
                let buffers = buffers.clone();
                spawn(async move {
                    time::delay(at - sent).await;
                    buffers.rx(*packet.path.local_address, |queue| queue.enqueue(packet));
                });
            }
            Ok(())
        });
        count
    }
}

struct Subscriber {
    sender: Direction,
    seen: Seen,
}

impl event::Subscriber for Subscriber {
    type ConnectionContext = ();

    fn create_connection_context(
        &mut self,
        _: &events::ConnectionMeta,
        _: &events::ConnectionInfo,
    ) {
    }

    fn on_recovery_metrics(
        &mut self,
        (): &mut (),
        _: &events::ConnectionMeta,
        event: &events::RecoveryMetrics,
    ) {
        let seen = Observation {
            window: Some(u64::from(event.congestion_window)),
            smoothed_rtt: Some(event.smoothed_rtt),
        };
        self.seen
            .lock()
            .expect("samples")
            .push((now(), self.sender, seen));
    }
}

/// Numbers that only look random: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Seeded(u64);

impl Seeded {
    fn fill(&mut self, bytes: &mut [u8]) {
        for piece in bytes.chunks_mut(8) {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = self.0;
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            piece.copy_from_slice(&mixed.to_le_bytes()[..piece.len()]);
        }
    }
}

impl random::Generator for Seeded {
    fn public_random_fill(&mut self, bytes: &mut [u8]) {
        self.fill(bytes);
    }

    fn private_random_fill(&mut self, bytes: &mut [u8]) {
        self.fill(bytes);
    }
}

impl random::Provider for Seeded {
    type Generator = Seeded;
    type Error = Infallible;

    fn start(self) -> Result<Seeded, Infallible> {
        Ok(self)
    }
}
