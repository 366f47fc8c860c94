//! How a worker waits for responses: where many are awaited it lets them gather before it reads them, where few are it looks
//! again before it sleeps.
//!
//! A generator that is faster than its server is woken by each response, and answers it with one request in a packet of its
//! own: that costs both ends several times the system calls, and a server at its limit answers fewer requests. One that sleeps
//! after each response makes the server wake it for the next.

use std::time::{Duration, Instant};

use pronghorn_http::Protocol;

use super::Worker;

/// For each request in flight. A thread that handles a million requests a second has each of them in flight for at least a
/// microsecond for every one beside it (Little's law), so that the pause is at most a twentieth of the mean latency.
const EACH: Duration = Duration::from_nanos(50);
const LONGEST: Duration = Duration::from_micros(50);
/// Shorter ones cost more than they gain.
const SHORTEST: Duration = Duration::from_micros(10);
/// So often the sockets are looked at before a thread sleeps that leaves nothing to gather: for some ten microseconds, about what
/// a sleep and a waking cost the two ends.
const LOOKS: usize = 24;

impl Worker {
    /// Returns when the time since the last look at the sockets is long enough. A worker with more to do than that never
    /// waits. Over QUIC, whose receive offload gathers packets, and in an open loop, whose times are to be met, nobody does.
    pub(super) fn gather(&self) {
        if self.plan.arrivals.is_some() || self.plan.endpoint.protocol == Protocol::H3 {
            return;
        }
        let rest =
            pause(self.flights.count()).and_then(|pause| pause.checked_sub(self.looked.elapsed()));
        if let Some(rest) = rest {
            std::thread::sleep(rest);
        }
    }

    /// How often to look at the sockets before sleeping, whatever the protocol and the loop.
    pub(super) fn looks(&self) -> usize {
        let awaited = self.flights.count();
        if awaited > 0 && pause(awaited).is_none() {
            LOOKS
        } else {
            0
        }
    }

    /// Notes that the sockets were looked at.
    pub(super) fn looked(&mut self) {
        self.looked = Instant::now();
    }
}

/// With so many requests in flight.
fn pause(in_flight: usize) -> Option<Duration> {
    let in_flight = u32::try_from(in_flight).unwrap_or(u32::MAX);
    let pause = EACH.saturating_mul(in_flight).min(LONGEST);
    (pause >= SHORTEST).then_some(pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_requests_are_not_kept_waiting_and_many_hardly() {
        assert_eq!(pause(0), None);
        assert_eq!(pause(100), None);
        assert_eq!(pause(400), Some(Duration::from_micros(20)));
        assert_eq!(pause(1_000_000), Some(LONGEST));
        assert_eq!(pause(usize::MAX), Some(LONGEST));
    }
}
