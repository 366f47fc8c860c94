//! A recorded page, loaded as the browser that was recorded did: nothing is read of what arrives but how far it has come.
//!
//! | question | file |
//! |---|---|
//! | what is requested, and upon what | `steps.rs` |
//! | when is that | `walk.rs` |
//! | over which connections | `routes.rs` |

mod routes;
mod steps;
mod walk;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

use crate::navigation::LoadError;
use crate::record::PageLoad;
use crate::tolerate::Tolerate;
use crate::transport::{Context, Target};

use routes::Routes;
use walk::Walk;

pub use routes::Host;
pub use steps::{Steps, StepsError};

/// What is to be loaded of a recording, and of whom.
#[derive(Debug, Clone)]
pub struct Itinerary {
    /// The requests.
    pub steps: Steps,
    /// All hosts that they name.
    pub hosts: Vec<Host>,
    /// Whether a request waits as long as the recorded browser computed before it.
    pub compute: bool,
}

/// Loads a recorded page with an empty cache; `target` is its document's host, and says how the others are spoken with,
/// but for their protocols. It ends when every request has ended, or after `limit`. Must run inside a `LocalSet`.
///
/// Errors are of the set-up only; whatever the network or the origin does is in the record.
pub async fn load_recorded(
    target: Target,
    itinerary: Itinerary,
    limit: Duration,
    tolerate: Tolerate,
) -> Result<PageLoad, LoadError> {
    // Only of connections that are made while it lives.
    let _timeouts = target
        .quic_watch
        .flight
        .as_ref()
        .map(|_| pronghorn_http::count_timeouts());
    let (reports, inbox) = unbounded_channel();
    let session = target.session;
    let mut context = Context {
        target: Rc::new(target),
        started: Instant::now(),
        connections: Rc::new(RefCell::default()),
        reports,
    };
    let prepared = Routes::prepare(&context.target, &itinerary)?;
    // What was prepared on this host isn't the network's.
    context.started = Instant::now();
    let mut routes = prepared.at(&context);
    let kept = routes.kept();
    let mut walk = Walk::new(&context, &itinerary, &mut routes, tolerate);
    let timed_out = tokio::time::timeout(limit, walk.run(inbox)).await.is_err();
    if timed_out {
        walk.time_out(limit);
    }
    let mut ended = walk.end();
    if let Some(kept) = kept
        && ended.failure.is_none()
    {
        ended.failure = crate::navigation::missing_session(kept).await;
    }
    routes.read_settings();
    ended.connections = context.connections.borrow().clone();
    let record = ended.record(&context);
    routes.close(session).await;
    Ok(record)
}
