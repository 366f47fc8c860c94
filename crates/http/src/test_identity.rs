//! A server of tests, and a client that trusts it.

use rustls::RootCertStore;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// The server's name.
pub(crate) const HOST_NAME: &str = "origin.pronghorn.test";

/// TLS of a client and of a server with a certificate for [`HOST_NAME`], which the client trusts.
pub(crate) fn configs() -> (rustls::ClientConfig, rustls::ServerConfig) {
    let made = rcgen::generate_simple_self_signed([HOST_NAME.to_owned()]).expect("a key");
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a certificate");
    let client = rustls::ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let key = PrivatePkcs8KeyDer::from(made.key_pair.serialize_der());
    let server = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], PrivateKeyDer::Pkcs8(key))
        .expect("a certificate and its key");
    (client, server)
}
