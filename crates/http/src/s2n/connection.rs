//! s2n-quic's connections and streams, as HTTP/3 needs them.

use std::cell::RefCell;
use std::future::{pending, poll_fn};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use pronghorn_http3::Code;
use s2n_quic::application;
use s2n_quic::connection::{self, BidirectionalStreamAcceptor, Handle, ReceiveStreamAcceptor};
use s2n_quic::stream;

use super::told::Told;
use crate::QuicCongestionControl;
use crate::h3::{Ended, EndedBy, H3Error, QuicConnection, ReceiveStream, SendStream};

/// A connection whose handshake is done. Clones are handles of one connection.
#[derive(Clone)]
pub struct S2nConnection {
    handle: Handle,
    acceptors: Rc<Acceptors>,
    pub(super) told: Arc<Told>,
}

/// What a connection tells of itself, as it stands now.
#[derive(Clone)]
pub struct S2nTold(pub(super) Arc<Told>);

impl S2nTold {
    /// The controller that the connection runs, by its events; none before the first acknowledgement.
    #[must_use]
    pub fn congestion_control(&self) -> Option<QuicCongestionControl> {
        self.0.state().control()
    }
}

struct Acceptors {
    bi: RefCell<BidirectionalStreamAcceptor>,
    uni: RefCell<ReceiveStreamAcceptor>,
}

impl S2nConnection {
    pub(super) fn new(connection: s2n_quic::Connection) -> Result<S2nConnection, Ended> {
        let (handle, acceptor) = connection.split();
        let told = handle.query_event_context(|told: &Arc<Told>| told.clone());
        let told = told.map_err(|error| Ended {
            by: EndedBy::Other,
            detail: error.to_string(),
        })?;
        let (bi, uni) = acceptor.split();
        Ok(S2nConnection {
            handle,
            acceptors: Rc::new(Acceptors {
                bi: RefCell::new(bi),
                uni: RefCell::new(uni),
            }),
            told,
        })
    }

    /// A number of its own among its endpoint's connections.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.handle.id()
    }

    /// The protocol that ALPN chose.
    #[must_use]
    pub fn alpn(&self) -> Option<String> {
        let alpn = self.handle.application_protocol().ok()?;
        Some(String::from_utf8_lossy(&alpn).into_owned())
    }

    /// This end's address and the peer's.
    pub fn addresses(&self) -> Result<[SocketAddr; 2], Ended> {
        Ok([self.handle.local_addr()?, self.handle.remote_addr()?])
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.told.is_closed()
    }

    /// What it tells of itself, from any thread.
    #[must_use]
    pub fn told(&self) -> S2nTold {
        S2nTold(self.told.clone())
    }

    /// Has it send a PING after the endpoint's keep-alive period without packets.
    pub(super) fn keep_alive(&mut self) {
        // A connection that has ended already needs none.
        let _ = self.handle.keep_alive(true);
    }
}

impl QuicConnection for S2nConnection {
    type Send = S2nSend;
    type Receive = S2nReceive;

    async fn open_bi(&self) -> Result<(S2nSend, S2nReceive), Ended> {
        let stream = self.handle.clone().open_bidirectional_stream().await?;
        Ok(self.split(stream))
    }

    async fn open_uni(&self) -> Result<S2nSend, Ended> {
        let stream = self.handle.clone().open_send_stream().await?;
        Ok(self.sending(stream))
    }

    async fn accept_bi(&self) -> Result<(S2nSend, S2nReceive), Ended> {
        let accept = poll_fn(|cx| {
            let mut acceptor = self.acceptors.bi.borrow_mut();
            acceptor.poll_accept_bidirectional_stream(cx)
        });
        let stream = accept.await?.ok_or_else(over)?;
        Ok(self.split(stream))
    }

    async fn accept_uni(&self) -> Result<S2nReceive, Ended> {
        let accept = poll_fn(|cx| {
            let mut acceptor = self.acceptors.uni.borrow_mut();
            acceptor.poll_accept_receive_stream(cx)
        });
        let stream = accept.await?.ok_or_else(over)?;
        Ok(S2nReceive(stream))
    }

    async fn closed(&self) {
        self.told.closed().await;
    }

    fn close(&self, code: Code, _reason: &str) {
        self.handle.close(application_error(code));
    }
}

impl S2nConnection {
    fn split(&self, stream: stream::BidirectionalStream) -> (S2nSend, S2nReceive) {
        let (receive, send) = stream.split();
        (self.sending(send), S2nReceive(receive))
    }

