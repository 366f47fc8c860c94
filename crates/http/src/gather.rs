//! Gathers what quinn sends at once into as few system calls as the kernel allows.
//!
//! quinn hands a connection's datagrams over ten at a time, however many there are. The kernel takes as many as
//! 64 KiB hold, and much of what a call costs does not grow with them; nor does the peer acknowledge each part
//! of them for itself where it reads them together. So ten that may go on wait here until no task of the runtime adds any.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker, ready};

use quinn::udp::{EcnCodepoint, RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};

/// Datagrams that quinn hands over at once where a connection has so many (`MAX_TRANSMIT_SEGMENTS`); fewer are the last ones.
const AT_ONCE: usize = 10;

/// Most bytes of datagrams that one call takes, over IPv4 and IPv6 alike: UDP's length field counts its header.
const MOST: usize = 65_487;

/// A socket that gathers.
#[derive(Debug)]
pub(crate) struct Gathering {
    socket: Arc<dyn AsyncUdpSocket>,
    batch: Mutex<Batch>,
}

/// What datagrams of one call have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    destination: SocketAddr,
    ecn: Option<EcnCodepoint>,
    src_ip: Option<IpAddr>,
    /// Of each but the last, in bytes.
    segment: usize,
}

#[derive(Debug, Default)]
struct Batch {
    kind: Option<Kind>,
    bytes: Vec<u8>,
    /// How often anything was added since the start.
    additions: u64,
    /// Who sends what nobody adds to.
    sender: Option<Waker>,
}

impl Gathering {
    /// Takes over a socket. Must be called inside a tokio runtime, the one that drives quinn's connections.
    pub(crate) fn over(socket: Arc<dyn AsyncUdpSocket>) -> Arc<dyn AsyncUdpSocket> {
        let poller = socket.clone().create_io_poller();
        let gathering = Arc::new(Gathering {
            socket,
            batch: Mutex::default(),
        });
        tokio::spawn(Sender {
            gathering: Arc::downgrade(&gathering),
            poller,
            seen: 0,
        });
        gathering
    }

    fn lock(&self) -> MutexGuard<'_, Batch> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the batch to the socket. It is gone then, unless the socket is full (`WouldBlock`).
    fn send(&self, batch: &mut Batch) -> io::Result<()> {
        let Some(kind) = batch.kind else {
            return Ok(());
        };
        let several = batch.bytes.len() > kind.segment;
        let sent = self.socket.try_send(&Transmit {
            destination: kind.destination,
            ecn: kind.ecn,
            contents: &batch.bytes,
            segment_size: several.then_some(kind.segment),
            src_ip: kind.src_ip,
        });
        if !is_full(&sent) {
            batch.kind = None;
            batch.bytes.clear();
        }
        sent
    }

    /// Whether more datagrams may come that could go in one call with these.
    fn may_go_on(&self, transmit: &Transmit<'_>) -> bool {
        let length = transmit.contents.len();
        transmit.segment_size.is_some_and(|segment| {
            segment > 0
                && length % segment == 0
                && length / segment >= AT_ONCE
                && self.has_room(segment, length + AT_ONCE * segment)
        })
    }

    fn has_room(&self, segment: usize, length: usize) -> bool {
        length <= MOST && length.div_ceil(segment) <= self.socket.max_transmit_segments()
    }

    /// Whether a batch can go on with these: all its datagrams are of one length but the last one of all.
    fn takes(&self, batch: &Batch, kind: Kind, transmit: &Transmit<'_>) -> bool {
        let length = batch.bytes.len() + transmit.contents.len();
        batch.kind == Some(kind)
            && batch.bytes.len() % kind.segment == 0
            && self.has_room(kind.segment, length)
    }
}

/// Whether a socket has no room for now.
fn is_full(sent: &io::Result<()>) -> bool {
    matches!(sent, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

impl AsyncUdpSocket for Gathering {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        self.socket.clone().create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        let mut batch = self.lock();
        let (before, single) = (batch.kind, transmit.contents.len());
        // One datagram may end a batch whose others are no shorter.
        let segment = match (transmit.segment_size, before) {
            (Some(segment), _) => segment,
            (None, Some(kind)) if single <= kind.segment => kind.segment,
            (None, _) => single,
        };
        let kind = Kind {
            destination: transmit.destination,
            ecn: transmit.ecn,
            src_ip: transmit.src_ip,
            segment,
        };
        if before.is_some() && !self.takes(&batch, kind, transmit) {
            self.send(&mut batch)?;
        }
        let goes_on = self.may_go_on(transmit);
        if batch.kind.is_none() && !goes_on {
            return self.socket.try_send(transmit);
        }
        batch.kind = Some(kind);
        batch.bytes.extend_from_slice(transmit.contents);
        batch.additions += 1;
        let full = !self.has_room(segment, batch.bytes.len() + AT_ONCE * segment);
        if !goes_on || full {
            let sent = self.send(&mut batch);
            if !is_full(&sent) {
                return sent;
            }
            // They are quinn's no longer, so they wait here for the socket.
        }
        if let Some(sender) = &batch.sender {
            sender.wake_by_ref();
        }
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        self.socket.poll_recv(cx, bufs, meta)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.socket.max_transmit_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.socket.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.socket.may_fragment()
    }
}

impl Drop for Gathering {
    fn drop(&mut self) {
        let mut batch = std::mem::take(&mut *self.lock());
        // A datagram that can't be sent any more is lost, as any may be.
        let _ = self.send(&mut batch);
        if let Some(sender) = batch.sender {
            sender.wake();
        }
    }
}

/// Sends what was gathered once every task of the runtime had its turn and none added to it.
struct Sender {
    gathering: Weak<Gathering>,
    poller: Pin<Box<dyn UdpPoller>>,
    seen: u64,
}

impl Future for Sender {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(gathering) = self.gathering.upgrade() else {
            return Poll::Ready(());
        };
        let mut batch = gathering.lock();
        if !batch
            .sender
            .as_ref()
            .is_some_and(|known| known.will_wake(cx.waker()))
        {
            batch.sender = Some(cx.waker().clone());
        }
        if batch.additions != self.seen {
            self.seen = batch.additions;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        while is_full(&gathering.send(&mut batch)) {
            if ready!(self.poller.as_mut().poll_writable(cx)).is_err() {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    }
}

#[cfg(test)]
#[path = "gather_tests.rs"]
mod tests;
