//! How long a response takes over a path that is out for a while: what all of RFC 9002's section 6.2 comes to.

use std::time::Duration;

use super::path::{
    FIRST_PTO, MAX_ACK_DELAY, ONE_WAY, ROUND_TRIP, UNKNOWN_PTO, early_pto, gaps, is_second_flight,
    ms, text,
};
use crate::datagram::Kind;
use crate::report::Finding;
use crate::scenario::{Fate, Scenario};
use crate::stack::Stack;
use crate::trace::{Direction, Sighting, Trace};

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

/// All is lost that goes in one direction, from the first datagram that `begins` on for `ms` milliseconds. Gives also when
/// that was.
fn outage(
    stack: &dyn Stack,
    direction: Direction,
    length: Duration,
    begins: fn(&Sighting) -> bool,
) -> (Trace, Duration) {
    let mut begun = None;
    let trace = stack.run(Scenario::new(ONE_WAY, move |seen| {
        if seen.direction != direction {
            return Fate::Pass;
        }
        if begun.is_none() && begins(seen) {
            begun = Some(seen.at);
        }
        match begun {
            Some(from) if seen.at < from + length => Fate::Drop,
            _ => Fate::Pass,
        }
    }));
    let first = trace
        .sent(direction, Duration::ZERO)
        .find(|seen| begins(seen))
        .map_or(Duration::ZERO, |seen| seen.at);
    (trace, first)
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

/// What a stack's rounding may add.
const SPARE: Duration = ms(10);

/// RFC 9002, sections 6.2.1, 6.2.2 and 6.2.4. The server's first flight has arrived; the client has its first sample (50
/// ms), Handshake keys and no Initial keys any more, so its back-off is reset. (More samples shorten its PTO.) Its Finished and its request are lost, as is
/// all that it sends in `MS` milliseconds. Until the handshake is confirmed only Handshake packets have a PTO: 150 ms, then
/// 300, 600… The first probe that passes confirms the handshake a round trip later. The request's PTO has run out long
/// since, so a probe goes at once; where that is but a PING, its acknowledgement shows the request to be lost another round
/// trip later. A third one fetches the response.
pub(super) fn second_flight<const MS: u64>(stack: &dyn Stack) -> Finding {
    let (trace, from) = outage(stack, Direction::Up, ms(MS), is_second_flight);
    let sent = trace.bursts(Direction::Up, from, |seen| seen.holds(Kind::Handshake));
    let measured = gaps(sent.into_iter().map(|(at, _)| at)).first().copied();
    let pto = measured.and_then(|measured| early_pto(ROUND_TRIP, measured));
    let probe = first_probe(from, pto.unwrap_or(FIRST_PTO), from + ms(MS));
    in_time(&trace, probe + ROUND_TRIP * 3 + SPARE)
}

/// RFC 9002, sections 6.2.2 and 6.2.4. The server's first flight is lost, as is all that it sends in `MS` milliseconds. It
/// has no sample of the round trip, so its PTO is 999 ms, then 1998, 3996… A probe takes the Initial and the Handshake
/// packets along. The client's second flight goes as soon as it is there.
pub(super) fn first_flight<const MS: u64>(stack: &dyn Stack) -> Finding {
    let (trace, from) = outage(stack, Direction::Down, ms(MS), |_| true);
    let probe = first_probe(from, UNKNOWN_PTO, from + ms(MS));
    in_time(&trace, probe + ONE_WAY * 3 + SPARE)
}

/// RFC 9002, sections 6.2.1, 6.2.2 and 6.2.4. The client's Finished and its request have arrived at the server. The handshake
/// is confirmed, and the back-off reset. The response is lost, as is all that the server sends in `MS` milliseconds. Its PTO
/// is that of one sample and max_ack_delay: 175 ms, then 350, 700… A probe that is but a PING costs a round trip more.
pub(super) fn response<const MS: u64>(stack: &dyn Stack) -> Finding {
    let begins = |seen: &Sighting| seen.packets == [Kind::OneRtt];
    let (trace, from) = outage(stack, Direction::Down, ms(MS), begins);
    let probe = first_probe(from, FIRST_PTO + MAX_ACK_DELAY, from + ms(MS));
    in_time(&trace, probe + ONE_WAY + ROUND_TRIP + SPARE)
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
