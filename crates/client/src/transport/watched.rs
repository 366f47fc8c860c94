//! A TLS stream that tells when its handshake is done.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustls::ClientConnection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// What is done with a finished handshake; an error ends the connection.
type Finish = Box<dyn FnOnce(&ClientConnection) -> io::Result<()>>;

/// A stream that may carry early data, so that its handshake ends while it is in use.
pub(super) struct Watched {
    stream: TlsStream<TcpStream>,
    finish: Option<Finish>,
}

impl Watched {
    /// Calls `finish` once the handshake is done, at once where it is.
    pub(super) fn new(
        stream: TlsStream<TcpStream>,
        finish: impl FnOnce(&ClientConnection) -> io::Result<()> + 'static,
    ) -> io::Result<Watched> {
        let mut watched = Watched {
            stream,
            finish: Some(Box::new(finish)),
        };
        watched.look()?;
        Ok(watched)
    }

    fn look(&mut self) -> io::Result<()> {
        if self.finish.is_none() {
            return Ok(());
        }
        let tls = self.stream.get_ref().1;
        if tls.is_handshaking() {
            return Ok(());
        }
        self.finish.take().map_or(Ok(()), |finish| finish(tls))
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        Poll::Ready(self.look())
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.look()?;
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
