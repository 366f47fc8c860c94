//! RFC 9000, section 13.2: when acknowledgements go.

use std::time::Duration;

use super::path::{DATA, MAX_ACK_DELAY, ONE_WAY, ms, responses, settled, text, to_response};
use crate::datagram::Kind;
use crate::report::Finding;
use crate::scenario::{Fate, Scenario};
use crate::stack::Stack;
use crate::trace::{Direction, Trace};

/// How long after `arrives` the client's next datagram goes.
fn answer(trace: &Trace, arrives: Duration) -> Option<Duration> {
    let answer = trace.sent(Direction::Up, arrives).next()?;
    Some(answer.at - arrives)
}

fn within(answer: Option<Duration>, most: Duration) -> Finding {
    match answer {
        None => Finding::new(false, "no answer"),
        Some(after) => Finding::new(
            after <= most + ms(1),
            format!("after {} ms (at most {})", text(after), text(most)),
        ),
    }
}

/// RFC 9000, section 13.2.1: "An endpoint MUST acknowledge all ack-eliciting 0-RTT and 1-RTT packets within its advertised
/// max_ack_delay". The worst of 40 responses of one packet.
pub(super) fn within_max_ack_delay(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(&[], |_| Fate::Pass));
    let responses = trace.sent(Direction::Down, ms(500));
    let responses = responses.filter(|seen| seen.size >= DATA);
    let answers: Vec<Option<Duration>> = responses
        .map(|seen| answer(&trace, seen.at + ONE_WAY))
        .collect();
    if answers.len() < 40 || answers.contains(&None) {
        return Finding::new(false, "not every response is acknowledged");
    }
    within(answers.into_iter().flatten().max(), MAX_ACK_DELAY)
}

/// RFC 9000, section 13.2.1: "An endpoint MUST acknowledge all ack-eliciting Initial and Handshake packets immediately". The
/// server's first Handshake packet arrives at the client.
pub(super) fn handshake_at_once(stack: &dyn Stack) -> Finding {
    let trace = stack.run(Scenario::new(ONE_WAY, |_| Fate::Pass));
    let mut flight = trace.sent(Direction::Down, Duration::ZERO);
    match flight.find(|seen| seen.holds(Kind::Handshake)) {
        None => Finding::unseen("no Handshake packet"),
        Some(first) => within(answer(&trace, first.at + ONE_WAY), Duration::ZERO),
    }
}

/// RFC 9000, section 13.2.1: "an endpoint SHOULD generate and send an ACK frame without delay when it receives an
/// ack-eliciting packet [...] when the packet has a packet number larger than the highest-numbered ack-eliciting packet that
/// has been received and there are missing packets between". The second of two responses comes first.
pub(super) fn out_of_order_at_once(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(
        &[(0, 500), (5, 500)],
        to_response(1, Fate::Late(ms(15))),
    ));
    let Some(second) = responses(&trace).nth(1) else {
        return Finding::unseen("both responses in one datagram");
    };
    within(answer(&trace, second.at + ONE_WAY), Duration::ZERO)
}

/// RFC 9000, section 13.2.2: "A receiver SHOULD send an ACK frame after receiving at least two ack-eliciting packets". Two
/// responses of one packet, 2 ms apart.
pub(super) fn second_at_once(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(&[(0, 500), (2, 500)], |_| Fate::Pass));
    let Some(second) = responses(&trace).nth(1) else {
        return Finding::unseen("both responses in one datagram");
    };
    within(answer(&trace, second.at + ONE_WAY), Duration::ZERO)
}
