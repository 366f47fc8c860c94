//! The connections to a recorded page's hosts: those that share an address share them, as browsers coalesce them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::rc::Rc;

use pronghorn_http::{Protocol, SessionUse};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Itinerary;
use crate::navigation::LoadError;
use crate::transport::{Context, Prepared, Target, Transport, Wanted};

/// A host of a recorded page.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[schemars(rename = "RecordedHost")]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its address. Hosts of one address have one certificate.
    pub address: IpAddr,
    /// The one protocol that is spoken with it.
    pub protocol: Protocol,
}

/// Connections of one protocol to one address.
struct Route {
    context: Context,
    state: State,
}

enum State {
    Prepared(Prepared),
    Started(Transport),
    /// While it changes.
    Neither,
}

/// All of a load's connections.
pub(super) struct Routes {
    routes: Vec<Route>,
    /// By a host's name where its route stands; over HTTP/1.1, which connects for one host alone, each has one.
    by_host: HashMap<Rc<str>, usize>,
}

/// Routes that have all they need of their own host.
pub(super) struct PreparedRoutes {
    prepared: Vec<(Rc<Target>, Prepared)>,
    by_host: HashMap<Rc<str>, usize>,
}

impl Routes {
    /// Reads the CA and binds QUIC's sockets, for the hosts that requests are made of. Nothing is sent. An error names a
    /// request whose host isn't known, or is the set-up's.
    pub(super) fn prepare(
        target: &Target,
        itinerary: &Itinerary,
    ) -> Result<PreparedRoutes, LoadError> {
        let hosts: HashMap<&str, &Host> = itinerary
            .hosts
            .iter()
            .map(|host| (host.name.as_str(), host))
            .collect();
        let mut prepared = Vec::new();
        let mut by_host = HashMap::new();
        let mut known: HashMap<(IpAddr, Protocol, Option<&str>), usize> = HashMap::new();
        for name in itinerary.steps.hosts() {
            let host = hosts.get(&*name).copied();
            let host = host.ok_or_else(|| LoadError::UnknownHost(name.to_string()))?;
            let alone = (host.protocol == Protocol::H1).then_some(host.name.as_str());
            let place = *known
                .entry((host.address, host.protocol, alone))
                .or_insert(prepared.len());
            if place == prepared.len() {
                let target = Target {
                    address: SocketAddr::new(host.address, target.address.port()),
                    host_name: host.name.clone(),
                    protocol: host.protocol,
                    ..target.clone()
                };
                let ready = Prepared::new(&target)?;
                prepared.push((Rc::new(target), ready));
            }
            by_host.insert(name, place);
        }
        Ok(PreparedRoutes { prepared, by_host })
    }

    /// How many sessions are kept of the first host; none where none is to be.
    pub(super) fn kept(&self) -> Option<watch::Receiver<u64>> {
        match &self.routes.first()?.state {
            State::Prepared(prepared) => prepared.kept(),
            _ => None,
        }
    }

    /// The protocol that is spoken with a host.
    pub(super) fn protocol(&self, host: &str) -> Protocol {
        self.routes[self.by_host[host]].context.target.protocol
    }

    /// Takes a request of a host; what becomes of it comes as events.
    pub(super) fn submit(&mut self, host: &str, wanted: Wanted) {
        let route = &mut self.routes[self.by_host[host]];
        route.state = match std::mem::replace(&mut route.state, State::Neither) {
            State::Prepared(prepared) => State::Started(prepared.start(route.context.clone())),
            other => other,
        };
        if let State::Started(transport) = &route.state {
            transport.submit(wanted);
        }
    }

    /// Enters into the record how the connections are set up now.
    pub(super) fn read_settings(&self) {
        for route in &self.routes {
            if let State::Started(transport) = &route.state {
                transport.read_settings(&route.context);
            }
        }
    }

    /// Closes what the kernel doesn't close by itself.
    pub(super) async fn close(self, session: SessionUse) {
        let mut closing = JoinSet::new();
        for route in self.routes {
            if let State::Started(transport) = route.state {
                closing.spawn_local(transport.close(session));
            }
        }
        while closing.join_next().await.is_some() {}
    }
}

impl PreparedRoutes {
    /// The routes of a load.
    pub(super) fn at(self, context: &Context) -> Routes {
        let routes = self.prepared.into_iter().map(|(target, prepared)| Route {
            context: Context {
                target,
                ..context.clone()
            },
            state: State::Prepared(prepared),
        });
        Routes {
            routes: routes.collect(),
            by_host: self.by_host,
        }
    }
}
