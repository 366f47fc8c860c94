//! TLS over TCP that answers early data before the handshake is done.
//!
//! tokio-rustls gives a stream only after the client's Finished, a round trip after the early data
//! came. So this drives rustls itself, reads what came early, and writes before that Finished
//! (RFC 8446 §4.4.4). It is used where the origin's tickets allow early data, and nowhere else.

use std::io::{self, IoSlice, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::{ServerConfig, ServerConnection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::boundary::Boundary;

/// A connection whose client is heard as early as it speaks.
pub(crate) struct EarlyStream<S> {
    stream: S,
    tls: ServerConnection,
    boundary: Boundary,
    closing: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> EarlyStream<S> {
    /// Shakes hands until there is something to read: early data, or all that comes after.
    pub(crate) async fn accept(stream: S, config: Arc<ServerConfig>) -> io::Result<Self> {
        let tls = ServerConnection::new(config).map_err(io::Error::other)?;
        let mut early = EarlyStream {
            stream,
            tls,
            boundary: Boundary::none(),
            closing: false,
        };
        std::future::poll_fn(|cx| {
            loop {
                ready!(early.poll_send(cx))?;
                if !early.tls.is_handshaking() || early.tls.early_data().is_some() {
                    return Poll::Ready(Ok(()));
                }
                if ready!(early.poll_receive(cx))? == 0 {
                    return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
                }
            }
        })
        .await
        .map(|()| {
            if early.tls.early_data().is_some() {
                early.boundary = Boundary::ahead();
            }
            early
        })
    }

    /// Where its early data ends. What reads it must be run by [`Boundary::serve`].
    pub(crate) fn boundary(&self) -> Boundary {
        self.boundary.clone()
    }

    /// What the handshake settled so far.
    pub(crate) fn tls(&self) -> &rustls::CommonState {
        &self.tls
    }

    /// The stream below.
    pub(crate) fn get_ref(&self) -> &S {
        &self.stream
    }

    /// Takes in what the peer sent; its bytes, none at its end.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut adapter = Adapter {
            stream: &mut self.stream,
            cx,
        };
        let length = match self.tls.read_tls(&mut adapter) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
            other => other?,
        };
        if let Err(error) = self.tls.process_new_packets() {
            // The alert that tells the peer; whether it arrives changes nothing here.
            let _ = self.poll_send(cx);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, error)));
        }
        Poll::Ready(Ok(length))
    }

    /// Hands all that TLS has to send to the stream.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.tls.wants_write() {
            let mut adapter = Adapter {
                stream: &mut self.stream,
                cx,
            };
            match self.tls.write_tls(&mut adapter) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for EarlyStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let room = buffer.initialize_unfilled();
            if room.is_empty() {
                return Poll::Ready(Ok(()));
            }
            if let Some(mut early) = self.tls.early_data() {
                let length = early.read(room)?;
                if length > 0 {
                    buffer.advance(length);
                    return Poll::Ready(Ok(()));
                }
            }
            if !self.tls.is_handshaking() && self.boundary.reach() {
                return Poll::Pending;
            }
            match self.tls.reader().read(room) {
                Ok(length) => {
                    buffer.advance(length);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
            if ready!(self.poll_receive(cx))? == 0 && self.tls.is_handshaking() {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            // What the handshake has to say (tickets, an answer to a change of keys).
            if let Poll::Ready(Err(error)) = self.poll_send(cx) {
                return Poll::Ready(Err(error));
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EarlyStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    /// Takes bytes only once those before them are the stream's, so that little waits here.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_send(cx))?;
        let length = self.tls.writer().write_vectored(slices)?;
        if let Poll::Ready(Err(error)) = self.poll_send(cx) {
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.closing {
            self.closing = true;
            self.tls.send_close_notify();
        }
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// An asynchronous stream as rustls reads and writes: what would wait is an error.
struct Adapter<'a, 'c, S> {
    stream: &'a mut S,
    cx: &'a mut Context<'c>,
}

impl<S: AsyncRead + Unpin> Read for Adapter<'_, '_, S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(bytes);
        match Pin::new(&mut *self.stream).poll_read(self.cx, &mut buffer) {
            Poll::Ready(done) => done.map(|()| buffer.filled().len()),
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl<S: AsyncWrite + Unpin> Write for Adapter<'_, '_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match Pin::new(&mut *self.stream).poll_write_vectored(self.cx, slices) {
            Poll::Ready(done) => done,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "early_tests.rs"]
mod tests;
