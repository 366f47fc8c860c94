//! RFC 9002, section 6.2: probes before the handshake is confirmed.

use std::time::Duration;

use super::path::{
    FIRST_PTO, MAX_ACK_DELAY, ONE_WAY, ROUND_TRIP, SLACK, UNKNOWN_PTO, early_pto, gaps, is_answer,
    is_second_flight, list, ms, near, text,
};
use crate::datagram::Kind;
use crate::report::Finding;
use crate::scenario::{Fate, Scenario};
use crate::stack::Stack;
use crate::trace::{Direction, Trace};

fn moments(trace: &Trace, kind: Kind) -> Vec<Duration> {
    let bursts = trace.bursts(Direction::Up, Duration::ZERO, |seen| seen.holds(kind));
    bursts.into_iter().map(|(at, _)| at).collect()
}

/// All is lost in both directions from the client's second flight on.
fn second_flight_is_lost(stack: &dyn Stack) -> Trace {
    let mut lost = false;
    stack.run(Scenario {
        until: ms(12_000),
        ..Scenario::new(ONE_WAY, move |seen| {
            lost |= is_second_flight(seen);
            if lost { Fate::Drop } else { Fate::Pass }
        })
    })
}

/// RFC 9002, section 6.2.1: "When the PTO is armed for Initial or Handshake packet number spaces, the max_ack_delay in the
/// PTO period computation is set to 0". After one sample of 50 ms that is 150 ms, after
/// two 125, after three 106.2.
pub(super) fn period_of_handshake(stack: &dyn Stack) -> Finding {
    let trace = second_flight_is_lost(stack);
    match gaps(moments(&trace, Kind::Handshake)).first() {
        None => Finding::new(false, "no probe"),
        Some(first) => Finding::new(
            early_pto(ROUND_TRIP, *first).is_some(),
            format!("first probe after {} ms (150, 125 or 106.2)", text(*first)),
        ),
    }
}

/// RFC 9002, section 6.2.1: "resulting in the PTO period being set to twice its current value". The connection's only timer
/// is that of Handshake packets.
pub(super) fn period_of_handshake_doubles(stack: &dyn Stack) -> Finding {
    let gaps = gaps(moments(&second_flight_is_lost(stack), Kind::Handshake));
    let first = gaps.first().copied().unwrap_or(FIRST_PTO);
    let expected: Vec<Duration> = (0..5).map(|number| first * (1 << number)).collect();
    let doubled = gaps
        .iter()
        .zip(&expected)
        .all(|(gap, expected)| near(*gap, *expected, SLACK + *expected / 50));
    Finding::new(
        gaps.len() >= 5 && doubled,
        format!("probes after {} ms ({}…)", list(&gaps), list(&expected)),
    )
}

/// RFC 9002, section 6.2.1: "An endpoint MUST NOT set its PTO timer for the Application Data packet number space until the
/// handshake is confirmed". 1-RTT packets may go with Handshake packets, but not alone.
pub(super) fn no_timer_for_application_data(stack: &dyn Stack) -> Finding {
    let trace = second_flight_is_lost(stack);
    let handshakes = moments(&trace, Kind::Handshake);
    let alone: Vec<Duration> = moments(&trace, Kind::OneRtt)
        .into_iter()
        .filter(|at| !handshakes.iter().any(|other| near(*other, *at, ms(4))))
        .filter_map(|at| Some(at - *handshakes.first()?))
        .collect();
    Finding::new(
        alone.is_empty(),
        if alone.is_empty() {
            "no 1-RTT packet without a Handshake packet".to_owned()
        } else {
            format!("1-RTT packets alone after {} ms", list(&alone))
        },
    )
}