    fn sending(&self, stream: stream::SendStream) -> S2nSend {
        S2nSend {
            stream,
            told: self.told.clone(),
            ordered: false,
        }
    }
}

/// The end of a stream that sends: in its turn once it has a priority, else at once.
pub struct S2nSend {
    stream: stream::SendStream,
    told: Arc<Told>,
    ordered: bool,
}

impl SendStream for S2nSend {
    fn index(&self) -> u64 {
        // The two lowest bits say who opened it, and which way it goes (RFC 9000 §2.1).
        self.stream.id() >> 2
    }

    fn prioritise(&mut self, priority: i32) {
        self.told.state().order.enter(self.stream.id(), priority);
        self.ordered = true;
    }

    fn hasten(&mut self) {
        // It waits for no turn.
    }

    async fn write(&mut self, chunks: &mut [Bytes]) -> Result<(), H3Error> {
        if self.ordered {
            // Requests that came at one time take their turns among each other: none has the window before the others
            // were read.
            tokio::task::yield_now().await;
        }
        for chunk in chunks {
            let mut rest = std::mem::take(chunk);
            while !rest.is_empty() {
                let most = match self.ordered {
                    true => self.turn(rest.len()).await,
                    false => rest.len(),
                };
                self.stream
                    .send(rest.split_to(most))
                    .await
                    .map_err(unsent)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self) {
        let _ = self.stream.finish();
    }

    async fn delivered(&mut self) {
        let _ = self.stream.close().await;
    }

    async fn unwanted(&mut self) {
        // s2n-quic tells it only to who sends.
        pending().await
    }

    fn reset(&mut self, code: Code) {
        let _ = self.stream.reset(application_error(code));
    }
}

impl S2nSend {
    /// Waits until the stream may be sent from, and gives how many bytes of `wanted` may be handed over.
    async fn turn(&self, wanted: usize) -> usize {
        let (stream, wanted) = (self.stream.id(), wanted as u64);
        let given = poll_fn(|cx| self.told.state().order.poll_turn(stream, wanted, cx));
        given.await as usize
    }
}

impl Drop for S2nSend {
    fn drop(&mut self) {
        if self.ordered {
            self.told.state().order.done(self.stream.id());
        }
    }
}

/// The end of a stream that receives.
pub struct S2nReceive(stream::ReceiveStream);

impl ReceiveStream for S2nReceive {
    fn is_early(&self) -> bool {
        // The stack takes no early data.
        false
    }

    async fn read(&mut self) -> Result<Option<Bytes>, H3Error> {
        self.0.receive().await.map_err(|error| match error {
            stream::Error::StreamReset { error, .. } => H3Error::Reset(error.into()),
            other => failed(other),
        })
    }

    fn stop(&mut self, code: Code) {
        let _ = self.0.stop_sending(application_error(code));
    }
}

/// A stream whose bytes the peer doesn't want is reset by the stack, which says no more than that.
fn unsent(error: stream::Error) -> H3Error {
    match error {
        stream::Error::StreamReset { error, .. } => H3Error::Stopped(error.into()),
        other => failed(other),
    }
}

fn failed(error: stream::Error) -> H3Error {
    match error {
        stream::Error::ConnectionError { error, .. } => H3Error::Connection(error.into()),
        // Streams are used in order, by one owner.
        _ => H3Error::Reset(Code::InternalError.to_u64()),
    }
}

impl From<connection::Error> for Ended {
    fn from(error: connection::Error) -> Ended {
        let by = match &error {
            connection::Error::IdleTimerExpired { .. }
            | connection::Error::MaxHandshakeDurationExceeded { .. } => EndedBy::Silence,
            connection::Error::Transport { code, .. } => EndedBy::of_code(code.as_u64()),
            _ => EndedBy::Other,
        };
        Ended {
            by,
            detail: error.to_string(),
        }
    }
}

/// An acceptor that brings nothing more.
fn over() -> Ended {
    Ended {
        by: EndedBy::Other,
        detail: "the connection has ended".to_owned(),
    }
}

/// A code as s2n-quic carries it; every HTTP/3 code is a valid variable-length integer.
pub(super) fn application_error(code: Code) -> application::Error {
    application::Error::new(code.to_u64()).unwrap_or(application::Error::UNKNOWN)
}

#[cfg(test)]
mod tests;
