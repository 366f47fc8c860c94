//! How a worker waits for responses: where many are awaited it lets them gather before it reads them, where few are it looks
//! again before it sleeps.
//!
//! A generator that is faster than its server is woken by each response, and answers it with one request in a packet of its
//! own: that costs both ends several times the system calls, and a server at its limit answers fewer requests. One that sleeps
//! after each response makes the server wake it for the next.

use std::time::{Duration, Instant};

use pronghorn_http::Protocol;

use super::Worker;

/// For each request in flight over TCP. A thread that handles a million requests a second has each of them in flight for at
/// least a microsecond for every one beside it (Little's law), so that the pause is at most a twentieth of the mean latency.
const EACH_TCP: Duration = Duration::from_nanos(50);
const LONGEST_TCP: Duration = Duration::from_micros(50);
/// Over QUIC, whose threads handle a quarter of that at most; a server that hands each datagram to the kernel by itself takes so
/// long for a few responses.
const EACH_QUIC: Duration = Duration::from_nanos(200);
const LONGEST_QUIC: Duration = Duration::from_micros(200);
/// Shorter ones cost more than they gain.
const SHORTEST: Duration = Duration::from_micros(10);
/// So often the sockets are looked at before a thread sleeps that leaves nothing to gather: for some ten microseconds, about what
/// a sleep and a waking cost the two ends.
const LOOKS: usize = 24;

impl Worker {
    /// Returns when the time since the last look at the sockets is long enough. A worker with more to do than that never
    /// waits; in an open loop, whose times are to be met, nobody does.
    pub(super) fn gather(&self) {
        if self.plan.arrivals.is_some() {
            return;
        }
        let rest = self
            .pause()
            .and_then(|pause| pause.checked_sub(self.looked.elapsed()));
        if let Some(rest) = rest {
            std::thread::sleep(rest);
        }
    }

    /// How often to look at the sockets before sleeping, whatever the protocol and the loop.
    pub(super) fn looks(&self) -> usize {
        if self.flights.count() > 0 && self.pause().is_none() {
            LOOKS
        } else {
            0
        }
    }

    fn pause(&self) -> Option<Duration> {
        pause(self.plan.endpoint.protocol, self.flights.count())
    }

    /// Notes that the sockets were looked at.
    pub(super) fn looked(&mut self) {
        self.looked = Instant::now();
    }
}

/// With so many requests in flight.
fn pause(protocol: Protocol, in_flight: usize) -> Option<Duration> {
    let (each, longest) = match protocol {
        Protocol::H3 => (EACH_QUIC, LONGEST_QUIC),
        _ => (EACH_TCP, LONGEST_TCP),
    };
    let in_flight = u32::try_from(in_flight).unwrap_or(u32::MAX);
    let pause = each.saturating_mul(in_flight).min(longest);
    (pause >= SHORTEST).then_some(pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_requests_are_not_kept_waiting_and_many_hardly() {
        for (protocol, in_flight, micros) in [
            (Protocol::H1, 0, None),
            (Protocol::H2, 100, None),
            (Protocol::H2, 400, Some(20)),
            (Protocol::H1, usize::MAX, Some(50)),
            (Protocol::H3, 10, None),
            (Protocol::H3, 100, Some(20)),
            (Protocol::H3, usize::MAX, Some(200)),
        ] {
            let expected = micros.map(Duration::from_micros);
            assert_eq!(
                pause(protocol, in_flight),
                expected,
                "{protocol}, {in_flight}"
            );
        }
    }
}