/// RFC 9002, section 6.2.4: "the sender SHOULD send ack-eliciting packets from other packet number spaces with in-flight
/// data, coalescing packets if possible".
pub(super) fn probes_take_other_spaces_along(stack: &dyn Stack) -> Finding {
    let trace = second_flight_is_lost(stack);
    let Some(probe) = moments(&trace, Kind::Handshake).get(1).copied() else {
        return Finding::new(false, "no probe");
    };
    let along = moments(&trace, Kind::OneRtt);
    let along = along.iter().any(|at| near(*at, probe, ms(4)));
    Finding::new(
        along,
        if along {
            "1-RTT packets go with the first Handshake probe"
        } else {
            "the first Handshake probe goes alone"
        },
    )
}

/// RFC 9002, section 6.2.4, as above, for a server: all is lost but the client's first flight, and the server's first probe
/// holds both Initial and Handshake packets.
pub(super) fn probes_of_a_server_take_other_spaces_along(stack: &dyn Stack) -> Finding {
    let trace = stack.run(Scenario {
        until: ms(8000),
        ..Scenario::new(ONE_WAY, |seen| {
            if seen.direction == Direction::Up && seen.at < ms(40) {
                Fate::Pass
            } else {
                Fate::Drop
            }
        })
    });
    let times = |kind| {
        let first = trace.sent(Direction::Down, Duration::ZERO).next();
        let first = first.map_or(Duration::ZERO, |seen| seen.at);
        let bursts = trace.bursts(Direction::Down, first + ms(100), |seen| seen.holds(kind));
        let since = bursts.into_iter().map(|(at, _)| at - first);
        since.collect::<Vec<_>>()
    };
    let (initial, handshake) = (times(Kind::Initial), times(Kind::Handshake));
    Finding::new(
        !initial.is_empty()
            && initial[0].abs_diff(handshake.first().copied().unwrap_or_default()) < ms(60),
        format!(
            "Initial probes after {} ms, Handshake probes after {} ms",
            list(&initial),
            list(&handshake)
        ),
    )
}

/// A server whose ServerHello is lost, but not what acknowledges the client's Initial packets: only what is shorter than a
/// thousand bytes passes (a ServerHello's datagram is padded to 1200, RFC 9000, section 14.1).
fn initial_is_acknowledged(stack: &dyn Stack) -> Trace {
    stack.run(Scenario {
        until: ms(6000),
        ..Scenario::new(ONE_WAY, |seen| {
            if seen.direction == Direction::Down && seen.size >= 1000 {
                Fate::Drop
            } else {
                Fate::Pass
            }
        })
    })
}

/// When the first acknowledgement of [`initial_is_acknowledged`] arrives that came after a PTO, and what the client sends
/// next, and when.
fn after_initial_ack(trace: &Trace) -> Option<(Duration, &crate::trace::Sighting)> {
    let mut acks = trace.sent(Direction::Down, UNKNOWN_PTO);
    let ack = acks.find(|seen| !seen.is_lost() && seen.holds(Kind::Initial))?;
    let arrives = ack.at + ONE_WAY;
    let next = trace.sent(Direction::Up, arrives).next()?;
    Some((arrives, next))
}

/// RFC 9002, section 6.2.1: "a client does not reset the PTO backoff factor on receiving acknowledgments in Initial packets".
/// After one PTO has run out the next one is 300 ms, not 150; after two, 600.
pub(super) fn backoff_outlives_initial_acks(stack: &dyn Stack) -> Finding {
    let trace = initial_is_acknowledged(stack);
    let mut early = trace.sent(Direction::Down, Duration::ZERO);
    if early.any(|seen| !seen.is_lost() && seen.at < UNKNOWN_PTO && seen.holds(Kind::Initial)) {
        return Finding::unseen("the server acknowledges half a ClientHello");
    }
    match after_initial_ack(&trace) {
        None => Finding::unseen("no acknowledgement without a ServerHello"),
        Some((acked, next)) => {
            let sent = moments(&trace, Kind::Initial);
            // Pacing may part what a PTO lets go.
            let parted = gaps(sent.into_iter().filter(|at| *at < acked));
            let expired = parted.iter().filter(|gap| **gap > ms(50)).count();
            let (after, expected) = (next.at - acked, FIRST_PTO * (1 << expired.min(16)));
            Finding::new(
                near(after, expected, SLACK),
                format!(
                    "{expired} PTOs, then an ACK, then a probe after {} ms ({})",
                    text(after),
                    text(expected)
                ),
            )
        }
    }
}

