//! What HTTP/3 needs of a QUIC implementation: connections and streams. One file implements it per stack, so that the
//! layer above is compiled for each and pays for none.

use bytes::Bytes;
use pronghorn_http3::Code;

use super::H3Error;

/// How a QUIC connection ended.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{detail}")]
pub struct Ended {
    /// What ended it.
    pub by: EndedBy,
    /// As the stack puts it.
    pub detail: String,
}

/// What ended a QUIC connection, as far as users tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// Silence: the idle timeout, or a handshake that took too long.
    Silence,
    /// A TLS alert (RFC 9001 §4.8: 0x0100 to 0x01ff), from either end.
    Tls,
    /// Anything else.
    Other,
}

impl EndedBy {
    /// What an error code of QUIC's own says.
    pub(crate) fn of_code(code: u64) -> EndedBy {
        match code {
            0x100..0x200 => EndedBy::Tls,
            _ => EndedBy::Other,
        }
    }
}

/// A QUIC connection whose handshake is done or that may carry early data. Clones are handles of one connection.
/// Nothing here is asked from more than one thread.
#[expect(async_fn_in_trait, reason = "nobody needs the futures to be Send")]
pub trait QuicConnection: Clone + 'static {
    /// The end of a stream that sends.
    type Send: SendStream;
    /// The end of a stream that receives.
    type Receive: ReceiveStream;

    /// Opens a stream both ways; waits where the peer allows no further one yet.
    async fn open_bi(&self) -> Result<(Self::Send, Self::Receive), Ended>;
    /// Opens a stream one way, likewise.
    async fn open_uni(&self) -> Result<Self::Send, Ended>;
    /// Waits for the peer's next stream both ways. One task does.
    async fn accept_bi(&self) -> Result<(Self::Send, Self::Receive), Ended>;
    /// Waits for its next stream one way. One task does.
    async fn accept_uni(&self) -> Result<Self::Receive, Ended>;
    /// Waits for the connection's end.
    async fn closed(&self);
    /// Ends it, with a code of HTTP/3's.
    fn close(&self, code: Code, reason: &str);
    /// Ends it because it is no longer needed (RFC 9114 §5.2).
    fn end(&self) {
        self.close(Code::NoError, "");
    }
}

/// The end of a stream that sends.
#[expect(async_fn_in_trait, reason = "nobody needs the futures to be Send")]
pub trait SendStream: 'static {
    /// The stream's place among those of its kind, from 0.
    fn index(&self) -> u64;
    /// Sets which stream is sent from first: the largest number; equal ones share in turn.
    fn prioritise(&mut self, priority: i32);
    /// Has it sent from at once, whatever other streams' priorities are. It must not get one.
    fn hasten(&mut self);
    /// Hands all of this over; waits where the stack takes no more.
    async fn write(&mut self, chunks: &mut [Bytes]) -> Result<(), H3Error>;
    /// Ends the stream. One that is gone already is left as it is.
    fn finish(&mut self);
    /// Waits until the peer has all of a stream that was ended, or wants no more of it.
    async fn delivered(&mut self);
    /// Waits until the peer wants no more of a stream that goes on, or the connection has ended; for ever if the stack
    /// doesn't tell.
    async fn unwanted(&mut self);
    /// Breaks it off, likewise.
    fn reset(&mut self, code: Code);
}

/// The end of a stream that receives.
#[expect(async_fn_in_trait, reason = "nobody needs the futures to be Send")]
pub trait ReceiveStream: 'static {
    /// Whether the stream came before the peer's handshake was done.
    fn is_early(&self) -> bool;
    /// Waits for the next bytes in order; none at the stream's end.
    async fn read(&mut self) -> Result<Option<Bytes>, H3Error>;
    /// Tells the peer to send no more.
    fn stop(&mut self, code: Code);
}
