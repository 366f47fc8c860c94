//! The thread of one host that moves every flow's bytes, and keeps the flows connected.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};

use super::{from_errno, socket};
use crate::processes::host::Host;

/// Bytes that a call hands over at most.
const CHUNK: usize = 256 * 1024;

/// How long a flow that couldn't be connected waits before the next attempt, in milliseconds.
const RETRY_MS: u8 = 200;

/// What a host does with its ends of the flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Sends as much as the connections take.
    Send,
    /// Takes what comes and drops it.
    Discard,
}

/// What one host's ends of the flows have done.
#[derive(Default)]
pub(super) struct Tally {
    received_bytes: AtomicU64,
    retransmits_of_ended: AtomicU64,
    streams: Mutex<Vec<Arc<TcpStream>>>,
}

impl Tally {
    pub(super) fn received_bytes(&self) -> u64 {
        self.received_bytes.load(Ordering::Relaxed)
    }

    /// Segments sent again by all connections that there are and were.
    pub(super) fn retransmits(&self) -> u64 {
        let living: u64 = self.streams().iter().map(|s| socket::retransmits(s)).sum();
        living + self.retransmits_of_ended.load(Ordering::Relaxed)
    }

    /// Connections that are made.
    pub(super) fn connected(&self) -> u32 {
        let streams = self.streams();
        streams.iter().filter(|s| s.peer_addr().is_ok()).count() as u32
    }

    /// The connections' congestion controls, sorted, each once.
    pub(super) fn congestion_controls(&self) -> Vec<String> {
        let streams = self.streams();
        let mut names: Vec<String> = streams
            .iter()
            .filter_map(|stream| socket::congestion_control(stream))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn streams(&self) -> MutexGuard<'_, Vec<Arc<TcpStream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A handle to the thread, which ends with it.
pub(super) struct Pump {
    tally: Arc<Tally>,
    bell: Arc<EventFd>,
    ends: Arc<AtomicBool>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Pump {
    /// Takes connections on `address` of `host`, and works on them.
    pub(super) fn accept(host: &Host, address: IpAddr, work: Work) -> io::Result<Pump> {
        let listener = host.within(move || TcpListener::bind((address, 0)))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Pump::start(host, Source::Listener(listener), port, work)
    }

    /// Makes `flows` connections from `host`, works on them, and makes those anew that end.
    pub(super) fn connect(
        host: &Host,
        to: SocketAddr,
        flows: usize,
        work: Work,
    ) -> io::Result<Pump> {
        Pump::start(host, Source::Connections { to, flows }, to.port(), work)
    }

    pub(super) fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// The port of the flows at the side that takes connections.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    fn start(host: &Host, source: Source, port: u16, work: Work) -> io::Result<Pump> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        let bell = EventFd::from_value_and_flags(0, flags).map_err(from_errno)?;
        let bell = Arc::new(bell);
        let tally = Arc::new(Tally::default());
        let ends = Arc::new(AtomicBool::new(false));
        let ours = Loop {
            work,
            source,
            tally: Arc::clone(&tally),
            bell: Arc::clone(&bell),
            ends: Arc::clone(&ends),
            streams: Vec::new(),
            chunk: match work {
                Work::Send => vec![0; CHUNK],
                Work::Discard => Vec::new(),
            },
        };
        let thread = host.thread("cross", move || ours.run())?;
        Ok(Pump {
            tally,
            bell,
            ends,
            port,
            thread: Some(thread),
        })
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        let _ = self.bell.write(1);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.tally.streams().clear();
    }
}

/// Where a host's ends of the flows come from.
enum Source {
    Listener(TcpListener),
    Connections { to: SocketAddr, flows: usize },
}

/// The thread's own state.
struct Loop {
    work: Work,
    source: Source,
    tally: Arc<Tally>,
    bell: Arc<EventFd>,
    ends: Arc<AtomicBool>,
    streams: Vec<Arc<TcpStream>>,
    chunk: Vec<u8>,
}

impl Loop {
    fn run(mut self) {
        while !self.ends.load(Ordering::Acquire) {
            let complete = self.renew();
            let mut ready = self.wait(complete);
            let mut ended = false;
            for (place, stream) in self.streams.iter().enumerate() {
                if ready.get(place) == Some(&true) && self.move_bytes(stream).is_err() {
                    let sent_again = socket::retransmits(stream);
                    let lost = &self.tally.retransmits_of_ended;
                    lost.fetch_add(sent_again, Ordering::Relaxed);
                    ended = true;
                } else if let Some(flag) = ready.get_mut(place) {
                    *flag = false;
                }
            }
            if ended {
                let mut failed = ready.into_iter();
                self.streams.retain(|_| failed.next() != Some(true));
                self.publish();
            }
        }
    }

    /// Takes or makes the connections that are missing; false where an attempt has failed.
    fn renew(&mut self) -> bool {
        let before = self.streams.len();
        let complete = match &self.source {
            Source::Listener(listener) => {
                while let Ok((stream, _)) = listener.accept() {
                    socket::end_at_once(&stream);
                    if stream.set_nonblocking(true).is_ok() {
                        self.streams.push(Arc::new(stream));
                    }
                }
                true
            }
            Source::Connections { to, flows } => (self.streams.len()..*flows).all(|_| {
                socket::begin_connection(*to)
                    .map(|stream| self.streams.push(Arc::new(stream)))
                    .is_ok()
            }),
        };
        if self.streams.len() != before {
            self.publish();
        }
        complete
    }

    fn publish(&self) {
        self.tally.streams().clone_from(&self.streams);
    }

    /// Sleeps until something can be done; for each stream, whether it can.
    fn wait(&self, complete: bool) -> Vec<bool> {
        let events = match self.work {
            Work::Send => PollFlags::POLLOUT,
            Work::Discard => PollFlags::POLLIN,
        };
        let mut fds = vec![PollFd::new(self.bell.as_fd(), PollFlags::POLLIN)];
        fds.extend(self.streams.iter().map(|s| PollFd::new(s.as_fd(), events)));
        if let Source::Listener(listener) = &self.source {
            fds.push(PollFd::new(listener.as_fd(), PollFlags::POLLIN));
        }
        let timeout = if complete {
            PollTimeout::NONE
        } else {
            PollTimeout::from(RETRY_MS)
        };
        if poll(&mut fds, timeout).is_err() {
            return vec![false; self.streams.len()];
        }
        let ready = |fd: &PollFd<'_>| fd.any() == Some(true);
        fds[1..=self.streams.len()].iter().map(ready).collect()
    }

    /// Sends or takes what can be now; an error where the connection has ended.
    fn move_bytes(&self, stream: &TcpStream) -> io::Result<()> {
        loop {
            let moved = match self.work {
                Work::Send => socket::send_some(stream, &self.chunk),
                Work::Discard => socket::discard(stream, CHUNK),
            };
            match moved {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(bytes) if self.work == Work::Discard => {
                    let received = &self.tally.received_bytes;
                    received.fetch_add(bytes as u64, Ordering::Relaxed);
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
