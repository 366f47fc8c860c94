//! The path that requirements share: 25 ms each way. And losses that the path's MTU causes.

use std::time::Duration;

use crate::datagram::Kind;
use crate::report::Finding;
use crate::scenario::{Fate, Request, Scenario};
use crate::stack::Stack;
use crate::trace::{Direction, Sighting, Trace};

pub(super) const ONE_WAY: Duration = Duration::from_millis(25);
pub(super) const ROUND_TRIP: Duration = Duration::from_millis(50);
/// RFC 9002, section 6.1.2, kGranularity.
pub(super) const GRANULARITY: Duration = Duration::from_millis(1);
/// RFC 9000, section 18.2, the default of max_ack_delay.
pub(super) const MAX_ACK_DELAY: Duration = Duration::from_millis(25);
/// The PTO after one sample of the round trip, without max_ack_delay: rttvar is half the sample (RFC 9002, section 5.3).
pub(super) const FIRST_PTO: Duration = ms(150);
/// The PTO where the round trip counts as 333 ms: smoothed_rtt + 4 rttvar, rttvar half of it (RFC 9002, section 6.2.2).
pub(super) const UNKNOWN_PTO: Duration = ms(999);
/// When a settled connection is put to the test.
pub(super) const MOMENT: Duration = Duration::from_secs(5);
/// What the rounding of times on the wire and in a stack may come to.
pub(super) const SLACK: Duration = Duration::from_millis(2);
/// A datagram as long as this holds a request or a response; one without is shorter.
pub(super) const DATA: usize = 300;

pub(super) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A connection whose estimate of the round trip has settled before [`MOMENT`] on 50 ms with (almost) no variation: 40
/// small responses, one every 100 ms. Then `requests`, by when after [`MOMENT`] and how many bytes. During the handshake the
/// round trip is 48 ms, so that min_rtt is less than any adjusted sample.
pub(super) fn settled(
    requests: &[(u64, u64)],
    mut script: impl FnMut(&Sighting) -> Fate + 'static,
) -> Scenario {
    const SHORTER: Duration = ms(1);
    let before = (0..40).map(|number| Request {
        at: ms(500 + 100 * number),
        bytes: 500,
    });
    let then = requests.iter().map(|(after, bytes)| Request {
        at: MOMENT + ms(*after),
        bytes: *bytes,
    });
    let longer = move |seen: &Sighting| match script(seen) {
        Fate::Pass if seen.at >= ms(400) => Fate::Late(SHORTER),
        Fate::Late(by) if seen.at >= ms(400) => Fate::Late(by + SHORTER),
        fate => fate,
    };
    Scenario {
        requests: before.chain(then).collect(),
        until: MOMENT + ms(500),
        lingers: true,
        ..Scenario::new(ONE_WAY - SHORTER, longer)
    }
}

/// A response of 8 MB.
pub(super) fn bulk(script: impl FnMut(&Sighting) -> Fate + 'static) -> Scenario {
    Scenario {
        requests: vec![Request {
            at: Duration::ZERO,
            bytes: 8_000_000,
        }],
        ..Scenario::new(ONE_WAY, script)
    }
}

/// Whether a datagram begins the client's second flight, or belongs to it: it holds a Handshake packet.
pub(super) fn is_second_flight(seen: &Sighting) -> bool {
    seen.direction == Direction::Up && seen.holds(Kind::Handshake)
}

/// Which PTO a stack has after some equal samples of a round trip, from what was measured: smoothed_rtt is that sample, and
/// rttvar half of it after the first one and a quarter less after each other one. None where it is no such PTO.
pub(super) fn early_pto(round_trip: Duration, measured: Duration) -> Option<Duration> {
    let mut four_rttvar = round_trip * 2;
    for _ in 0..4 {
        let pto = round_trip + four_rttvar;
        if near(measured, pto, SLACK + pto / 100) {
            return Some(pto);
        }
        four_rttvar = four_rttvar * 3 / 4;
    }
    None
}

pub(super) fn near(measured: Duration, expected: Duration, slack: Duration) -> bool {
    measured.abs_diff(expected) <= slack
}

/// Whether what an end sends at a moment may be but an acknowledgement: it is short, and a datagram has come within
/// max_ack_delay.
pub(super) fn is_answer(trace: &Trace, seen: &Sighting, one_way: Duration) -> bool {
    let other = match seen.direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
    };
    let since = seen.at.saturating_sub(one_way + MAX_ACK_DELAY + ms(1));
    let mut came = trace.sent(other, since);
    seen.size < 60 && came.any(|before| !before.is_lost() && before.at + one_way <= seen.at)
}

/// Milliseconds, as a person reads them.
pub(super) fn text(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    let text = format!("{ms:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Milliseconds between moments.
pub(super) fn gaps(moments: impl IntoIterator<Item = Duration>) -> Vec<Duration> {
    let moments: Vec<Duration> = moments.into_iter().collect();
    moments.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

pub(super) fn list(times: &[Duration]) -> String {
    let times: Vec<String> = times.iter().map(|time| text(*time)).collect();
    times.join(", ")
}

/// RFC 9000, section 14.4: "Loss of a QUIC packet that is carried in a PMTU probe is therefore not a reliable indication of
/// congestion and SHOULD NOT trigger a congestion control reaction". The path drops what is longer than 1300 bytes.
pub(super) fn mtu_probes_are_no_congestion(stack: &dyn Stack) -> Finding {
    const LONGEST: usize = 1300;
    let trace = stack.run(Scenario {
        mtu_discovery: true,
        ..bulk(|seen| {
            if seen.size > LONGEST {
                Fate::Drop
            } else {
                Fate::Pass
            }
        })
    });
    let probes = trace.sent(Direction::Down, Duration::ZERO);
    let probes = probes.filter(|seen| seen.size > LONGEST).count();
    if probes == 0 {
        return Finding::unseen("no datagram of more than 1300 bytes");
    }
    let windows = trace.windows(Direction::Down, Duration::ZERO);
    let reductions = windows.windows(2).filter(|pair| pair[1].1 < pair[0].1);
    let reductions = reductions.count();
    Finding::new(
        reductions == 0 && trace.answered.len() == 1,
        format!("{probes} MTU probes lost, {reductions} reductions (0)"),
    )
}

/// Whether a datagram holds data of a response to the requests of [`settled`].
fn is_response(seen: &Sighting) -> bool {
    seen.direction == Direction::Down && seen.at >= MOMENT && seen.size >= DATA
}

/// The datagrams of those responses, in order.
pub(super) fn responses(trace: &Trace) -> impl Iterator<Item = &Sighting> {
    trace.datagrams.iter().filter(|seen| is_response(seen))
}

/// The script that gives one of those datagrams, counted from one, a fate.
pub(super) fn to_response(place: usize, fate: Fate) -> impl FnMut(&Sighting) -> Fate {
    let mut number = 0;
    move |seen| {
        number += usize::from(is_response(seen));
        if is_response(seen) && number == place {
            fate
        } else {
            Fate::Pass
        }
    }
}