/// RFC 9002, section 6.2.2.1: "the client MUST set the PTO timer if the client has not received an acknowledgment for any of
/// its Handshake packets and the handshake is not confirmed [...], even if there are no packets in flight", and without
/// Handshake keys "it MUST send an Initial packet in a UDP datagram with a payload of at least 1200 bytes".
pub(super) fn anti_deadlock_by_initial(stack: &dyn Stack) -> Finding {
    let trace = initial_is_acknowledged(stack);
    match after_initial_ack(&trace) {
        None => Finding::unseen("no acknowledgement without a ServerHello"),
        Some((_, next)) => Finding::new(
            next.holds(Kind::Initial) && next.size >= 1200,
            format!(
                "{:?} in {} bytes (Initial in 1200)",
                next.packets, next.size
            ),
        ),
    }
}

/// RFC 9002, section 6.2.2.1: "When the PTO fires, the client MUST send a Handshake packet if it has Handshake keys". The
/// server's Initial packet arrives, its Handshake packets don't.
pub(super) fn anti_deadlock_by_handshake(stack: &dyn Stack) -> Finding {
    let trace = stack.run(Scenario {
        until: ms(900),
        ..Scenario::new(ONE_WAY, |seen| {
            if seen.direction == Direction::Down && seen.holds(Kind::Handshake) {
                Fate::Without(Kind::Handshake)
            } else {
                Fate::Pass
            }
        })
    });
    match moments(&trace, Kind::Handshake).first() {
        None => Finding::new(false, "no Handshake packet"),
        Some(at) => Finding::new(
            *at <= ROUND_TRIP + FIRST_PTO + SLACK,
            format!(
                "a Handshake packet after {} ms (150)",
                text(*at - ROUND_TRIP)
            ),
        ),
    }
}

/// RFC 9000, section 8.1: "an endpoint MUST limit the amount of data it sends to the unvalidated address to three times the
/// amount of data received from that address". RFC 9002, section 6.2.2.1, counts probes too. All that the client sends is
/// lost but its first flight.
pub(super) fn anti_amplification(stack: &dyn Stack) -> Finding {
    let mut lost = false;
    let trace = stack.run(Scenario {
        until: ms(20_000),
        ..Scenario::new(ONE_WAY, move |seen| {
            lost |= is_second_flight(seen);
            if seen.direction == Direction::Up && (lost || seen.at >= ms(900)) {
                Fate::Drop
            } else {
                Fate::Pass
            }
        })
    });
    let size = |direction| -> usize {
        let sent = trace.sent(direction, Duration::ZERO);
        let arrived = sent.filter(|seen| !seen.is_lost());
        arrived.map(|seen| seen.size).sum()
    };
    let (up, down) = (size(Direction::Up), size(Direction::Down));
    Finding::new(
        down <= 3 * up,
        format!("{down} bytes for {up} (at most {})", 3 * up),
    )
}

/// RFC 9002, section 6.2.2: "When no previous RTT is available, the initial RTT SHOULD be set to 333 milliseconds", and
/// section 6.2.1: each PTO is twice the one before. The server never answers.
pub(super) fn initial_rtt(stack: &dyn Stack) -> Finding {
    let trace = stack.run(Scenario {
        until: ms(8000),
        ..Scenario::new(ONE_WAY, |_| Fate::Drop)
    });
    // Less than that is pacing.
    let mut gaps = gaps(moments(&trace, Kind::Initial));
    gaps.retain(|gap| *gap > ms(50));
    let expected = (0..3).map(|number| UNKNOWN_PTO * (1 << number));
    let kept = gaps.len() == 3
        && gaps
            .iter()
            .zip(expected)
            .all(|(gap, to)| near(*gap, to, SLACK + to / 50));
    Finding::new(
        kept,
        format!("probes after {} ms (999, 1998, 3996)", list(&gaps)),
    )
}

