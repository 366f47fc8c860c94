//! Where a load's server is, and what requests name it.

use std::borrow::Cow;
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
        uris.push(uri(&url, &target.url).map_err(wrong)?);
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

/// The URI of `url`, whose path and query are sent as `written`: a server may tell `/x?` from `/x`, and `/a/../x` from it.
fn uri(url: &Url, written: &str) -> Result<Uri, String> {
    let authority = match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => return Err("it names no host".to_owned()),
    };
    let build = |path: &str| {
        Uri::builder()
            .scheme(url.scheme())
            .authority(authority.as_str())
            .path_and_query(path)
            .build()
    };
    let path = path(written);
    match build(&path) {
        Ok(uri) if path.is_ascii() => Ok(uri),
        // Other bytes can only be sent as %XX.
        _ => build(&url[url::Position::BeforePath..url::Position::AfterQuery])
            .map_err(|error| error.to_string()),
    }
}

/// The path with its query of an absolute URL, without the fragment.
fn path(url: &str) -> Cow<'_, str> {
    let place = url.split_once("://").map_or(url, |(_, place)| place);
    let path = place
        .find(['/', '?', '#'])
        .map_or("", |begin| &place[begin..]);
    let path = path.split_once('#').map_or(path, |(path, _)| path);
    if path.starts_with('/') {
        path.into()
    } else {
        format!("/{path}").into()
    }
}

/// Whom the server's certificate has to name.
pub(super) fn server_name(uri: &Uri) -> Result<ServerName<'static>, LoadError> {
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(host.to_owned())
        .map_err(|error| LoadError::spec("targets[0].url", format!("`{host}`: {error}")))
}
