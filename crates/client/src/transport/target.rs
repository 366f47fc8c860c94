//! Where requests go, and how.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use http::Method;
use pronghorn_http::{
    CongestionControl, Protocol, QuicOptions, QuicStack, QuicWatch, SecretLog, SessionUse,
    Sessions, TlsVersion, TransportKnobs,
};

/// Where the origin is and how to speak with it.
#[derive(Debug, Clone)]
pub struct Target {
    /// The origin's address and port.
    pub address: SocketAddr,
    /// Its name in TLS and in requests.
    pub host_name: String,
    /// The method of the document's request; what the document needs is asked for with GET.
    pub method: Method,
    /// PEM file of the only CA to trust; none: those of the system.
    pub ca: Option<PathBuf>,
    /// The protocol to speak.
    pub protocol: Protocol,
    /// The version of TLS to offer.
    pub tls: TlsVersion,
    /// What becomes of TLS sessions.
    pub session: SessionUse,
    /// Where sessions are kept from one load to the next.
    pub sessions: Arc<Sessions>,
    /// What carries HTTP/3.
    pub quic_stack: QuicStack,
    /// Congestion control of the client's end.
    pub congestion_control: CongestionControl,
    /// What else is asked of the client's end; those of other transports than the protocol's are without effect.
    pub knobs: TransportKnobs,
    /// Where the connections leave their TLS secrets; none: nowhere.
    pub secrets: Option<Arc<SecretLog>>,
    /// How its QUIC connections are watched.
    pub quic_watch: QuicWatch,
}

impl Target {
    /// How QUIC connections are to be.
    pub(super) fn quic_options(&self) -> QuicOptions {
        QuicOptions {
            congestion_control: self.congestion_control.quic,
            knobs: self.knobs,
            watch: self.quic_watch.clone(),
        }
    }

    /// The name, or that of another `host` there, and the port unless it is the scheme's own, as requests carry it
    /// (RFC 9110 §7.2).
    pub(super) fn authority(&self, host: Option<&str>) -> String {
        let host = host.unwrap_or(&self.host_name);
        match self.address.port() {
            443 => host.to_owned(),
            port => format!("{host}:{port}"),
        }
    }
}
