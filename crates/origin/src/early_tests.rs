//! A client on the other end of a pipe in memory, whose bytes are all there before the server reads them.

use std::future::poll_fn;

use pronghorn_http::{ClientTlsOptions, MAX_EARLY_DATA_TCP, Protocol, SessionUse, Sessions};
use pronghorn_http::{TlsOffer, TlsVersion, client_tls, server_tls};
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::*;

const HOST_NAME: &str = "origin.pronghorn.test";

/// Room for all that an end ever has under way.
const PIPE: usize = 64 * 1024;

/// A server that takes early data, and what its clients need.
struct World {
    folder: TempDir,
    server: Arc<ServerConfig>,
    sessions: Sessions,
}

impl World {
    fn new() -> World {
        let folder = TempDir::new().expect("a temporary folder");
        let made = rcgen::generate_simple_self_signed([HOST_NAME.to_owned()]).expect("a key");
        let (certificate, key) = (
            folder.path().join("leaf.pem"),
            folder.path().join("key.pem"),
        );
        std::fs::write(&certificate, made.cert.pem()).expect("a file");
        std::fs::write(&key, made.key_pair.serialize_pem()).expect("a file");
        let server = server_tls(&certificate, &key, &[Protocol::H2], MAX_EARLY_DATA_TCP);
        World {
            server: Arc::new(server.expect("usable TLS")),
            sessions: Sessions::default(),
            folder,
        }
    }

    /// A client, and the stream of its server.
    fn client(&self, session: SessionUse) -> (Client, DuplexStream) {
        let options = ClientTlsOptions {
            ca: Some(self.folder.path().join("leaf.pem")),
            insecure: false,
            protocol: Protocol::H2,
            version: TlsVersion::Tls13,
            offer: TlsOffer::default(),
            session,
        };
        let tls = client_tls(&options, &self.sessions).expect("usable TLS");
        let name = ServerName::try_from(HOST_NAME).expect("a name");
        let tls = ClientConnection::new(Arc::new(tls.config), name).expect("usable TLS");
        let (pipe, server) = tokio::io::duplex(PIPE);
        (Client { tls, pipe }, server)
    }

    /// Shakes hands once, so that a session is kept; tells whether the server saw any early data ahead.
    async fn gain(&self) -> bool {
        let (mut client, stream) = self.client(SessionUse::Gain);
        let accepting = EarlyStream::accept(stream, self.server.clone());
        let speaking = async {
            client.send().await;
            client.finish().await;
            client.send().await;
            client
        };
        let (accepted, mut client) = tokio::join!(accepting, speaking);
        // The tickets are in the pipe: they are sent before the stream is handed over.
        client.receive().await;
        accepted.expect("a handshake").boundary().is_ahead()
    }
}

struct Client {
    tls: ClientConnection,
    pipe: DuplexStream,
}

impl Client {
    async fn send(&mut self) {
        let mut bytes = Vec::new();
        while self.tls.wants_write() {
            self.tls.write_tls(&mut bytes).expect("memory");
        }
        self.pipe.write_all(&bytes).await.expect("an open pipe");
    }

    async fn receive(&mut self) {
        let mut bytes = vec![0; PIPE];
        let length = self.pipe.read(&mut bytes).await.expect("an open pipe");
        let mut input = &bytes[..length];
        while !input.is_empty() {
            self.tls.read_tls(&mut input).expect("memory");
            self.tls.process_new_packets().expect("TLS");
        }
    }

    async fn finish(&mut self) {
        while self.tls.is_handshaking() {
            self.receive().await;
        }
    }
}

/// Reads as protocols' implementations do: all that is to be had, and tells of it then; with each piece
/// whether it was early.
async fn heard(mut stream: EarlyStream<DuplexStream>) -> Vec<(String, bool)> {
    let boundary = stream.boundary();
    let mut heard = Vec::new();
    let reading = poll_fn(|cx| {
        let mut piece = Vec::new();
        let read = loop {
            let mut bytes = [0; 7];
            let mut buffer = ReadBuf::new(&mut bytes);
            match Pin::new(&mut stream).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    piece.extend_from_slice(buffer.filled());
                }
                other => break other,
            }
        };
        if !piece.is_empty() {
            let text = String::from_utf8(piece).expect("text");
            heard.push((text, boundary.is_ahead()));
        }
        read
    });
    boundary.serve(reading).await.expect("a stream to its end");
    heard
}

fn run(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime")
        .block_on(work);
}

#[test]
fn early_data_is_told_from_what_came_after_it_though_all_of_it_is_there_at_once() {
    for early in ["a request, and one more", ""] {
        run(async {
            let world = World::new();
            world.gain().await;
            let (mut client, stream) = world.client(SessionUse::ZeroRtt);
            let mut writer = client.tls.early_data().expect("a session that allows it");
            writer.write_all(early.as_bytes()).expect("room");
            client.send().await;
            let accepting = EarlyStream::accept(stream, world.server.clone());
            let stream = accepting.await.expect("early data or a handshake");
            client.finish().await;
            assert!(client.tls.is_early_data_accepted());
            client.tls.writer().write_all(b"a later one").expect("room");
            client.tls.send_close_notify();
            client.send().await;
            let mut expected = vec![("a later one".to_owned(), false)];
            if !early.is_empty() {
                expected.insert(0, (early.to_owned(), true));
            }
            assert_eq!(heard(stream).await, expected);
        });
    }
}

#[test]
fn nothing_is_early_where_nothing_was_resumed() {
    run(async {
        assert!(!World::new().gain().await);
    });
}
