//! A server that does with each connection what a test tells it.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::BytesMut;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use pronghorn_http::{Protocol, server_tls};
use pronghorn_http3::connection::{Config, Connection};
use pronghorn_http3::message::put_response;
use pronghorn_http3::{Code, Side, frame};
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Endpoint, RecvStream, SendStream, ServerConfig, TransportConfig};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use socket2::SockRef;
use tempfile::TempDir;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

/// The name in every certificate.
pub(super) const HOST_NAME: &str = "origin.pronghorn.test";

/// A certificate for [`HOST_NAME`] that vouches for itself.
pub(super) struct Certificate(TempDir);

impl Certificate {
    pub(super) fn new() -> Certificate {
        let made = rcgen::generate_simple_self_signed([HOST_NAME.to_owned()]).expect("a key");
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join("leaf.pem"), made.cert.pem()).expect("a file");
        let key = made.key_pair.serialize_pem();
        std::fs::write(folder.path().join("leaf.key"), key).expect("a file");
        Certificate(folder)
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("leaf.pem")
    }

    pub(super) fn key(&self) -> PathBuf {
        self.0.path().join("leaf.key")
    }
}

/// A server on a thread of its own, which goes without a word when this is dropped.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What a server is beside what it does.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) alpn: Protocol,
    pub(super) streams: u32,
    pub(super) stream_window: u32,
    /// How long it keeps a connection on which nothing comes.
    pub(super) idle: Duration,
    /// Bytes of its socket's receive buffer, of which the kernel makes twice as many. 0: as the host has it.
    pub(super) receive_buffer: usize,
    /// It takes no client but one with its own certificate.
    pub(super) wants_certificate: bool,
}

impl Default for Kind {
    fn default() -> Self {
        Kind {
            alpn: Protocol::H3,
            streams: 100,
            stream_window: 1 << 20,
            idle: Duration::from_secs(30),
            receive_buffer: 0,
            wants_certificate: false,
        }
    }
}

impl Server {
    /// `serve` takes each connection.
    pub(super) fn start<S, F>(certificate: &Certificate, kind: Kind, serve: S) -> Server
    where
        S: Fn(quinn::Connection) -> F + Send + 'static,
        F: Future<Output = ()> + 'static,
    {
        let tls = server_tls(
            &certificate.path(),
            &certificate.key(),
            &[kind.alpn],
            u32::MAX,
        );
        let mut tls = tls.expect("usable TLS");
        if kind.wants_certificate {
            tls = wanting(certificate, kind.alpn);
        }
        let crypto = QuicServerConfig::try_from(tls).expect("for QUIC");
        let mut config = ServerConfig::with_crypto(std::sync::Arc::new(crypto));
        let mut transport = TransportConfig::default();
        transport
            .max_concurrent_bidi_streams(kind.streams.into())
            .stream_receive_window(kind.stream_window.into())
            .max_idle_timeout(Some(kind.idle.try_into().expect("it is short")));
        config.transport_config(std::sync::Arc::new(transport));
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build();
            let serving = async move {
                let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
                if kind.receive_buffer > 0 {
                    let buffer = SockRef::from(&socket).set_recv_buffer_size(kind.receive_buffer);
                    buffer.expect("a size");
                }
                let runtime = std::sync::Arc::new(quinn::TokioRuntime);
                let settings = quinn::EndpointConfig::default();
                let endpoint = Endpoint::new(settings, Some(config), socket, runtime);
                let endpoint = endpoint.expect("an endpoint");
                let address = endpoint.local_addr().expect("it is bound");
                tell.send(address).expect("the test waits for it");
                while let Some(incoming) = endpoint.accept().await {
                    if let Ok(connection) = incoming.await {
                        tokio::task::spawn_local(serve(connection));
                    }
                }
            };
            LocalSet::new().block_on(&runtime.expect("a runtime"), async {
                tokio::select! {
                    () = serving => {}
                    _ = stopped => {}
                }
            });
        });
        Server {
            address: told.recv().expect("it is bound"),
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

fn wanting(certificate: &Certificate, alpn: Protocol) -> rustls::ServerConfig {
    let own = CertificateDer::from_pem_file(certificate.path()).expect("a certificate");
    let mut roots = rustls::RootCertStore::empty();
    roots.add(own.clone()).expect("it can be trusted");
    let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
    let key = PrivateKeyDer::from_pem_file(certificate.key()).expect("a key");
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("a version")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(vec![own], key)
        .expect("usable TLS");
    config.alpn_protocols = vec![alpn.alpn().to_vec()];
    config
}

impl Server {
    /// What has the address of another one and does nothing.
    pub(super) fn named(address: SocketAddr) -> Server {
        Server {
            address,
            stop: None,
            thread: None,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // It may have gone by itself.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(
                ended.is_ok() || std::thread::panicking(),
                "the server panicked"
            );
        }
    }
}

/// A server's control stream, which is to be kept.
pub(super) struct Control {
    state: Connection,
    stream: SendStream,
}

impl Control {
    pub(super) async fn open(connection: &quinn::Connection) -> Control {
        let state = Connection::new(Side::Server, Config::default());
        let mut stream = connection.open_uni().await.expect("a stream");
        let opening = state.opening();
        stream.write_all(&opening.control).await.expect("SETTINGS");
        Control { state, stream }
    }

    pub(super) async fn go_away(&mut self, first: u64) {
        let mut out = BytesMut::new();
        self.state.put_goaway(first, &mut out);
        self.stream.write_all(&out).await.expect("GOAWAY");
    }
}

/// The head of a response, with a stated length.
pub(super) fn head(status: u16, content_length: usize) -> BytesMut {
    let mut out = BytesMut::new();
    let status = StatusCode::from_u16(status).expect("a status");
    let length = (header::CONTENT_LENGTH, HeaderValue::from(content_length));
    put_response(status, &HeaderMap::from_iter([length]), &mut out).expect("a response");
    out
}

/// A response as its stream has it.
pub(super) fn response(status: u16, content: &[u8]) -> BytesMut {
    let mut out = head(status, content.len());
    put_data(content, &mut out);
    out
}

pub(super) fn put_data(content: &[u8], out: &mut BytesMut) {
    frame::put_data_header(content.len() as u64, out);
    out.extend_from_slice(content);
}

/// Reads a request to its end and answers; whether the client still wanted it.
pub(super) async fn answer(send: &mut SendStream, receive: &mut RecvStream, bytes: &[u8]) -> bool {
    let read = receive.read_to_end(1 << 24).await;
    let written = send.write_all(bytes).await;
    let _ = send.finish();
    read.is_ok() && written.is_ok()
}

/// Answers every request of a connection alike.
pub(super) async fn answer_all(connection: quinn::Connection, bytes: BytesMut) {
    let _control = Control::open(&connection).await;
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        answer(&mut send, &mut receive, &bytes).await;
    }
}

/// A code as quinn has it.
pub(super) fn code(code: Code) -> quinn::VarInt {
    quinn::VarInt::from_u64(code.to_u64()).expect("every code is one")
}
