//! An address at which an origin listens: with its own certificate, and with the protocols that are spoken there.

use std::net::{IpAddr, UdpSocket};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use pronghorn_http::{
    MAX_EARLY_DATA_TCP, Protocol, QuicStack, TcpStack, Tickets, TlsError, TransportKnobs, UdpError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{OriginConfig, OriginError, Shared, accept_all, h3, secure};

/// Where an origin listens, and as whom.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[schemars(rename = "RecordedFace")]
#[serde(deny_unknown_fields)]
pub struct Face {
    /// The address.
    pub address: IpAddr,
    /// The file of the certificate chain there, PEM, leaf first.
    pub certificate: PathBuf,
    /// The file of its private key, PEM with PKCS#8.
    pub key: PathBuf,
    /// Whether HTTP/2 is spoken there. HTTP/1.1 always is.
    pub h2: bool,
    /// Whether HTTP/3 is.
    pub h3: bool,
}

/// A face that listens.
pub(crate) struct Door {
    listener: TcpListener,
    acceptor: TlsAcceptor,
    quic: Option<h3::Endpoint>,
    port: u16,
}

impl Door {
    /// Binds `port`, of TCP and, if HTTP/3 is spoken, UDP; `tickets` are those of both transports.
    pub(crate) fn open(
        config: &OriginConfig,
        face: &Face,
        port: u16,
        tickets: [&Arc<Tickets>; 2],
    ) -> Result<Door, OriginError> {
        let stack = config.tcp_stack();
        let denied = |source| OriginError::Listen {
            address: face.address,
            port,
            source,
        };
        let bound = match face.h3 {
            true => bind_both(&stack, &config.knobs, face.address, port)
                .map(|(listener, socket, port)| (listener, Some(socket), port)),
            false => bind_tcp(&stack, face.address, port),
        };
        let (listener, socket, port) = bound.map_err(|error| match error {
            UdpError::Io(source) => denied(source),
            other => OriginError::Udp(other),
        })?;
        let tls = |protocols: &[Protocol], max_early_data: u32, tickets: &Arc<Tickets>| {
            let allowed = if config.early_data { max_early_data } else { 0 };
            let (certificate, key) = (&face.certificate, &face.key);
            let mut tls = pronghorn_http::server_tls(certificate, key, protocols, allowed)?;
            tls.session_storage = tickets.clone();
            if let Some(secrets) = &config.secrets {
                tls.key_log = secrets.clone();
            }
            Ok::<_, TlsError>(tls)
        };
        let [tcp_tickets, quic_tickets] = tickets;
        let max_early_data = match config.quic_stack {
            QuicStack::Quinn => u32::MAX,
            QuicStack::S2n => 0,
        };
        let quic = match socket {
            Some(socket) => {
                let tls = tls(&[Protocol::H3], max_early_data, quic_tickets)?;
                Some(h3::Endpoint::new(socket, tls, config)?)
            }
            None => None,
        };
        let over_tcp: &[Protocol] = match face.h2 {
            true => &[Protocol::H2, Protocol::H1],
            false => &[Protocol::H1],
        };
        let tls = tls(over_tcp, MAX_EARLY_DATA_TCP, tcp_tickets)?;
        Ok(Door {
            listener,
            acceptor: TlsAcceptor::from(Arc::new(tls)),
            quic,
            port,
        })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Serves until the origin is to end, and waits for the end of its connections. Must run inside a `LocalSet`.
    pub(crate) async fn serve(self, shared: Rc<Shared>) {
        tokio::join!(self.serve_securely(&shared), self.serve_quic(&shared));
        let Door { listener, quic, .. } = self;
        // Who comes now is refused. What is under way holds the rest.
        drop((listener, shared));
        if let Some(quic) = quic {
            quic.closed().await;
        }
    }

    async fn serve_securely(&self, shared: &Rc<Shared>) {
        accept_all(&self.listener, &shared.ending, |stream| {
            secure(stream, self.acceptor.clone(), shared.clone())
        })
        .await;
    }

    async fn serve_quic(&self, shared: &Rc<Shared>) {
        if let Some(quic) = &self.quic {
            quic.serve_all(shared).await;
        }
    }
}

type Bound = (TcpListener, Option<UdpSocket>, u16);

fn bind_tcp(stack: &TcpStack, address: IpAddr, port: u16) -> Result<Bound, UdpError> {
    let listener = pronghorn_http::listen(stack, address, port)?;
    let port = listener.local_addr()?.port();
    Ok((listener, None, port))
}

/// One port for both: where the kernel chooses TCP's, UDP's may be taken, so try a few.
fn bind_both(
    stack: &TcpStack,
    knobs: &TransportKnobs,
    address: IpAddr,
    port: u16,
) -> Result<(TcpListener, UdpSocket, u16), UdpError> {
    let mut attempts = if port == 0 { 20 } else { 1 };
    loop {
        let listener = pronghorn_http::listen(stack, address, port)?;
        let chosen = listener.local_addr()?.port();
        attempts -= 1;
        match pronghorn_http::bind_udp((address, chosen), knobs) {
            Ok(socket) => return Ok((listener, socket, chosen)),
            Err(error) if attempts == 0 => return Err(error),
            Err(_) => {}
        }
    }
}
