//! One page load on a thread of the client's host.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pronghorn_bench::Side;
use pronghorn_client::{LoadError, PageLoad, Target, Tolerate};
use pronghorn_http::{Protocol, QuicWatch, SecretLog, SessionUse, Sessions, TlsError};
use tokio::task::LocalSet;

use crate::answer::Fault;
use crate::cpu::{Cpu, Span, Watched};
use crate::hosts::Hosts;
use crate::{recorded, request};

/// The longest time limit of a load: a day.
const LONGEST: Duration = Duration::from_secs(86_400);

/// Loads the page and waits for it; the CPU time is that of the client's thread during the load, the span the load's own time.
pub(crate) fn load(
    hosts: &Hosts,
    request: request::Load,
    sessions: Arc<Sessions>,
    secrets: Option<Arc<SecretLog>>,
    quic_watch: QuicWatch,
) -> Result<(PageLoad, Option<Cpu>, Span), Fault> {
    let server = hosts.get(Side::Server).address();
    let limit = Duration::try_from_secs_f64(request.limit_s)
        .map_err(|error| Fault::input(format!("limit_s = {}: {error}", request.limit_s)))?;
    if limit > LONGEST {
        let longest = LONGEST.as_secs();
        return Err(Fault::input(format!(
            "limit_s = {}; allowed is 0 to {longest}",
            request.limit_s
        )));
    }
    let method = request.method.parse().map_err(|_| {
        Fault::input(format!(
            "method = `{}`; allowed is a method's name, such as GET or POST (RFC 9110 §9.1)",
            request.method
        ))
    })?;
    let (stack, control) = (request.quic_stack, request.congestion_control.quic);
    stack.check(control, &request.knobs).map_err(Fault::input)?;
    let spoken = match &request.recorded {
        Some(recorded) => recorded.hosts.iter().map(|host| host.protocol).collect(),
        None => vec![request.protocol],
    };
    for protocol in spoken {
        request
            .knobs
            .check_client(protocol, &request.congestion_control.tcp)
            .map_err(Fault::input)?;
        if protocol == Protocol::H3 {
            stack
                .check_sessions(request.session != SessionUse::Cold)
                .map_err(Fault::input)?;
        }
    }
    let target = Target {
        address: SocketAddr::from((request.address.unwrap_or(server), request.port)),
        host_name: request.host_name,
        method,
        ca: request.ca,
        protocol: request.protocol,
        tls: request.tls,
        session: request.session,
        sessions,
        quic_stack: request.quic_stack,
        congestion_control: request.congestion_control,
        knobs: request.knobs,
        secrets,
        quic_watch,
    };
    let (document, tolerate) = (request.document, Tolerate::new(request.tolerate));
    let itinerary = request.recorded.map(recorded::itinerary).transpose()?;
    let round_trip = hosts.least_round_trip().unwrap_or_default();
    let work = move || {
        let watched = Watched::current();
        let runtime = watched.runtime().map_err(Fault::bench)?;
        let before = watched.begin();
        let load = async {
            match itinerary {
                None => pronghorn_client::load_tolerating(target, &document, limit, tolerate).await,
                Some(it) => pronghorn_client::load_recorded(target, it, limit, tolerate).await,
            }
        };
        let page = LocalSet::new().block_on(&runtime, load).map_err(fault_of)?;
        watched.sleeps();
        let span = Span {
            start_s: page.started_monotonic_s,
            lasted_s: page.load_s,
            round_trip,
        };
        Ok((page, watched.since(before, span), span))
    };
    let thread = hosts.get(Side::Client).thread("client", work);
    thread
        .map_err(Fault::bench)?
        .join()
        .map_err(|_| Fault::bench("the page loader panicked; its message is on stderr"))?
}

/// A socket that the kernel doesn't give is the host's lack.
fn fault_of(error: LoadError) -> Fault {
    match error {
        LoadError::Tls(TlsError::Udp(error)) => Fault::udp(&error),
        other => Fault::input(other),
    }
}
