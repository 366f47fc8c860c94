//! quinn's connections and streams, as HTTP/3 needs them.

use bytes::Bytes;
use pronghorn_http3::Code;

use super::transport::{Ended, EndedBy, QuicConnection, ReceiveStream, SendStream};
use super::{H3Error, READ};

impl From<quinn::ConnectionError> for Ended {
    fn from(error: quinn::ConnectionError) -> Ended {
        let by = match &error {
            quinn::ConnectionError::TimedOut => EndedBy::Silence,
            quinn::ConnectionError::TransportError(error) => EndedBy::of_code(error.code.into()),
            quinn::ConnectionError::ConnectionClosed(close) => {
                EndedBy::of_code(close.error_code.into())
            }
            _ => EndedBy::Other,
        };
        Ended {
            by,
            detail: error.to_string(),
        }
    }
}

impl QuicConnection for quinn::Connection {
    type Send = quinn::SendStream;
    type Receive = quinn::RecvStream;

    async fn open_bi(&self) -> Result<(quinn::SendStream, quinn::RecvStream), Ended> {
        Ok(quinn::Connection::open_bi(self).await?)
    }

    async fn open_uni(&self) -> Result<quinn::SendStream, Ended> {
        Ok(quinn::Connection::open_uni(self).await?)
    }

    async fn accept_bi(&self) -> Result<(quinn::SendStream, quinn::RecvStream), Ended> {
        Ok(quinn::Connection::accept_bi(self).await?)
    }

    async fn accept_uni(&self) -> Result<quinn::RecvStream, Ended> {
        Ok(quinn::Connection::accept_uni(self).await?)
    }

    async fn closed(&self) {
        let _ = quinn::Connection::closed(self).await;
    }

    fn close(&self, code: Code, reason: &str) {
        quinn::Connection::close(self, varint(code), reason.as_bytes());
    }
}

impl SendStream for quinn::SendStream {
    fn index(&self) -> u64 {
        self.id().index()
    }

    fn prioritise(&mut self, priority: i32) {
        // A stream that is gone has nothing left to send.
        let _ = self.set_priority(priority);
    }

    fn hasten(&mut self) {
        // The first response of the highest urgency has the same: they share.
        self.prioritise(i32::MAX);
    }

    async fn write(&mut self, chunks: &mut [Bytes]) -> Result<(), H3Error> {
        Ok(self.write_all_chunks(chunks).await?)
    }

    fn finish(&mut self) {
        let _ = quinn::SendStream::finish(self);
    }

    async fn delivered(&mut self) {
        let _ = self.stopped().await;
    }

    async fn unwanted(&mut self) {
        let _ = self.stopped().await;
    }

    fn reset(&mut self, code: Code) {
        let _ = quinn::SendStream::reset(self, varint(code));
    }
}

impl ReceiveStream for quinn::RecvStream {
    fn is_early(&self) -> bool {
        self.is_0rtt()
    }

    async fn read(&mut self) -> Result<Option<Bytes>, H3Error> {
        let chunk = self.read_chunk(READ, true).await?;
        Ok(chunk.map(|chunk| chunk.bytes))
    }

    fn stop(&mut self, code: Code) {
        let _ = quinn::RecvStream::stop(self, varint(code));
    }
}

impl From<quinn::ReadError> for H3Error {
    fn from(error: quinn::ReadError) -> Self {
        match error {
            quinn::ReadError::Reset(code) => H3Error::Reset(code.into_inner()),
            quinn::ReadError::ConnectionLost(error) => H3Error::Connection(error.into()),
            quinn::ReadError::ZeroRttRejected => H3Error::EarlyDataRejected,
            // Streams are read in order, by one owner.
            _ => H3Error::Reset(Code::InternalError.to_u64()),
        }
    }
}

impl From<quinn::WriteError> for H3Error {
    fn from(error: quinn::WriteError) -> Self {
        match error {
            quinn::WriteError::Stopped(code) => H3Error::Stopped(code.into_inner()),
            quinn::WriteError::ConnectionLost(error) => H3Error::Connection(error.into()),
            quinn::WriteError::ZeroRttRejected => H3Error::EarlyDataRejected,
            _ => H3Error::Reset(Code::InternalError.to_u64()),
        }
    }
}

/// The code with which a connection ends that is no longer needed (RFC 9114 §8.1).
pub fn no_error() -> quinn::VarInt {
    varint(Code::NoError)
}

/// A code as quinn carries it; every HTTP/3 code is a valid variable-length integer.
fn varint(code: Code) -> quinn::VarInt {
    quinn::VarInt::from_u64(code.to_u64()).unwrap_or(quinn::VarInt::MAX)
}
