//! Connections without TLS: HTTP/2 for a client that opens with its preface (prior knowledge, RFC 9113
//! §3.3), HTTP/1.1 for any other.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use pronghorn_http::Protocol;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// What a client of HTTP/2 sends first (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A stream of which the first bytes were read to tell its protocol; it gives them again.
pub(crate) struct Reopened<S> {
    stream: S,
    opening: [u8; PREFACE.len()],
    read: usize,
    given: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Reopened<S> {
    /// Reads until the protocol is sure. An error is the stream's, or its end before that.
    pub(crate) async fn tell(mut stream: S) -> io::Result<(Self, Protocol)> {
        let mut opening = [0; PREFACE.len()];
        let mut read = 0;
        let protocol = loop {
            if read == PREFACE.len() {
                break Protocol::H2;
            }
            match stream.read(&mut opening[read..]).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length => read += length,
            }
            if !PREFACE.starts_with(&opening[..read]) {
                break Protocol::H1;
            }
        };
        let reopened = Reopened {
            stream,
            opening,
            read,
            given: 0,
        };
        Ok((reopened, protocol))
    }

    /// The stream below.
    pub(crate) fn get_ref(&self) -> &S {
        &self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Reopened<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let opening = &self.opening[self.given..self.read];
        if opening.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buffer);
        }
        let length = opening.len().min(buffer.remaining());
        buffer.put_slice(&opening[..length]);
        self.given += length;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Reopened<S> {
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
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(work)
    }

    /// The protocol that is told of bytes which come in pieces, and the bytes that are read then.
    fn told(pieces: &[&[u8]]) -> (Protocol, Vec<u8>) {
        on_one_thread(async {
            let (mut client, server) = tokio::io::duplex(1024);
            let telling = async {
                let (mut stream, protocol) = Reopened::tell(server).await.expect("a protocol");
                let mut bytes = Vec::new();
                stream.read_to_end(&mut bytes).await.expect("its bytes");
                (protocol, bytes)
            };
            let sending = async {
                for piece in pieces {
                    client.write_all(piece).await.expect("room");
                    tokio::task::yield_now().await;
                }
                drop(client);
            };
            tokio::join!(telling, sending).0
        })
    }

    #[test]
    fn the_preface_of_http2_is_told_however_it_is_cut() {
        let all = [PREFACE, b"rest"].concat();
        for cut in 0..all.len() {
            let (first, second) = all.split_at(cut);
            assert_eq!(told(&[first, second]), (Protocol::H2, all.clone()), "{cut}");
        }
    }

    #[test]
    fn anything_else_is_http_1() {
        for bytes in [
            "GET / HTTP/1.1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\rx",
            "PUT",
        ] {
            let expected = (Protocol::H1, bytes.as_bytes().to_vec());
            assert_eq!(told(&[bytes.as_bytes()]), expected);
            assert_eq!(
                told(&[&bytes.as_bytes()[..1], &bytes.as_bytes()[1..]]),
                expected
            );
        }
    }

    #[test]
    fn an_end_within_the_preface_is_an_error() {
        on_one_thread(async {
            let (mut client, server) = tokio::io::duplex(1024);
            client.write_all(&PREFACE[..9]).await.expect("room");
            drop(client);
            assert!(Reopened::tell(server).await.is_err());
        });
    }
}
