//! TLS for the servers, which take early data and answer it at once.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use pronghorn_http::{MAX_EARLY_DATA_TCP, Protocol, server_tls};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection};
use tempfile::TempDir;

/// The name in every certificate.
pub(crate) const HOST_NAME: &str = "origin.pronghorn.test";

/// A certificate that vouches for itself, and what a server is set up with by it.
pub(crate) struct Certificate(TempDir);

impl Certificate {
    pub(crate) fn new() -> Certificate {
        let made = rcgen::generate_simple_self_signed([HOST_NAME.to_owned()]).expect("a key");
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join("leaf.pem"), made.cert.pem()).expect("a file");
        let key = made.key_pair.serialize_pem();
        std::fs::write(folder.path().join("leaf.key"), key).expect("a file");
        Certificate(folder)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("leaf.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.0.path().join("leaf.key")
    }

    pub(crate) fn server(&self, protocol: Protocol) -> Arc<ServerConfig> {
        let config = server_tls(&self.path(), &self.key(), &[protocol], MAX_EARLY_DATA_TCP);
        Arc::new(config.expect("usable TLS"))
    }

    /// A server that takes no client but one with this certificate.
    pub(crate) fn server_wanting(&self, protocol: Protocol, client: &Certificate) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        let trusted = CertificateDer::from_pem_file(client.path()).expect("a certificate");
        roots.add(trusted).expect("it can be trusted");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
        let own = CertificateDer::from_pem_file(self.path()).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(self.key()).expect("a key");
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_client_cert_verifier(verifier.build().expect("a verifier"))
            .with_single_cert(vec![own], key)
            .expect("usable TLS");
        config.alpn_protocols = vec![protocol.alpn().to_vec()];
        config
    }
}

/// A connection's plaintext, early data first.
pub(crate) struct Plain {
    tls: ServerConnection,
    socket: TcpStream,
}

impl Plain {
    pub(crate) fn new(config: &Arc<ServerConfig>, socket: TcpStream) -> Plain {
        let tls = ServerConnection::new(config.clone()).expect("usable TLS");
        Plain { tls, socket }
    }

    fn come(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(mut early) = self.tls.early_data() {
            let length = early.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
        }
        match self.tls.reader().read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            other => other,
        }
    }
}

impl Plain {
    /// Says by TLS that nothing more comes, and leaves the socket open.
    pub(crate) fn say_end(&mut self) {
        self.tls.send_close_notify();
        self.flush().expect("the socket takes it");
    }
}

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.come(buffer)?;
            if length > 0 {
                return Ok(length);
            }
            if self.tls.read_tls(&mut self.socket)? == 0 {
                return Ok(0);
            }
            self.tls.process_new_packets().map_err(io::Error::other)?;
            self.flush()?;
        }
    }
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.tls.writer().write(bytes)?;
        self.flush()?;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.tls.wants_write() {
            self.tls.write_tls(&mut self.socket)?;
        }
        Ok(())
    }
}
