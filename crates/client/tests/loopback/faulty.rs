//! Servers that misbehave in one way each.

use std::sync::Arc;

use bytes::Bytes;
use h2::Reason;
use pronghorn_client::PageLoad;
use pronghorn_http::Protocol;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::fixture::{AMPLE, Fixture, on_one_thread, target};

/// What is wrong with the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Announces 100 bytes, sends 6 and ends.
    ShortBody,
    /// Refuses every request but the first of its first connection.
    RefusedOnce,
    /// Resets the stream in mid-body.
    Reset,
}

/// Loads `/` from such a server.
pub(crate) fn load(site: &Fixture, protocol: Protocol, fault: Fault) -> PageLoad {
    on_one_thread(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let tls = pronghorn_http::server_tls(
            &site.path("leaf.pem"),
            &site.path("leaf.key"),
            &[protocol],
            0,
        );
        let acceptor = TlsAcceptor::from(Arc::new(tls.expect("usable TLS")));
        tokio::task::spawn_local(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.expect("a connection");
                let acceptor = acceptor.clone();
                tokio::task::spawn_local(async move {
                    let Ok(stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    match protocol {
                        Protocol::H1 => cut_short(stream).await,
                        _ => misbehave(stream, number, fault).await,
                    }
                });
            }
        });
        let target = target(&site.path("ca.pem"), port, protocol);
        pronghorn_client::load(target, "/", AMPLE)
            .await
            .expect("a load")
    })
}

async fn cut_short(mut stream: TlsStream<TcpStream>) {
    let _ = stream.read(&mut [0; 4096]).await;
    let _ = stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsix by")
        .await;
    let _ = stream.shutdown().await;
}

async fn misbehave(stream: TlsStream<TcpStream>, number: usize, fault: Fault) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    let mut first = number == 0;
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        if fault == Fault::RefusedOnce && number == 0 && !first {
            respond.send_reset(Reason::REFUSED_STREAM);
            continue;
        }
        let document = request.uri().path() == "/";
        first = false;
        let mut response = http::Response::builder();
        if fault == Fault::ShortBody {
            response = response.header("content-length", 100);
        }
        let body: &[u8] = match fault {
            Fault::RefusedOnce if document => b"<img src=/image.png>",
            _ => b"six by",
        };
        let response = response.body(()).expect("a response");
        let mut stream = respond.send_response(response, false).expect("sent");
        let last = fault != Fault::Reset;
        stream
            .send_data(Bytes::from_static(body), last)
            .expect("sent");
        if !last {
            stream.send_reset(Reason::INTERNAL_ERROR);
        }
    }
}
