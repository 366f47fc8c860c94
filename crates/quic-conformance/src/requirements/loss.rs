//! RFC 9002, section 6.1: what counts as lost on an acknowledgement.

use super::path::{
    ONE_WAY, ROUND_TRIP, SLACK, bulk, ms, near, responses, settled, text, to_response,
};
use crate::report::Finding;
use crate::scenario::Fate;
use crate::stack::Stack;
use crate::trace::{Direction, Sighting};

/// RFC 9002, section 6.1.1: "The RECOMMENDED initial value for the packet reordering threshold (kPacketThreshold) is 3". Of
/// a response in several datagrams the second is lost. It goes again when the fifth is acknowledged.
pub(super) fn packet_threshold(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(&[(0, 8000)], to_response(2, Fate::Drop)));
    let response: Vec<&Sighting> = responses(&trace).collect();
    let (Some(lost), Some(fifth)) = (response.get(1), response.get(4)) else {
        return Finding::unseen("the response took fewer than five datagrams");
    };
    let again = response.iter().find(|seen| seen.at > lost.at + ms(20));
    let Some(again) = again.map(|again| again.at) else {
        return Finding::new(false, "never sent again");
    };
    // Where pacing has parted the datagrams, the time threshold may come first.
    let expected = (fifth.at + ROUND_TRIP).min(lost.at + ROUND_TRIP * 9 / 8);
    Finding::new(
        near(again, expected, SLACK),
        format!(
            "sent again after {} ms ({})",
            text(again - lost.at),
            text(expected - lost.at)
        ),
    )
}

/// RFC 9002, section 6.1.2: max(kTimeThreshold * max(smoothed_rtt, latest_rtt), kGranularity), where "the RECOMMENDED time
/// threshold (kTimeThreshold) [...] is 9/8". Of two responses, one datagram each, the first is lost.
pub(super) fn time_threshold(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(&[(0, 500), (2, 500)], to_response(1, Fate::Drop)));
    let response: Vec<&Sighting> = responses(&trace).collect();
    let (Some(lost), Some(second)) = (response.first(), response.get(1)) else {
        return Finding::unseen("both responses in one datagram");
    };
    let ack = trace.sent(Direction::Up, second.at + ONE_WAY).next();
    let (Some(ack), Some(again)) = (ack, response.get(2)) else {
        return Finding::new(false, "never sent again");
    };
    let latest = ack.at + ONE_WAY - second.at;
    let smoothed = trace.smoothed_rtt(Direction::Down, ack.at + ONE_WAY);
    let expected = latest.max(smoothed.unwrap_or(ROUND_TRIP)) * 9 / 8;
    let again = again.at - lost.at;
    Finding::new(
        near(again, expected, SLACK),
        format!("sent again after {} ms ({})", text(again), text(expected)),
    )
}

/// RFC 9002, section 6.1: a packet is lost where it "was sent kPacketThreshold packets before an acknowledged packet" or
/// "long enough in the past", and not else. Of two responses the first comes 3 ms after the second.
pub(super) fn reordering_within_the_thresholds(stack: &dyn Stack) -> Finding {
    let trace = stack.run(settled(
        &[(0, 500), (2, 500)],
        to_response(1, Fate::Late(ms(5))),
    ));
    let sent = responses(&trace).count();
    Finding::new(sent == 2, format!("two responses in {sent} datagrams (2)"))
}

/// RFC 9002, section 6.1: spurious losses "result in unnecessary retransmissions and may result in degraded performance". A
/// sender may do more about them, but one packet that comes 80 ms late must not cost more than one that is lost: one
/// reduction of the window by half or less (section 7.3.2).
pub(super) fn spurious_loss(stack: &dyn Stack) -> Finding {
    let (from, late) = (ms(400), ms(80));
    let mut number = 0;
    let trace = stack.run(bulk(move |seen| {
        number += usize::from(seen.direction == Direction::Down && seen.at >= from);
        if number == 3 {
            number += 1000;
            Fate::Late(late)
        } else {
            Fate::Pass
        }
    }));
    let windows = trace.windows(Direction::Down, from);
    let until = from + ROUND_TRIP * 4 + ONE_WAY + late;
    let falls: Vec<(u64, u64)> = windows
        .windows(2)
        .filter(|pair| pair[1].0 < until && pair[1].1 < pair[0].1)
        .map(|pair| (pair[0].1, pair[1].1))
        .collect();
    if trace.answered.is_empty() || windows.is_empty() {
        return Finding::unseen("no window is reported");
    }
    let halved = falls
        .iter()
        .all(|(before, after)| after * 2 + 2400 >= *before);
    let falls_text: Vec<String> = falls
        .iter()
        .map(|(before, after)| format!("{:.2}", *after as f64 / *before as f64))
        .collect();
    let count = falls.len();
    let times = if count == 0 {
        String::new()
    } else {
        format!(", to {} of the window", falls_text.join(", "))
    };
    Finding::new(
        count <= 1 && halved,
        format!("{count} reductions (at most 1){times}"),
    )
}
