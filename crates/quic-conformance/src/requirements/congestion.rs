//! RFC 9002, section 7: what losses do to the congestion window.

use std::ops::Range;
use std::time::Duration;

use super::path::{MAX_ACK_DELAY, ONE_WAY, ROUND_TRIP, bulk, list, ms, text};
use crate::datagram::Kind;
use crate::report::Finding;
use crate::scenario::{Fate, Scenario};
use crate::stack::Stack;
use crate::trace::{Direction, Sighting};

/// Two datagrams of 1200 bytes (RFC 9002, section 7.2, kMinimumWindow).
const LEAST: u64 = 2 * 1200;

fn least(windows: &[(Duration, u64)]) -> Option<u64> {
    windows.iter().map(|(_, window)| *window).min()
}

/// The least window that is reported after all of the server's datagrams were lost for a time.
fn least_after(stack: &dyn Stack, lost: Range<Duration>) -> Option<u64> {
    let end = lost.end;
    let trace = stack.run(bulk(move |seen| {
        if seen.direction == Direction::Down && lost.contains(&seen.at) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    }));
    least(&trace.windows(Direction::Down, end))
}

/// RFC 9002, section 7.3.2: "The recovery period aims to limit congestion window reduction to once per round trip". Three of
/// a flight's datagrams are lost.
pub(super) fn one_reduction_a_round_trip(stack: &dyn Stack) -> Finding {
    let from = ms(400);
    let mut number = 0;
    let trace = stack.run(bulk(move |seen| {
        let counts = seen.direction == Direction::Down && seen.at >= from;
        number += usize::from(counts);
        if counts && [2, 7, 12].contains(&number) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    }));
    let windows = trace.windows(Direction::Down, from);
    let until = from + ROUND_TRIP * 3;
    let falls = windows
        .windows(2)
        .filter(|pair| pair[1].0 < until && pair[1].1 < pair[0].1)
        .count();
    Finding::new(falls == 1, format!("{falls} reductions (1)"))
}

/// RFC 9002, section 7.6.2: "When persistent congestion is declared, the sender's congestion window MUST be reduced to the
/// minimum congestion window (kMinimumWindow)". All of the server's datagrams are lost for two seconds.
pub(super) fn persistent_congestion_collapses(stack: &dyn Stack) -> Finding {
    match least_after(stack, ms(400)..ms(2400)) {
        None => Finding::unseen("no window is reported"),
        Some(window) => Finding::new(window == LEAST, format!("{window} bytes ({LEAST})")),
    }
}

/// RFC 9002, section 7.6.1: the duration is "(smoothed_rtt + max(4*rttvar, kGranularity) + max_ack_delay) *
/// kPersistentCongestionThreshold", three. All of the server's datagrams are lost for 60 ms.
pub(super) fn short_losses_are_not_persistent(stack: &dyn Stack) -> Finding {
    match least_after(stack, ms(400)..ms(460)) {
        None => Finding::unseen("no window is reported"),
        Some(window) => Finding::new(
            window > LEAST,
            format!("{window} bytes (more than {LEAST})"),
        ),
    }
}

/// RFC 9002, section 7.6.2: "The persistent congestion period SHOULD NOT start until there is at least one RTT sample". All
/// of the client's datagrams are lost for 6.9 s.
pub(super) fn none_before_a_sample(stack: &dyn Stack) -> Finding {
    let trace = stack.run(Scenario {
        lingers: true,
        until: ms(20_000),
        ..Scenario::new(ONE_WAY, |seen| {
            if seen.direction == Direction::Up && seen.at < ms(6900) {
                Fate::Drop
            } else {
                Fate::Pass
            }
        })
    });
    match least(&trace.windows(Direction::Up, ms(6900))) {
        _ if trace.answered.is_empty() => Finding::unseen("no connection"),
        None => Finding::unseen("no window is reported"),
        Some(window) => Finding::new(
            window > LEAST,
            format!("{window} bytes (more than {LEAST})"),
        ),
    }
}

/// RFC 9002, section 7.6.2: persistent congestion wants that "across all packet number spaces, none of the packets sent
/// between the send times of these two packets are acknowledged"; a sender that can't see all spaces "MAY use state for just
/// the packet number space that was acknowledged". The client's 1-RTT packets are lost for longer than three PTOs, and a
/// Handshake packet that it sent between them is acknowledged.
pub(super) fn all_spaces_count(stack: &dyn Stack) -> Finding {
    let mut handshakes: Vec<Duration> = Vec::new();
    let trace = stack.run(Scenario {
        lingers: true,
        until: ms(6000),
        ..Scenario::new(ONE_WAY, move |seen| {
            if seen.direction == Direction::Down {
                return Fate::Pass;
            }
            if seen.holds(Kind::Handshake) && handshakes.last().is_none_or(|at| *at < seen.at) {
                handshakes.push(seen.at);
            }
            match handshakes.get(2) {
                None if !handshakes.is_empty() => Fate::Drop,
                None => Fate::Pass,
                Some(passed) if seen.at < *passed + ms(400) => Fate::Without(Kind::OneRtt),
                Some(_) => Fate::Pass,
            }
        })
    });
    let up = || trace.sent(Direction::Up, ROUND_TRIP);
    let is_lost = |seen: &&Sighting| {
        let fate = seen.is_lost() || seen.fate == Fate::Without(Kind::OneRtt);
        seen.holds(Kind::OneRtt) && fate
    };
    let lost: Vec<Duration> = up().filter(is_lost).map(|seen| seen.at).collect();
    let mut handshakes = up().filter(|seen| seen.holds(Kind::Handshake) && !seen.is_lost());
    let Some(acked) = handshakes.next().map(|seen| seen.at) else {
        return Finding::unseen("no Handshake packet arrives");
    };
    let span = |times: &[Duration]| match (times.first(), times.last()) {
        (Some(first), Some(last)) => *last - *first,
        _ => Duration::ZERO,
    };
    let after: Vec<Duration> = lost.iter().copied().filter(|at| *at >= acked).collect();
    let before: Vec<Duration> = lost.iter().copied().filter(|at| *at <= acked).collect();
    // Two to four samples of 50 ms: 4 rttvar is 42 to 75 ms.
    let period = |var: u64| (ROUND_TRIP + ms(var) + MAX_ACK_DELAY) * 3;
    if span(&lost) <= period(75) || span(&after).max(span(&before)) > period(42) {
        let all: Vec<Duration> = lost.iter().map(|at| *at - ROUND_TRIP).collect();
        return Finding::unseen(format!(
            "1-RTT packets lost at {} ms, Handshake passed at {} ms",
            list(&all),
            text(acked - ROUND_TRIP)
        ));
    }
    match least(&trace.windows(Direction::Up, acked)) {
        None => Finding::unseen("no window is reported"),
        Some(window) => Finding::new(
            window > LEAST,
            format!("{window} bytes (more than {LEAST})"),
        ),
    }
}
