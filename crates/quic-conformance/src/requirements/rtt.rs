//! RFC 9002, section 5: the estimate of the round trip.

use std::time::Duration;

use super::path::{MAX_ACK_DELAY, MOMENT, ONE_WAY, ROUND_TRIP, SLACK, ms, near, settled, text};
use crate::report::Finding;
use crate::scenario::{Fate, Scenario, Stall};
use crate::stack::Stack;
use crate::trace::{Direction, Trace};

/// How long after the arrival of the response at [`MOMENT`] the client's next datagram goes.
fn ack_delay(trace: &Trace, one_way: Duration) -> Option<Duration> {
    let response = trace.sent(Direction::Down, MOMENT).next()?;
    let arrives = response.at + one_way;
    Some(trace.sent(Direction::Up, arrives).next()?.at - arrives)
}

/// RFC 9002, section 5.3: adjusted_rtt = latest_rtt - ack_delay. Where acknowledgements of single packets wait up to
/// max_ack_delay, the smoothed round trip is nevertheless the path's.
pub(super) fn ack_delay_is_subtracted(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(&[(0, 500)], |_| Fate::Pass));
    let delay = ack_delay(&trace, ONE_WAY);
    let smoothed = trace.smoothed_rtt(Direction::Down, MOMENT);
    match (delay, smoothed) {
        (Some(delay), Some(smoothed)) if delay > ms(5) => Finding::new(
            near(smoothed, ROUND_TRIP, SLACK),
            format!(
                "smoothed_rtt {} ms (50) with an ACK delay of {} ms",
                text(smoothed),
                text(delay)
            ),
        ),
        seen => Finding::unseen(format!("no ACK that waits: {seen:?}")),
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
/// is smaller than the min_rtt". The path's round trip falls from 50 to 30 ms, and the next ACK waits up to 25 ms.
pub(super) fn no_sample_falls_below_min_rtt(stack: &dyn Stack) -> Finding {
    const SHORT: Duration = ms(15);
    let trace = stack.run(Scenario {
        one_way: SHORT,
        ..settled(&[(0, 500)], |seen| {
            if seen.at < MOMENT {
                Fate::Late(ONE_WAY - SHORT)
            } else {
                Fate::Pass
            }
        })
    });
    let Some(delay) = ack_delay(&trace, SHORT).filter(|delay| *delay > ms(5)) else {
        return Finding::unseen("no ACK that waits");
    };
    let before = trace.smoothed_rtt(Direction::Down, MOMENT);
    let after = trace.smoothed_rtt(Direction::Down, MOMENT + ms(90));
    let (Some(before), Some(after)) = (before, after) else {
        return Finding::unseen("no estimate is reported");
    };
    let expected = (before * 7 + SHORT * 2 + delay) / 8;
    Finding::new(
        near(after, expected, ms(1)),
        format!("smoothed_rtt {} ms ({})", text(after), text(expected)),
    )
}
