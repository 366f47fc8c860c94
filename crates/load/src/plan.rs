//! A specification that was checked, with all that is the same for every connection.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use pronghorn_http::{
    ClientTlsOptions, Protocol, QuicCongestionControl, SessionUse, Sessions, TcpStack, TlsError,
    TlsVersion, client_tls,
};
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use url::{Host, Url};

use crate::arrivals::Arrivals;
use crate::dialer::Endpoint;
use crate::error::LoadError;
use crate::prepared::Prepared;
use crate::spec::{Amount, ArrivalSpec, Connect, LoadSpec, Session, TargetSpec};

/// The most of each thing that is counted.
const MOST_CONNECTIONS: u32 = 100_000;
const MOST_STREAMS: u32 = 65_536;
const MOST_THREADS: u32 = 1024;
const MOST_RATE: f64 = 1e7;
/// The longest time, a day.
const LONGEST: f64 = 86_400.0;
/// How long after the end of a duration responses are awaited, where nothing else is said.
const AFTER_DURATION: Duration = Duration::from_secs(5);

/// A load that can be.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) targets: Vec<Prepared>,
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
        let (uris, address) = places(spec)?;
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
        let paced = spec.knobs.pacing == Some(true);
        if paced && tcp_name.is_none() && spec.protocol != Protocol::H3 {
            return Err(LoadError::spec(
                "knobs.pacing",
                "needs congestion_control.tcp, such as `cubic`",
            ));
        }
        let tls = if clear { None } else { Some(tls(spec)?) };
        let targets = spec
            .targets
            .iter()
            .zip(&uris)
            .enumerate()
            .map(|(at, (target, uri))| prepare(at, target, uri, spec.protocol))
            .collect::<Result<_, _>>()?;
        let ramp = seconds("ramp_s", spec.ramp_s)?;
        let stop = bound("stop", spec.stop)?;
        let warm_up = spec
            .warm_up
            .map(|amount| bound("warm_up", amount))
            .transpose()?;
        Ok(Plan {
            endpoint: Arc::new(Endpoint {
                protocol: spec.protocol,
                address,
                server_name: server_name(first)?,
                tls,
                streams: spec.streams,
                tcp: tcp_name.map(|congestion_control| TcpStack {
                    congestion_control,
                    paced,
                }),
                quic: spec
                    .congestion_control
                    .quic
                    .unwrap_or(QuicCongestionControl::Cubic),
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
            arrivals: spec.arrivals,
            ramp,
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

    /// The arrivals of an open loop.
    pub(crate) fn arrivals(&self) -> Option<Arrivals> {
        self.arrivals.map(|spec| Arrivals::new(spec, self.ramp))
    }

    /// A slot's share of so many requests: as even as can be, the first ones taking what is left over.
    pub(crate) fn share(&self, requests: u64, slot: u32) -> u64 {
        let slots = u64::from(self.connections);
        requests / slots + u64::from(u64::from(slot) < requests % slots)
    }
}

fn check_counts(spec: &LoadSpec) -> Result<(), LoadError> {
    let counts = [
        ("connections", spec.connections, MOST_CONNECTIONS),
        ("streams", spec.streams, MOST_STREAMS),
        ("threads", spec.threads, MOST_THREADS),
    ];
    for (key, asked, most) in counts {
        if !(1..=most).contains(&asked) {
            return Err(LoadError::spec(
                key,
                format!("{asked}; allowed is 1 to {most}"),
            ));
        }
    }
    if spec.threads > spec.connections {
        return Err(LoadError::spec(
            "threads",
            format!(
                "{} threads for {} connections; each needs one at least",
                spec.threads, spec.connections
            ),
        ));
    }
    if spec.connect == Connect::Each && spec.streams > 1 {
        return Err(LoadError::spec(
            "streams",
            format!(
                "{}; with `connect` = `each` a connection has one request: 1",
                spec.streams
            ),
        ));
    }
    if let Some(arrivals) = &spec.arrivals {
        let rate = arrivals.rate_per_s;
        if !(rate > 0.0 && rate <= MOST_RATE) {
            return Err(LoadError::spec(
                "arrivals.rate_per_s",
                format!("{rate}; allowed is above 0, to {MOST_RATE} requests a second"),
            ));
        }
    }
    if spec.targets.is_empty() {
        return Err(LoadError::spec("targets", "there is none; one at least"));
    }
    Ok(())
}

/// The targets' URIs, whose authorities are whom requests name, and where the server is.
fn places(spec: &LoadSpec) -> Result<(Vec<Uri>, SocketAddr), LoadError> {
    let mut uris = Vec::new();
    let mut first: Option<(String, Host<String>, u16)> = None;
    for (at, target) in spec.targets.iter().enumerate() {
        let key = format!("targets[{at}].url");
        let wrong = |problem: String| LoadError::spec(key.clone(), problem);
        let url =
            Url::parse(&target.url).map_err(|error| wrong(format!("`{}`: {error}", target.url)))?;
        let scheme = url.scheme().to_owned();
        if !["http", "https"].contains(&scheme.as_str()) {
            return Err(wrong(format!(
                "scheme `{scheme}`; allowed are https and http"
            )));
        }
        let host = url
            .host()
            .ok_or_else(|| wrong("it names no host".to_owned()))?
            .to_owned();
        let port = url
            .port_or_known_default()
            .ok_or_else(|| wrong("it names no port".to_owned()))?;
        let place = (scheme, host, port);
        match &first {
            Some(first) if *first != place => {
                return Err(wrong(format!(
                    "{}://{}:{} is another place than the first target's, {}://{}:{}; one load asks one scheme, host and port",
                    place.0, place.1, place.2, first.0, first.1, first.2
                )));
            }
            Some(_) => {}
            None => first = Some(place),
        }
        uris.push(uri(&url).map_err(wrong)?);
    }
    let (_, host, port) = first.ok_or_else(|| LoadError::spec("targets", "there is none"))?;
    let port = spec.port.unwrap_or(port);
    let address = match (spec.address, host) {
        (Some(address), _) => SocketAddr::from((address, port)),
        (None, Host::Ipv4(address)) => SocketAddr::from((address, port)),
        (None, Host::Ipv6(address)) => SocketAddr::from((address, port)),
        (None, Host::Domain(name)) => look_up(&name, port)?,
    };
    Ok((uris, address))
}

fn look_up(name: &str, port: u16) -> Result<SocketAddr, LoadError> {
    let failed = |source| LoadError::Name {
        host: name.to_owned(),
        source,
    };
    let mut addresses = (name, port).to_socket_addrs().map_err(failed)?;
    addresses
        .next()
        .ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))
}

fn uri(url: &Url) -> Result<Uri, String> {
    let authority = match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => return Err("it names no host".to_owned()),
    };
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    Uri::builder()
        .scheme(url.scheme())
        .authority(authority)
        .path_and_query(path)
        .build()
        .map_err(|error| error.to_string())
}

