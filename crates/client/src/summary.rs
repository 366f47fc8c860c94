//! The record of a navigation that is over.

use pronghorn_flight::monotonic_s;
use pronghorn_http::{Handshake, SessionUse};

use crate::navigation::Navigation;
use crate::record::{ConnectionRecord, EarlyData, Outcome, PageLoad};

impl Navigation<'_> {
    /// The fewest round trips before the first request: by the handshake that was asked for unless the
    /// first connection's is known to have cost more.
    fn handshake_round_trips(&self, first: Option<&ConnectionRecord>) -> u32 {
        let target = &self.context.target;
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

    /// What is told of the load.
    pub(crate) fn record(self, connections: Vec<ConnectionRecord>) -> PageLoad {
        let handshake = self.handshake_round_trips(connections.first());
        let depth = self
            .resources
            .iter()
            .map(|resource| resource.depth)
            .max()
            .unwrap_or(1);
        // Every chain begins with the document.
        let repeated = self
            .resources
            .first()
            .is_some_and(|document| document.record.too_early_s.is_some());
        let (scripts_not_run, scripts_not_run_count) = self.scripts_not_run();
        let known = self.known;
        let (left_out, left_out_count) = self.left_out.finish(known.keys());
        let resources: Vec<_> = self
            .resources
            .into_iter()
            .map(|resource| resource.record)
            .collect();
        let last = resources
            .iter()
            .filter_map(|r| r.last_byte_s)
            .fold(0.0, f64::max);
        PageLoad {
            outcome: if self.failure.is_none() {
                Outcome::Ok
            } else {
                Outcome::Failed
            },
            reason: self.failure.as_ref().map(|failure| failure.reason),
            load_s: self.failure.is_none().then_some(last),
            detail: self.failure.map(|failure| failure.detail),
            started_monotonic_s: monotonic_s(self.context.started.into_std()),
            ttfb_s: resources.first().and_then(|document| document.first_byte_s),
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
