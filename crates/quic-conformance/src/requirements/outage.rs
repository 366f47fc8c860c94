//! How long a response takes over a path that is out for a while: what all of RFC 9002's section 6.2 comes to.

use std::time::Duration;

use super::path::{FIRST_PTO, MAX_ACK_DELAY, ONE_WAY, ROUND_TRIP, UNKNOWN_PTO, ms, text};
use crate::report::Finding;
use crate::scenario::{Fate, Scenario};
use crate::stack::Stack;
use crate::trace::{Direction, Trace};

/// The first probe that isn't lost, where a packet was lost at `from` and all is lost until `to`: probes go one PTO after it,
/// then twice, four times… as much after the one before.
fn first_probe(from: Duration, pto: Duration, to: Duration) -> Duration {
    let mut period = pto;
    let mut probe = from + pto;
    while probe < to {
        period *= 2;
        probe += period;
    }
    probe
}

fn in_time(trace: &Trace, bound: Duration) -> Finding {
    match trace.answered.first() {
        None => {
            let why = trace.failed.as_deref().unwrap_or("lost");
            Finding::new(
                false,
                format!("no response: {why} (at most {} ms)", text(bound)),
            )
        }
        Some(at) => Finding::new(
            *at <= bound,
            format!("response after {} ms (at most {})", text(*at), text(bound)),
        ),
    }
}

/// RFC 9002, sections 6.2.1, 6.2.2 and 6.2.4. The server's first flight arrives at 50 ms; the client has its first sample
/// (50 ms), Handshake keys and no Initial keys any more, so its back-off is reset. Its Finished and its request are lost, as
/// is all that it sends in `MS` milliseconds. Until the handshake is confirmed only Handshake packets have a PTO: 150 ms, then
/// 300, 600… The first probe that passes confirms the handshake a round trip later. The request's PTO has run out long
/// since, so it goes at once where it didn't go with that probe, and the response is there another round trip later.
pub(super) fn second_flight<const MS: u64>(stack: &dyn Stack) -> Finding {
    let lost = ROUND_TRIP..ROUND_TRIP + ms(MS);
    let probe = first_probe(lost.start, FIRST_PTO, lost.end);
    let bound = probe + ROUND_TRIP * 2 + ms(10);
    let trace = stack.run(Scenario::new(ONE_WAY, move |seen| {
        if seen.direction == Direction::Up && lost.contains(&seen.at) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    }));
    in_time(&trace, bound)
}

/// RFC 9002, sections 6.2.2 and 6.2.4. The server's first flight is lost at 25 ms, as is all that it sends in `MS`
/// milliseconds. It has no sample of the round trip, so its PTO is 999 ms, then 1998, 3996… A probe takes the Initial and
/// the Handshake packets along. The client's second flight goes as soon as it is there.
pub(super) fn first_flight<const MS: u64>(stack: &dyn Stack) -> Finding {
    let lost = ONE_WAY..ONE_WAY + ms(MS);
    let bound = first_probe(ONE_WAY, UNKNOWN_PTO, lost.end) + ONE_WAY * 3 + ms(10);
    let trace = stack.run(Scenario::new(ONE_WAY, move |seen| {
        if seen.direction == Direction::Down && lost.contains(&seen.at) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    }));
    in_time(&trace, bound)
}

/// RFC 9002, sections 6.2.1, 6.2.2 and 6.2.4. The client's Finished and its request arrive at the server at 75 ms. The
/// handshake is confirmed, and the back-off reset. The response is lost, as is all that the server sends in `MS`
/// milliseconds. Its PTO is that of one sample and max_ack_delay: 175 ms, then 350, 700…
pub(super) fn response<const MS: u64>(stack: &dyn Stack) -> Finding {
    let from = ONE_WAY * 3;
    let lost = from..from + ms(MS);
    let bound = first_probe(from, FIRST_PTO + MAX_ACK_DELAY, lost.end) + ONE_WAY + ms(10);
    let trace = stack.run(Scenario::new(ONE_WAY, move |seen| {
        if seen.direction == Direction::Down && lost.contains(&seen.at) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    }));
    in_time(&trace, bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_go_at_one_three_seven_periods() {
        let probe = |to| first_probe(ms(50), ms(150), ms(to));
        assert_eq!(
            [100, 200, 201, 501].map(probe),
            [200, 200, 500, 1100].map(ms)
        );
    }
}