fn server_name(uri: &Uri) -> Result<ServerName<'static>, LoadError> {
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(host.to_owned())
        .map_err(|error| LoadError::spec("targets[0].url", format!("`{host}`: {error}")))
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
    Ok(config)
}

fn prepare(
    at: usize,
    target: &TargetSpec,
    uri: &Uri,
    protocol: Protocol,
) -> Result<Prepared, LoadError> {
    let method = Method::from_bytes(target.method.as_bytes())
        .ok()
        .filter(|method| *method != Method::CONNECT)
        .ok_or_else(|| {
            LoadError::spec(
                format!("targets[{at}].method"),
                format!(
                    "`{}`; allowed are methods' names, such as GET or POST, but CONNECT",
                    target.method
                ),
            )
        })?;
    let mut headers = HeaderMap::new();
    let mut uri = uri.clone();
    for (number, (name, value)) in target.headers.iter().enumerate() {
        let wrong =
            |problem: String| LoadError::spec(format!("targets[{at}].headers[{number}]"), problem);
        let field = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| wrong(format!("`{name}` is no header field's name")))?;
        let value = HeaderValue::from_str(value)
            .map_err(|_| wrong(format!("`{value}` is no header field's value")))?;
        if field == HOST {
            uri = with_authority(uri, &value).map_err(wrong)?;
        } else if [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(&field) {
            return Err(wrong(format!(
                "`{name}` is the load's own to send; the others are free"
            )));
        } else {
            headers.append(field, value);
        }
    }
    let body = match &target.body {
        Some(body) => STANDARD.decode(body).map_err(|error| {
            LoadError::spec(format!("targets[{at}].body"), format!("no base64: {error}"))
        })?,
        None => Vec::new(),
    };
    Prepared::new(protocol, method, &uri, headers, Bytes::from(body))
        .map_err(|error| LoadError::spec(format!("targets[{at}].headers"), error))
}

fn with_authority(uri: Uri, authority: &HeaderValue) -> Result<Uri, String> {
    let mut parts = uri.into_parts();
    let host = authority.as_bytes();
    let authority =
        http::uri::Authority::try_from(host).map_err(|error| format!("host: {error}"))?;
    parts.authority = Some(authority);
    Uri::from_parts(parts).map_err(|error| error.to_string())
}

fn bound(key: &str, amount: Amount) -> Result<Bound, LoadError> {
    match amount {
        Amount::Requests(0) => Err(LoadError::spec(
            format!("{key}.requests"),
            "0; allowed is 1 or more",
        )),
        Amount::Requests(requests) => Ok(Bound::Requests(requests)),
        Amount::Duration(duration) => Ok(Bound::For(positive(
            &format!("{key}.duration_s"),
            duration,
        )?)),
    }
}

fn positive(key: &str, value: f64) -> Result<Duration, LoadError> {
    if value > 0.0 {
        seconds(key, value)
    } else {
        Err(LoadError::spec(
            key,
            format!("{value}; allowed is above 0, to {LONGEST} s"),
        ))
    }
}

fn interval_of(key: &str, value: f64) -> Result<Duration, LoadError> {
    if value >= 0.01 {
        seconds(key, value)
    } else {
        Err(LoadError::spec(
            key,
            format!("{value}; allowed is 0.01 to {LONGEST} s"),
        ))
    }
}

fn seconds(key: &str, value: f64) -> Result<Duration, LoadError> {
    if (0.0..=LONGEST).contains(&value) {
        Ok(Duration::from_secs_f64(value))
    } else {
        Err(LoadError::spec(
            key,
            format!("{value}; allowed is 0 to {LONGEST} s"),
        ))
    }
}
