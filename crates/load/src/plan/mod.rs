//! A specification that was checked, with all that is the same for every connection.

mod list;
mod numbers;
mod order;
mod places;
mod targets;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pronghorn_http::{
    ClientTlsOptions, Protocol, QuicCongestionControl, QuicStack, SessionUse, Sessions, TcpStack,
    TlsError, TlsVersion, client_identity, client_tls,
};
use rustls::client::Resumption;

use crate::due_times::DueTimes;
use crate::endpoint::{Endpoint, Place};
use crate::error::LoadError;
use crate::spec::{ArrivalSpec, Connect, LoadSpec, Session};
use list::Targets;
use numbers::{bound, check_counts, interval_of, positive, seconds};
use places::{place, server_name, uris};

/// How long after the end of a duration responses are awaited, where nothing else is said.
const AFTER_DURATION: Duration = Duration::from_secs(5);

/// A load that can be.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) targets: Targets,
    pub(crate) session: Session,
    pub(crate) connections: u32,
    pub(crate) threads: u32,
    pub(crate) stop: Bound,
    pub(crate) warm_up: Option<Bound>,
    /// When all ends, from the start.
    pub(crate) limit: Option<Duration>,
    pub(crate) connect: Connect,
    pub(crate) arrivals: Option<ArrivalSpec>,
    pub(crate) ramp: Duration,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) failure_times: bool,
    pub(crate) connect_timeout: Duration,
    pub(crate) progress: Option<Duration>,
    pub(crate) histogram_log: Option<PathBuf>,
}

/// How many requests, or for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Requests(u64),
    For(Duration),
}

impl Plan {
    /// Checks a specification, reads the CA and looks the host up. To be called on the host that loads.
    pub(crate) fn new(spec: &LoadSpec) -> Result<Plan, LoadError> {
        check_counts(spec)?;
        let (uris, server) = uris(spec)?;
        let place = place(spec, server.clone())?;
        let first = &uris[0];
        let clear = first.scheme_str() == Some("http");
        if clear && spec.protocol == Protocol::H3 {
            return Err(LoadError::spec(
                "protocol",
                "h3 has no cleartext; h1 and h2 (with prior knowledge) have it",
            ));
        }
        if clear && spec.session != Session::Cold {
            return Err(LoadError::spec(
                "session",
                "http:// has no TLS sessions; https:// has, and `cold` is without",
            ));
        }
        let tcp_name = spec.congestion_control.tcp.clone();
        spec.knobs
            .check_client(spec.protocol, tcp_name.as_deref().unwrap_or("cubic"))?;
        let quic = spec.congestion_control.quic;
        let quic = quic.unwrap_or(QuicCongestionControl::Cubic);
        QuicStack::Quinn
            .check(quic, &spec.knobs)
            .map_err(|lacks| LoadError::spec("congestion_control.quic", lacks.to_string()))?;
        let paced = spec.knobs.pacing == Some(true);
        if paced && tcp_name.is_none() && spec.protocol != Protocol::H3 {
            return Err(LoadError::spec(
                "knobs.pacing",
                "needs congestion_control.tcp, such as `cubic`",
            ));
        }
        let tls = if clear { None } else { Some(tls(spec)?) };
        if matches!(place, Place::Unix(_)) {
            check_unix(spec)?;
        }
        let targets = match &spec.target_file {
            None => Targets::ready(&spec.targets, &uris, spec.protocol)?,
            Some(path) => Targets::of_file(path, &spec.targets[0], first, server, spec.protocol)?,
        };
        let ramp = seconds("ramp_s", spec.ramp_s)?;
        let stop = bound("stop", spec.stop)?;
        let warm_up = spec
            .warm_up
            .map(|amount| bound("warm_up", amount))
            .transpose()?;
        Ok(Plan {
            endpoint: Arc::new(Endpoint {
                protocol: spec.protocol,
                place,
                server_name: server_name(first)?,
                tls,
                streams: spec.streams,
                tcp: tcp_name.map(|congestion_control| TcpStack {
                    congestion_control,
                    paced,
                }),
                quic,
                knobs: spec.knobs,
            }),
            targets,
            session: spec.session,
            connections: spec.connections,
            threads: spec.threads,
            stop,
            warm_up,
            limit: spec
                .limit_s
                .map(|limit| positive("limit_s", limit))
                .transpose()?,
            connect: spec.connect,
            arrivals: spec.arrivals.clone(),
            ramp,
            failure_times: spec.failure_times,
            request_timeout: spec
                .request_timeout_s
                .map(|timeout| positive("request_timeout_s", timeout))
                .transpose()?,
            connect_timeout: positive("connect_timeout_s", spec.connect_timeout_s)?,
            progress: spec
                .progress_s
                .map(|interval| interval_of("progress_s", interval))
                .transpose()?,
            histogram_log: spec.histogram_log.clone(),
        })
    }

    /// When all ends, from the start, given when the window of measurement begins.
    pub(crate) fn end(&self, window: Option<Duration>) -> Option<Duration> {
        match (self.limit, self.stop, window) {
            (Some(limit), _, _) => Some(limit),
            (None, Bound::For(duration), Some(window)) => Some(window + duration + AFTER_DURATION),
            (None, _, _) => None,
        }
    }

    /// When an open loop's requests are due.
    pub(crate) fn due_times(&self) -> Option<DueTimes> {
        let arrivals = self.arrivals.as_ref();
        arrivals.map(|spec| DueTimes::new(spec, self.ramp))
    }

    /// A slot's share of so many requests: as even as can be, the first ones taking what is left over.
    pub(crate) fn share(&self, requests: u64, slot: u32) -> u64 {
        let slots = u64::from(self.connections);
        requests / slots + u64::from(u64::from(slot) < requests % slots)
    }
}

fn tls(spec: &LoadSpec) -> Result<rustls::ClientConfig, LoadError> {
    if spec.session == Session::ZeroRtt && spec.tls.version != TlsVersion::Tls13 {
        return Err(TlsError::NoEarlyData.into());
    }
    let options = ClientTlsOptions {
        ca: spec.tls.ca.clone(),
        insecure: spec.tls.insecure,
        protocol: spec.protocol,
        version: spec.tls.version,
        offer: spec.knobs.offer(),
        session: SessionUse::Cold,
    };
    let mut config = client_tls(&options, &Sessions::default())?.config;
    config.resumption = Resumption::disabled();
    config.client_auth_cert_resolver = match (&spec.tls.certificate, &spec.tls.key) {
        (None, None) => return Ok(config),
        (Some(certificate), Some(key)) => client_identity(certificate, key)?,
        _ => {
            let problem = "a certificate without its key, or a key without its certificate";
            return Err(LoadError::spec("tls.certificate", problem));
        }
    };
    Ok(config)
}

/// What TCP and QUIC alone have can't be asked of a Unix socket.
fn check_unix(spec: &LoadSpec) -> Result<(), LoadError> {
    if spec.protocol == Protocol::H3 {
        return Err(LoadError::spec(
            "unix_socket",
            "QUIC goes over UDP; h1 and h2 have it",
        ));
    }
    if spec.congestion_control.tcp.is_some() {
        let problem = "a Unix socket has no congestion control; null";
        return Err(LoadError::spec("congestion_control.tcp", problem));
    }
    Ok(())
}
