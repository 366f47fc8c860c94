//! Where a load's server is, and what requests name it.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr, SocketAddrV6, ToSocketAddrs};

use http::Uri;
use nix::net::if_::if_nametoindex;
use rustls::pki_types::ServerName;
use url::{Host, Url};

use crate::endpoint::Place;
use crate::error::LoadError;
use crate::spec::LoadSpec;

/// The one scheme, host and port of a load's targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    scheme: String,
    host: Host<String>,
    port: u16,
}

/// The targets' URIs, whose authorities are whom requests name, and the server that all of them name.
pub(super) fn uris(spec: &LoadSpec) -> Result<(Vec<Uri>, Server), LoadError> {
    let wrong = |at: usize| move |problem| LoadError::spec(format!("targets[{at}].url"), problem);
    let first = spec
        .targets
        .first()
        .ok_or_else(|| LoadError::spec("targets", "there is none"))?;
    let server = read(&first.url).map_err(wrong(0))?.1;
    let uris = spec.targets.iter().enumerate();
    let uris = uris.map(|(at, target)| uri_of(&target.url, &server).map_err(wrong(at)));
    Ok((uris.collect::<Result<_, _>>()?, server))
}

/// A target's URI.
///
/// # Errors
/// Why it is none, or that it is at another server.
pub(super) fn uri_of(written: &str, server: &Server) -> Result<Uri, String> {
    let (url, its) = read(written)?;
    if its != *server {
        return Err(format!(
            "{}://{}:{} is another place than the first target's, {}://{}:{}; one load asks one scheme, host and port",
            its.scheme, its.host, its.port, server.scheme, server.host, server.port
        ));
    }
    uri(&url, written)
}

fn read(written: &str) -> Result<(Url, Server), String> {
    let url = Url::parse(written).map_err(|error| format!("`{written}`: {error}"))?;
    let scheme = url.scheme().to_owned();
    if !["http", "https"].contains(&scheme.as_str()) {
        return Err(format!("scheme `{scheme}`; allowed are https and http"));
    }
    let host = url.host().ok_or("it names no host")?.to_owned();
    let port = url.port_or_known_default().ok_or("it names no port")?;
    Ok((url, Server { scheme, host, port }))
}

/// Where to connect to.
pub(super) fn place(spec: &LoadSpec, server: Server) -> Result<Place, LoadError> {
    if let Some(path) = &spec.unix_socket {
        let elsewhere = spec.address.is_some() || spec.port.is_some() || spec.zone.is_some();
        if elsewhere {
            let problem = "it has no address, port or zone; leave those out";
            return Err(LoadError::spec("unix_socket", problem));
        }
        return Ok(Place::Unix(path.clone()));
    }
    let port = spec.port.unwrap_or(server.port);
    let address = match (spec.address, server.host) {
        (Some(address), _) => SocketAddr::from((address, port)),
        (None, Host::Ipv4(address)) => SocketAddr::from((address, port)),
        (None, Host::Ipv6(address)) => SocketAddr::from((address, port)),
        (None, Host::Domain(name)) => look_up(&name, port)?,
    };
    match &spec.zone {
        None => Ok(Place::Internet(address)),
        Some(zone) => Ok(Place::Internet(within(address, zone)?)),
    }
}

/// The address in the zone of an interface.
fn within(address: SocketAddr, zone: &str) -> Result<SocketAddr, LoadError> {
    let IpAddr::V6(ip) = address.ip() else {
        let problem = format!("`{zone}`; IPv4 has no zones: {}", address.ip());
        return Err(LoadError::spec("zone", problem));
    };
    let index = if_nametoindex(zone).map_err(|_| {
        LoadError::spec("zone", format!("`{zone}`; this host has no such interface"))
    })?;
    Ok(SocketAddrV6::new(ip, address.port(), 0, index).into())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_an_interface_of_this_host_and_ipv6s_alone() {
        let link_local: SocketAddr = "[fe80::1]:443".parse().expect("an address");
        let index = if_nametoindex("lo").expect("every host has it");
        let SocketAddr::V6(found) = within(link_local, "lo").expect("a place") else {
            panic!("it is IPv6's");
        };
        assert_eq!((found.scope_id(), found.port()), (index, 443));
        let said = |address, zone| {
            within(address, zone)
                .expect_err("there is none")
                .to_string()
        };
        assert!(said(link_local, "nowhere0").contains("no such interface"));
        let of_ipv4 = "127.0.0.1:443".parse().expect("an address");
        assert!(said(of_ipv4, "lo").contains("IPv4 has no zones"));
    }
}
