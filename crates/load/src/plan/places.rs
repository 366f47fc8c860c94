//! Where a load's server is, and what requests name it.

use std::net::{SocketAddr, ToSocketAddrs};

use http::Uri;
use rustls::pki_types::ServerName;
use url::{Host, Url};

use crate::error::LoadError;
use crate::spec::LoadSpec;

/// The targets' URIs, whose authorities are whom requests name, and where the server is.
pub(super) fn places(spec: &LoadSpec) -> Result<(Vec<Uri>, SocketAddr), LoadError> {
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

/// Whom the server's certificate has to name.
pub(super) fn server_name(uri: &Uri) -> Result<ServerName<'static>, LoadError> {
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(host.to_owned())
        .map_err(|error| LoadError::spec("targets[0].url", format!("`{host}`: {error}")))
}
