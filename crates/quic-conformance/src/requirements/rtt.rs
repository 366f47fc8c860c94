//! RFC 9002, section 5: the estimate of the round trip.

use std::time::Duration;

use super::path::{
    DATA, MAX_ACK_DELAY, MOMENT, ONE_WAY, ROUND_TRIP, SLACK, ms, near, settled, text,
};
use crate::report::Finding;
use crate::scenario::{Fate, Scenario, Stall};
use crate::stack::Stack;
use crate::trace::{Direction, Trace};

/// How long after the arrival of a response, sent at or after `from`, the client's next datagram goes; none where another
/// datagram of the server's comes before.
fn ack_delay(trace: &Trace, from: Duration, one_way: Duration) -> Option<Duration> {
    let mut down = trace.sent(Direction::Down, from);
    let arrives = down.find(|seen| seen.size >= DATA)?.at + one_way;
    let answer = trace.sent(Direction::Up, arrives).next()?.at;
    let next = down.next().map(|seen| seen.at + one_way);
    let alone = next.is_none_or(|next| next > answer);
    alone.then(|| answer - arrives)
}

/// RFC 9002, section 5.3: adjusted_rtt = latest_rtt - ack_delay. Where acknowledgements of single packets wait up to
/// max_ack_delay, the smoothed round trip is nevertheless the path's.
pub(super) fn ack_delay_is_subtracted(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(&[(0, 500)], |_| Fate::Pass));
    let requests = (0..40).map(|number| ms(500 + 100 * number));
    let delays = requests.filter_map(|from| ack_delay(&trace, from, ONE_WAY));
    let waited: Vec<Duration> = delays.filter(|delay| *delay > ms(5)).collect();
    let smoothed = trace.smoothed_rtt(Direction::Down, MOMENT);
    match (waited.last(), smoothed) {
        (Some(delay), Some(smoothed)) if waited.len() >= 20 => Finding::new(
            near(smoothed, ROUND_TRIP, SLACK),
            format!(
                "smoothed_rtt {} ms (50) with ACK delays of {} ms",
                text(smoothed),
                text(*delay)
            ),
        ),
        _ => Finding::unseen("too few ACKs that wait"),
    }
}

/// RFC 9002, section 5.3: an endpoint "MUST use the lesser of the acknowledgment delay and the peer's max_ack_delay after
/// the handshake is confirmed". The client's host receives a response, but sends nothing for 200 ms. So the sample is 250
/// ms, of which 225 count: 7/8 of 50 and 1/8 of 225 are 71.9 ms.
pub(super) fn ack_delay_is_capped(stack: &dyn Stack) -> Finding {
    const STALL: Duration = ms(200);
    let received = MOMENT + ROUND_TRIP;
    let first = MOMENT + ONE_WAY;
    let trace = stack.run(Scenario {
        stalls: vec![Stall {
            sender: Direction::Up,
            from: MOMENT + ms(10),
            to: received + STALL,
        }],
        // The server's probes would be the largest acknowledged.
        ..settled(&[(0, 500)], move |seen| {
            let late = seen.at > first && seen.at < received + STALL;
            if seen.direction == Direction::Down && late {
                Fate::Drop
            } else {
                Fate::Pass
            }
        })
    });
    let at = received + STALL + ONE_WAY;
    let before = trace.smoothed_rtt(Direction::Down, at - ms(1));
    let after = trace.smoothed_rtt(Direction::Down, at + ms(1));
    let (Some(before), Some(after)) = (before, after) else {
        return Finding::unseen("no estimate is reported");
    };
    let expected = (before * 7 + ROUND_TRIP + STALL - MAX_ACK_DELAY) / 8;
    Finding::new(
        near(after, expected, SLACK),
        format!("smoothed_rtt {} ms ({})", text(after), text(expected)),
    )
}

/// RFC 9002, section 5.3: an endpoint "MUST NOT subtract the acknowledgment delay from the RTT sample if the resulting value
/// is smaller than the min_rtt". The path's round trip falls from 50 to 32 ms, and the next ACK waits up to 25 ms.
pub(super) fn no_sample_falls_below_min_rtt(stack: &dyn Stack) -> Finding {
    const SHORT: Duration = ms(15);
    const WHILE: Duration = ms(24);
    let trace = stack.run(Scenario {
        one_way: SHORT,
        ..settled(&[(0, 500)], |seen| {
            if seen.at < MOMENT {
                Fate::Late(WHILE - SHORT)
            } else {
                // Of which a millisecond is the settled path's.
                Fate::Late(Duration::ZERO)
            }
        })
    });
    let one_way = SHORT + ms(1);
    let Some(delay) = ack_delay(&trace, MOMENT, one_way).filter(|delay| *delay > ms(5)) else {
        return Finding::unseen("no ACK that waits and is of the response alone");
    };
    let before = trace.smoothed_rtt(Direction::Down, MOMENT);
    let after = trace.smoothed_rtt(Direction::Down, MOMENT + ms(90));
    let (Some(before), Some(after)) = (before, after) else {
        return Finding::unseen("no estimate is reported");
    };
    let expected = (before * 7 + one_way * 2 + delay) / 8;
    Finding::new(
        near(after, expected, ms(1)),
        format!("smoothed_rtt {} ms ({})", text(after), text(expected)),
    )
}
