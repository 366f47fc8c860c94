//! The record of a navigation that is over.

use pronghorn_flight::monotonic_s;
use pronghorn_http::{Handshake, SessionUse};

use crate::navigation::Navigation;
use crate::record::{ConnectionRecord, EarlyData, LeftOut, Outcome, PageLoad, ResourceRecord};
use crate::transport::{Context, Failure, Target};

/// What a load came to.
pub(crate) struct Ended {
    pub(crate) failure: Option<Failure>,
    /// The steps of discovery to the last of its resources; of the document alone it is 1.
    pub(crate) depth: u32,
    /// The document's first.
    pub(crate) resources: Vec<ResourceRecord>,
    pub(crate) connections: Vec<ConnectionRecord>,
    pub(crate) left_out: (Vec<LeftOut>, usize),
    pub(crate) scripts_not_run: (Vec<String>, usize),
}

/// The fewest round trips before the first request: by the handshake that was asked for unless the
/// first connection's is known to have cost more.
fn handshake_round_trips(target: &Target, first: Option<&ConnectionRecord>) -> u32 {
    let resumed = first.and_then(|first| first.resumed) != Some(false);
    // A handshake that is done and tells of no early data had no permission for any.
    let early = first.is_none_or(|first| match first.early_data {
        Some(answer) => answer == EarlyData::Accepted,
        None => first.secured_s.is_none(),
    });
    let handshake = match target.session {
        SessionUse::ZeroRtt if resumed && early => Handshake::Early,
        SessionUse::Resumed | SessionUse::ZeroRtt if resumed => Handshake::Resumed,
        _ => Handshake::Full,
    };
    target.protocol.handshake_round_trips(target.tls, handshake)
}

impl Ended {
    /// What is told of the load.
    pub(crate) fn record(self, context: &Context) -> PageLoad {
        let Ended {
            failure,
            depth,
            resources,
            connections,
            ..
        } = self;
        let handshake = handshake_round_trips(&context.target, connections.first());
        let document = resources.first();
        // Every chain begins with the document.
        let repeated = document.is_some_and(|document| document.too_early_s.is_some());
        let last = resources
            .iter()
            .filter_map(|resource| resource.last_byte_s)
            .fold(0.0, f64::max);
        let (left_out, left_out_count) = self.left_out;
        let (scripts_not_run, scripts_not_run_count) = self.scripts_not_run;
        PageLoad {
            outcome: if failure.is_none() {
                Outcome::Ok
            } else {
                Outcome::Failed
            },
            reason: failure.as_ref().map(|failure| failure.reason),
            load_s: failure.is_none().then_some(last),
            detail: failure.map(|failure| failure.detail),
            started_monotonic_s: monotonic_s(context.started.into_std()),
            ttfb_s: document.and_then(|document| document.first_byte_s),
            connect_s: connections
                .first()
                .and_then(|connection| connection.connected_s),
            tls_s: connections
                .first()
                .and_then(|connection| connection.secured_s),
            requests: resources.len(),
            bytes: resources.iter().map(|resource| resource.bytes).sum(),
            failures: resources
                .iter()
                .filter(|resource| resource.error.is_some())
                .count(),
            round_trips: handshake + depth + u32::from(repeated),
            left_out,
            left_out_count,
            scripts_not_run,
            scripts_not_run_count,
            connections,
            resources,
        }
    }
}

impl Navigation<'_> {
    /// What is told of the load.
    pub(crate) fn record(self, connections: Vec<ConnectionRecord>) -> PageLoad {
        let depths = self.resources.iter().map(|resource| resource.depth);
        let depth = depths.max().unwrap_or(1);
        let scripts_not_run = self.scripts_not_run();
        let known = self.known;
        let resources = self.resources.into_iter();
        Ended {
            failure: self.failure,
            depth,
            resources: resources.map(|resource| resource.record).collect(),
            connections,
            left_out: self.left_out.finish(known.keys()),
            scripts_not_run,
        }
        .record(self.context)
    }
}
