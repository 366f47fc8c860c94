//! One page load on a thread of the client's host.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use pronghorn_bench::Host;
use pronghorn_client::{PageLoad, Target};
use tokio::task::LocalSet;

use crate::answer::Fault;
use crate::request;

/// Loads the page and waits for it.
pub(crate) fn load(
    host: &Host,
    server: Ipv4Addr,
    request: request::Load,
) -> Result<PageLoad, Fault> {
    let limit = Duration::try_from_secs_f64(request.limit_s)
        .map_err(|error| Fault::input(format!("limit_s = {}: {error}", request.limit_s)))?;
    let target = Target {
        address: SocketAddr::from((server, request.port)),
        host_name: request.host_name,
        ca: request.ca,
        protocol: request.protocol,
        congestion_control: request.congestion_control,
    };
    let document = request.document;
    let thread = host.thread("client", move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Fault::bench)?;
        LocalSet::new()
            .block_on(&runtime, pronghorn_client::load(target, &document, limit))
            .map_err(Fault::input)
    });
    thread
        .map_err(Fault::bench)?
        .join()
        .map_err(|_| Fault::bench("the page loader panicked; its message is on stderr"))?
}
