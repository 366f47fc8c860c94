//! A site, a certificate, an origin on loopback, and a load from it.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use pronghorn_client::{PageLoad, Target};
use pronghorn_http::{
    CongestionControl, Protocol, QuicCongestionControl, QuicStack, QuicWatch, SessionUse,
    TlsVersion, TransportKnobs,
};
use pronghorn_origin::{
    AccessLog, Content, Face, LogKeeping, Origin, OriginConfig, ResponseHeaders, Site,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use tempfile::TempDir;
use tokio::task::LocalSet;

pub(crate) const HOST_NAME: &str = "origin.pronghorn.test";
pub(crate) const PROTOCOLS: [Protocol; 3] = [Protocol::H1, Protocol::H2, Protocol::H3];

/// Long enough for the slowest machine; no test waits for it unless it is about the limit.
pub(crate) const AMPLE: Duration = Duration::from_secs(60);

/// A folder with a site and the certificate that vouches for its origin.
pub(crate) struct Fixture {
    folder: TempDir,
}

impl Fixture {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Fixture {
        let folder = TempDir::new().expect("a temporary folder");
        let fixture = Fixture { folder };
        for (path, body) in files {
            let file = fixture.path(path);
            std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            std::fs::write(file, body).expect("a file");
        }
        fixture.certify();
        fixture
    }

    fn certify(&self) {
        let ca_key = KeyPair::generate().expect("a key");
        let mut ca = CertificateParams::new(Vec::new()).expect("parameters");
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca = ca.self_signed(&ca_key).expect("a CA");
        let key = KeyPair::generate().expect("a key");
        let leaf = CertificateParams::new(vec![HOST_NAME.to_owned()]).expect("parameters");
        let leaf = leaf.signed_by(&key, &ca, &ca_key).expect("a leaf");
        for (name, pem) in [
            ("ca.pem", ca.pem()),
            ("leaf.pem", leaf.pem()),
            ("leaf.key", key.serialize_pem()),
        ] {
            std::fs::write(self.path(name), pem).expect("a PEM file");
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn site(&self) -> PathBuf {
        self.path("site")
    }

    fn origin(&self) -> Origin {
        self.origin_with(false, &[])
    }

    /// An origin whose tickets may allow early data, with these headers on its responses.
    pub(crate) fn origin_with(&self, early_data: bool, headers: &[(&str, &str)]) -> Origin {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let config = OriginConfig {
            headers: ResponseHeaders::new(&headers, &BTreeMap::new()).expect("usable headers"),
            early_data,
            ..self.origin_config()
        };
        Origin::bind(&config).expect("an origin")
    }

    /// An origin whose QUIC connections are watched.
    pub(crate) fn origin_watched(&self, quic_watch: QuicWatch) -> Origin {
        let config = OriginConfig {
            quic_watch,
            ..self.origin_config()
        };
        Origin::bind(&config).expect("an origin")
    }

    pub(crate) fn origin_config(&self) -> OriginConfig {
        let site = Site::read(&self.site()).expect("a readable site");
        OriginConfig {
            content: Content::Site(Arc::new(site)),
            faces: vec![Face {
                address: Ipv4Addr::LOCALHOST.into(),
                certificate: self.path("leaf.pem"),
                key: self.path("leaf.key"),
                h2: true,
                h3: true,
            }],
            quic_stack: QuicStack::Quinn,
            congestion_control: congestion_control(),
            knobs: TransportKnobs::default(),
            port: 0,
            clear_port: None,
            headers: ResponseHeaders::default(),
            graceful: false,
            early_data: false,
            log: LogKeeping::Requests,
            secrets: None,
            quic_watch: QuicWatch::default(),
        }
    }

    /// Loads a page from an origin of its own; gives the origin's log as well.
    pub(crate) fn load(&self, protocol: Protocol, document: &str) -> (PageLoad, AccessLog) {
        let ca = self.path("ca.pem");
        on_one_thread(async {
            let origin = self.origin();
            let (port, log) = (origin.port(), origin.log());
            tokio::task::spawn_local(origin.serve());
            let target = target(&ca, port, protocol);
            let page = pronghorn_client::load(target, document, AMPLE)
                .await
                .expect("usable TLS");
            (page, log)
        })
    }
}

pub(crate) fn target(ca: &Path, port: u16, protocol: Protocol) -> Target {
    Target {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        host_name: HOST_NAME.to_owned(),
        method: Method::GET,
        ca: Some(ca.to_owned()),
        protocol,
        tls: TlsVersion::Tls13,
        session: SessionUse::Cold,
        sessions: Arc::default(),
        quic_stack: QuicStack::Quinn,
        congestion_control: congestion_control(),
        knobs: TransportKnobs::default(),
        secrets: None,
        quic_watch: QuicWatch::default(),
    }
}

fn congestion_control() -> CongestionControl {
    CongestionControl {
        tcp: "reno".to_owned(),
        quic: QuicCongestionControl::Cubic,
    }
}

pub(crate) fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    LocalSet::new().block_on(&runtime, work)
}