/// RFC 9002, section 6.2.2: "When Initial keys and Handshake keys are discarded, [...] the PTO and loss detection timers MUST
/// be reset, because discarding keys indicates forward progress"; appendix A.11 resets pto_count. The round trip is 1.2 s, so
/// one PTO of the client runs out before the server's first flight arrives. The sample is 1.2 s. All that
/// follows is lost in both directions, and the Finished goes again after one PTO, 3.6 s.
pub(super) fn discarding_initial_keys_resets(stack: &dyn Stack) -> Finding {
    const LONG: Duration = ms(600);
    let mut lost = false;
    let trace = stack.run(Scenario {
        until: ms(20_000),
        ..Scenario::new(LONG, move |seen| {
            lost |= is_second_flight(seen);
            if lost { Fate::Drop } else { Fate::Pass }
        })
    });
    let expired = moments(&trace, Kind::Initial).into_iter();
    if !expired
        .into_iter()
        .any(|at| at > Duration::ZERO && at < LONG * 2)
    {
        return Finding::unseen("no PTO before the server's first flight");
    }
    match gaps(moments(&trace, Kind::Handshake)).first() {
        None => Finding::new(false, "the Finished doesn't go again"),
        Some(first) => Finding::new(
            early_pto(LONG * 2, *first).is_some(),
            format!(
                "the Finished goes again after {} ms (3600, 3000 or 2550)",
                text(*first)
            ),
        ),
    }
}

/// RFC 9002, section 6.2.2, as above. The client's second flight is lost twice. Then its Handshake packets arrive and its
/// 1-RTT packets don't; the server's HANDSHAKE_DONE arrives and its acknowledgement in a Handshake packet doesn't. So nothing
/// but the discarding of keys resets the back-off. The request goes again within a PTO, 175 ms, and then after two.
pub(super) fn discarding_handshake_keys_resets(stack: &dyn Stack) -> Finding {
    let mut handshakes: Vec<Duration> = Vec::new();
    let trace = stack.run(Scenario {
        until: ms(12_000),
        ..Scenario::new(ONE_WAY, move |seen| {
            if seen.direction == Direction::Down {
                return if seen.at < ms(100) || !seen.holds(Kind::Handshake) {
                    Fate::Pass
                } else {
                    Fate::Without(Kind::Handshake)
                };
            }
            if seen.holds(Kind::Handshake) && handshakes.last().is_none_or(|at| *at < seen.at) {
                handshakes.push(seen.at);
            }
            match handshakes.len() {
                0 => Fate::Pass,
                1 | 2 => Fate::Drop,
                _ => Fate::Without(Kind::OneRtt),
            }
        })
    });
    let Some(passed) = moments(&trace, Kind::Handshake).get(2).copied() else {
        return Finding::unseen("no third Handshake packet");
    };
    let confirmed = passed + ROUND_TRIP;
    let done = trace.sent(Direction::Down, passed);
    if !done
        .into_iter()
        .any(|seen| seen.at < confirmed && seen.holds(Kind::OneRtt))
    {
        return Finding::unseen("no HANDSHAKE_DONE");
    }
    let data = trace.bursts(Direction::Up, confirmed, |seen| {
        seen.holds(Kind::OneRtt) && !is_answer(&trace, seen, ONE_WAY)
    });
    let (Some(first), Some(second)) = (data.first(), data.get(1)) else {
        return Finding::new(false, "no probes");
    };
    let (first, second) = (first.0 - confirmed, second.0 - first.0);
    let pto = FIRST_PTO + MAX_ACK_DELAY;
    Finding::new(
        first <= pto + SLACK && second <= pto * 2 + SLACK,
        format!(
            "probes after {} and {} ms (at most 175 and 350)",
            text(first),
            text(second)
        ),
    )
}
