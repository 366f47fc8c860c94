//! RFC 9002, section 6.2: probes of a connection that is settled.

use std::time::Duration;

use super::path::{
    GRANULARITY, MAX_ACK_DELAY, MOMENT, ONE_WAY, ROUND_TRIP, SLACK, bulk, gaps, is_answer, list,
    ms, near, settled, text,
};
use crate::report::Finding;
use crate::scenario::{Fate, Scenario};
use crate::stack::Stack;
use crate::trace::{Direction, Sighting, Trace};

/// A response and all that follows it are lost, in both directions.
fn silence(stack: &dyn Stack) -> Trace {
    stack.run(Scenario {
        until: MOMENT + ms(12_000),
        ..settled(&[(0, 500)], |seen| match seen.direction {
            Direction::Down if seen.at >= MOMENT => Fate::Drop,
            Direction::Up if seen.at > MOMENT => Fate::Drop,
            _ => Fate::Pass,
        })
    })
}

/// When the server sends the response and its probes.
fn moments(trace: &Trace) -> Vec<Duration> {
    let is_probe = |seen: &Sighting| !is_answer(trace, seen, ONE_WAY);
    let bursts = trace.bursts(Direction::Down, MOMENT, is_probe);
    bursts.into_iter().map(|(at, _)| at).collect()
}

/// RFC 9002, section 6.2.1: "PTO = smoothed_rtt + max(4*rttvar, kGranularity) + max_ack_delay". The variation has settled on
/// less than a quarter of a millisecond, so the PTO is smoothed_rtt + 26 ms.
pub(super) fn period_of_application_data(stack: &dyn Stack) -> Finding {
    let trace = silence(stack);
    let smoothed = trace
        .smoothed_rtt(Direction::Down, MOMENT)
        .unwrap_or(ROUND_TRIP);
    if !near(smoothed, ROUND_TRIP, SLACK) {
        let smoothed = text(smoothed);
        return Finding::unseen(format!("smoothed_rtt hasn't settled: {smoothed} ms"));
    }
    let expected = smoothed + GRANULARITY + MAX_ACK_DELAY;
    match gaps(moments(&trace)).first() {
        None => Finding::new(false, "no probe"),
        Some(first) => Finding::new(
            *first + ms(1) >= expected && *first <= expected + ms(5),
            format!("first probe after {} ms ({})", text(*first), text(expected)),
        ),
    }
}

/// RFC 9002, section 6.2.1: "When a PTO timer expires, the PTO backoff MUST be increased, resulting in the PTO period being
/// set to twice its current value".
pub(super) fn period_doubles(stack: &dyn Stack) -> Finding {
    let gaps = gaps(moments(&silence(stack)));
    let doubled = gaps.windows(2).all(|pair| {
        let factor = pair[1].as_secs_f64() / pair[0].as_secs_f64();
        (1.95..2.05).contains(&factor)
    });
    Finding::new(
        gaps.len() >= 6 && doubled,
        format!("probes after {} ms", list(&gaps)),
    )
}

/// RFC 9002, section 6.2.4: "When a PTO timer expires, a sender MUST send at least one ack-eliciting packet in the packet
/// number space as a probe", and at most two full-sized datagrams. Section 7.5: they "MUST NOT be blocked by the congestion
/// controller". A window in full flight is lost, as is all that follows.
pub(super) fn one_or_two_datagrams(stack: &dyn Stack) -> Finding {
    let from = ms(400);
    let trace = stack.run(Scenario {
        until: ms(4000),
        ..bulk(move |seen| {
            if seen.at >= from {
                Fate::Drop
            } else {
                Fate::Pass
            }
        })
    });
    // Acknowledgements come until 425 ms, and pacing may part what they let go.
    let bursts = trace.bursts(Direction::Down, from + ROUND_TRIP + ms(25), |_| true);
    let counts: Vec<String> = bursts.iter().map(|(_, count)| count.to_string()).collect();
    Finding::new(
        bursts.len() >= 4 && bursts.iter().all(|(_, count)| (1..=2).contains(count)),
        format!("datagrams at each PTO: {} (1 or 2)", counts.join(", ")),
    )
}

/// RFC 9002, section 6.2.4: "All probe packets sent on a PTO MUST be ack-eliciting". The path lets the third probe through;
/// the client must answer within max_ack_delay.
pub(super) fn probes_are_answered(stack: &dyn Stack) -> Finding {
    let closed = MOMENT + ms(200);
    let trace = stack.run(settled(&[(0, 500)], move |seen| match seen.direction {
        Direction::Down if seen.at >= MOMENT && seen.at < closed => Fate::Drop,
        Direction::Up if seen.at > MOMENT && seen.at < closed => Fate::Drop,
        _ => Fate::Pass,
    }));
    let mut sent = trace.sent(Direction::Down, closed);
    let Some(probe) = sent.find(|seen| !is_answer(&trace, seen, ONE_WAY)) else {
        return Finding::new(false, "no third probe");
    };
    let arrives = probe.at + ONE_WAY;
    let answer = trace.sent(Direction::Up, arrives).next();
    match answer.map(|answer| answer.at - arrives) {
        None => Finding::new(false, "no answer"),
        Some(after) => Finding::new(
            after <= MAX_ACK_DELAY + ms(1),
            format!("answered after {} ms (at most 25)", text(after)),
        ),
    }
}
