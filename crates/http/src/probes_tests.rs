//! A client of quinn's whose second flight is lost, in tokio's paused time and over sockets in memory.

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::task::Waker;
use std::time::Duration;

use quinn::{Endpoint, EndpointConfig, ServerConfig, TokioRuntime};
use tokio::time::Instant;

use super::*;
use crate::test_identity::{self, HOST_NAME};
use crate::{QuicCongestionControl, QuicOptions, QuicWatch, TransportKnobs};
use crate::{client_quic_config, server_quic_config};

const ONE_WAY: Duration = Duration::from_millis(25);

/// A socket whose datagrams take [`ONE_WAY`] to the other one, but for those that are lost.
#[derive(Debug)]
struct Socket {
    address: SocketAddr,
    inbox: Arc<Inbox>,
    other: Arc<Inbox>,
    /// What is sent at these times after the start is lost.
    start: Instant,
    lost: std::ops::Range<Duration>,
}

#[derive(Debug, Default)]
struct Inbox(Mutex<Arrived>);

#[derive(Debug, Default)]
struct Arrived {
    datagrams: VecDeque<(SocketAddr, Vec<u8>)>,
    waiting: Option<Waker>,
}

#[derive(Debug)]
struct Writable;

impl UdpPoller for Writable {
    fn poll_writable(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl AsyncUdpSocket for Socket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Writable)
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        if self.lost.contains(&self.start.elapsed()) {
            return Ok(());
        }
        let (other, from) = (self.other.clone(), self.address);
        let contents = transmit.contents.to_vec();
        tokio::spawn(async move {
            tokio::time::sleep(ONE_WAY).await;
            let mut inbox = other.0.lock().expect("an inbox");
            inbox.datagrams.push_back((from, contents));
            if let Some(waker) = inbox.waiting.take() {
                waker.wake();
            }
        });
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let mut inbox = self.inbox.0.lock().expect("an inbox");
        let Some((addr, datagram)) = inbox.datagrams.pop_front() else {
            inbox.waiting = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let len = datagram.len();
        bufs[0][..len].copy_from_slice(&datagram);
        meta[0] = RecvMeta {
            addr,
            len,
            stride: len,
            ecn: None,
            dst_ip: None,
        };
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

fn configs() -> (quinn::ClientConfig, ServerConfig) {
    let options = QuicOptions {
        congestion_control: QuicCongestionControl::Cubic,
        knobs: TransportKnobs::default(),
        watch: QuicWatch::default(),
    };
    let (client, server) = test_identity::configs();
    (
        client_quic_config(client, &options).expect("a client"),
        server_quic_config(server, &options).expect("a server"),
    )
}

/// How long a small response takes where all that the client sends is lost for a second, from its second flight on.
fn response_time(accompanied: bool) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let start = Instant::now();
        let (up, down) = (Arc::<Inbox>::default(), Arc::<Inbox>::default());
        let address = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let socket = |port, inbox: &Arc<Inbox>, other: &Arc<Inbox>, lost| Socket {
            address: address(port),
            inbox: inbox.clone(),
            other: other.clone(),
            start,
            lost,
        };
        let none = Duration::ZERO..Duration::ZERO;
        let second = 2 * ONE_WAY..2 * ONE_WAY + Duration::from_secs(1);
        let (client_config, server_config) = configs();
        let endpoint = |config, socket| {
            let runtime = Arc::new(TokioRuntime);
            Endpoint::new_with_abstract_socket(EndpointConfig::default(), config, socket, runtime)
                .expect("an endpoint")
        };
        let server = endpoint(Some(server_config), Arc::new(socket(443, &up, &down, none)));
        tokio::spawn(async move {
            let connection = server.accept().await.expect("a client").await;
            let connection = connection.expect("a handshake");
            let (mut send, mut receive) = connection.accept_bi().await.expect("a request");
            receive.read_to_end(1000).await.expect("a request");
            send.write_all(&[0; 500]).await.expect("a response");
            send.finish().expect("a response");
            connection.closed().await;
        });
        let (probing, probes) = Probing::over(Arc::new(socket(50_000, &down, &up, second)));
        let client = endpoint(None, probing);
        let connection = client.connect_with(client_config, address(443), HOST_NAME);
        let connection = connection.expect("a name").await.expect("a handshake");
        if accompanied {
            tokio::spawn(probes.accompany(connection.clone()));
        }
        let (mut send, mut receive) = connection.open_bi().await.expect("a stream");
        send.write_all(&[0; 300]).await.expect("a request");
        send.finish().expect("a request");
        receive.read_to_end(1000).await.expect("a response");
        start.elapsed()
    })
}

/// RFC 9002, section 6.2: probes 150, 450 and 1050 ms after the second flight, and two round trips.
#[test]
fn an_accompanied_connection_gets_on_as_soon_as_a_probe_passes() {
    let time = response_time(true);
    assert!(time <= Duration::from_millis(1210), "{time:?}");
}

/// Where this fails, quinn is mended, and the rest of this file may go.
#[test]
fn quinn_by_itself_does_not() {
    let time = response_time(false);
    assert!(time >= Duration::from_secs(3), "{time:?}");
}
