//! What reaches a socket in memory of what quinn hands over.

use std::net::Ipv4Addr;

use super::*;

const SEGMENT: usize = 1452;

/// Notes what is sent, unless it is full.
#[derive(Debug, Default)]
struct Socket {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    full: bool,
    /// Each call: where to, bytes, and length of a segment.
    calls: Vec<(u16, Vec<u8>, Option<usize>)>,
    waiting: Vec<Waker>,
}

impl Socket {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("a state")
    }

    fn set_full(&self, full: bool) {
        let mut state = self.lock();
        state.full = full;
        state.waiting.drain(..).for_each(Waker::wake);
    }

    /// The calls so far as destination and length.
    fn calls(&self) -> Vec<(u16, usize)> {
        let state = self.lock();
        let calls = state.calls.iter();
        calls.map(|(port, bytes, _)| (*port, bytes.len())).collect()
    }
}

#[derive(Debug)]
struct Poller(Arc<Socket>);

impl UdpPoller for Poller {
    fn poll_writable(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.lock();
        if state.full {
            state.waiting.push(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncUdpSocket for Socket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Poller(self))
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        let mut state = self.lock();
        if state.full {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let port = transmit.destination.port();
        let bytes = transmit.contents.to_vec();
        state.calls.push((port, bytes, transmit.segment_size));
        Ok(())
    }

    fn poll_recv(
        &self,
        _: &mut Context<'_>,
        _: &mut [IoSliceMut<'_>],
        _: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn max_transmit_segments(&self) -> usize {
        64
    }
}

/// A socket with what gathers for it, on a runtime that runs what is ready whenever it is asked to.
struct World {
    socket: Arc<Socket>,
    gathering: Option<Arc<dyn AsyncUdpSocket>>,
    runtime: tokio::runtime::Runtime,
    handed_over: Vec<u8>,
}

impl World {
    fn new() -> World {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime");
        let socket = Arc::new(Socket::default());
        let gathering = {
            let _entered = runtime.enter();
            Gathering::over(socket.clone())
        };
        let world = World {
            socket,
            gathering: Some(gathering),
            runtime,
            handed_over: Vec::new(),
        };
        world.rest();
        world
    }

    /// Hands over so many bytes to a port, as datagrams of `SEGMENT` bytes; false where the socket is full.
    fn hand_over(&mut self, port: u16, length: usize) -> bool {
        let already = self.handed_over.len();
        let bytes: Vec<u8> = (0..length).map(|at| ((already + at) % 251) as u8).collect();
        let sent = self
            .gathering
            .as_ref()
            .expect("a socket")
            .try_send(&Transmit {
                destination: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
                ecn: None,
                contents: &bytes,
                segment_size: (length > SEGMENT).then_some(SEGMENT),
                src_ip: None,
            });
        match sent {
            Ok(()) => self.handed_over.extend(bytes),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
        self.handed_over.len() > already
    }

    /// Lets every task run until none is ready.
    fn rest(&self) {
        self.runtime.block_on(async {
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        });
    }

    fn all_arrived_in_order(&self) {
        let state = self.socket.lock();
        let arrived: Vec<u8> = state.calls.iter().flat_map(|call| call.1.clone()).collect();
        assert_eq!(arrived, self.handed_over);
        for (_, bytes, segment) in &state.calls {
            assert_eq!(*segment, (bytes.len() > SEGMENT).then_some(SEGMENT));
        }
    }
}

#[test]
fn ten_at_a_time_leave_as_many_as_a_call_takes() {
    let mut world = World::new();
    for _ in 0..8 {
        assert!(world.hand_over(1, 10 * SEGMENT));
    }
    assert_eq!(world.socket.calls(), [(1, 40 * SEGMENT), (1, 40 * SEGMENT)]);
    world.all_arrived_in_order();
}

#[test]
fn what_nobody_adds_to_leaves_once_all_had_their_turn() {
    let mut world = World::new();
    assert!(world.hand_over(1, 10 * SEGMENT));
    assert!(world.socket.calls().is_empty());
    world.rest();
    assert_eq!(world.socket.calls(), [(1, 10 * SEGMENT)]);
}

#[test]
fn fewer_than_ten_are_the_last_and_leave_at_once() {
    let mut world = World::new();
    for length in [100, SEGMENT, 9 * SEGMENT, 9 * SEGMENT + 7] {
        assert!(world.hand_over(1, length));
    }
    let alone = [100, SEGMENT, 9 * SEGMENT, 9 * SEGMENT + 7].map(|length| (1, length));
    assert_eq!(world.socket.calls(), alone);
    assert!(world.hand_over(1, 10 * SEGMENT) && world.hand_over(1, 3 * SEGMENT + 20));
    assert_eq!(world.socket.calls()[4..], [(1, 13 * SEGMENT + 20)]);
    assert!(world.hand_over(1, 10 * SEGMENT) && world.hand_over(1, 20));
    assert_eq!(world.socket.calls()[5..], [(1, 10 * SEGMENT + 20)]);
    world.all_arrived_in_order();
}

#[test]
fn a_longer_datagram_and_another_destination_wait_for_what_was_before() {
    let mut world = World::new();
    assert!(world.hand_over(1, 10 * SEGMENT) && world.hand_over(2, 10 * SEGMENT));
    assert_eq!(world.socket.calls(), [(1, 10 * SEGMENT)]);
    let probe = Transmit {
        destination: SocketAddr::from((Ipv4Addr::LOCALHOST, 2)),
        ecn: None,
        contents: &[0; SEGMENT + 20],
        segment_size: None,
        src_ip: None,
    };
    let sent = world.gathering.as_ref().expect("a socket").try_send(&probe);
    assert!(sent.is_ok());
    assert_eq!(
        world.socket.calls(),
        [(1, 10 * SEGMENT), (2, 10 * SEGMENT), (2, SEGMENT + 20)]
    );
}

#[test]
fn a_full_socket_gets_all_in_order_once_it_has_room() {
    let mut world = World::new();
    world.socket.set_full(true);
    let mut handed_over = 0;
    while world.hand_over(1, 10 * SEGMENT) {
        handed_over += 1;
        world.rest();
    }
    assert_eq!(handed_over, 4);
    assert!(world.hand_over(1, 100) && !world.hand_over(1, 100));
    assert!(world.socket.calls().is_empty());
    world.socket.set_full(false);
    world.rest();
    assert_eq!(world.socket.calls(), [(1, 40 * SEGMENT + 100)]);
    assert!(world.hand_over(1, 100));
    world.all_arrived_in_order();
}

#[test]
fn what_is_left_leaves_with_the_socket() {
    let mut world = World::new();
    assert!(world.hand_over(1, 10 * SEGMENT));
    world.gathering = None;
    assert_eq!(world.socket.calls(), [(1, 10 * SEGMENT)]);
    world.rest();
    let tasks = world.runtime.metrics().num_alive_tasks();
    assert_eq!(tasks, 0);
}
