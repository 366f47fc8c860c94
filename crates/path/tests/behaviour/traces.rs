//! Traces of deliveries against schedules computed by hand.

use pronghorn_path::{Aqm, LinkSpec, Overhead, Queue, Schedule, Time, Trace};

use crate::harness::{MS, Sending, drain, link, numbered, send};

fn spec(text: &str) -> LinkSpec {
    LinkSpec {
        trace: Some(Trace {
            text: text.to_owned(),
            repeat: true,
        }),
        queue: Some(Queue::Packets(1_000_000)),
        ..LinkSpec::default()
    }
}

/// When packets left, in milliseconds, by their numbers.
fn left(spec: &LinkSpec, sendings: &[(u64, usize)]) -> Vec<(u64, f64)> {
    let sendings: Vec<Sending> = sendings
        .iter()
        .map(|(ms, len)| (Time(ms * MS), *len))
        .collect();
    let (departures, _) = send(spec, 1, &sendings);
    departures
        .iter()
        .map(|d| (d.packet.id, d.due.0 as f64 / MS as f64))
        .collect()
}

const TRACE: &str = "2\n5\n5\n9";

#[test]
fn a_full_packet_takes_one_delivery() {
    let times = left(&spec(TRACE), &[(0, 1500); 9]);
    let by_hand = [2.0, 5.0, 5.0, 9.0, 11.0, 14.0, 14.0, 18.0, 20.0];
    let expected: Vec<(u64, f64)> = (0..).zip(by_hand).collect();
    assert_eq!(times, expected);
}

/// 752 bytes with the header: two in each delivery of 1504.
#[test]
fn small_packets_share_a_delivery() {
    let times = left(&spec(TRACE), &[(0, 748); 5]);
    assert_eq!(times, [(0, 2.0), (1, 2.0), (2, 5.0), (3, 5.0), (4, 5.0)]);
}

/// 1004 bytes each: at 2 ms the first and 500 of the second, at 5 ms its other 504 and 1000 of the third, then 4 and
/// the fourth with 500 of the fifth, and at 9 ms the rest.
#[test]
fn a_packet_that_needs_more_waits_with_what_it_has() {
    let times = left(&spec(TRACE), &[(0, 1000); 5]);
    assert_eq!(times, [(0, 2.0), (1, 5.0), (2, 5.0), (3, 5.0), (4, 9.0)]);
    let long = left(&spec(TRACE), &[(0, 3004), (0, 1500)]);
    assert_eq!(long, [(0, 5.0), (1, 5.0)], "3008 bytes are two deliveries");
    let longer = left(&spec(TRACE), &[(0, 3005), (0, 1500)]);
    assert_eq!(
        longer,
        [(0, 5.0), (1, 9.0)],
        "3009 take a byte of the third, of which the second takes 1503"
    );
}

#[test]
fn what_nobody_uses_is_lost() {
    let times = left(&spec(TRACE), &[(0, 100), (3, 1500), (5, 1500), (9, 1500)]);
    assert_eq!(times, [(0, 2.0), (1, 5.0), (2, 9.0), (3, 11.0)]);
}

#[test]
fn a_packet_that_comes_with_a_delivery_is_too_late_for_it() {
    assert_eq!(left(&spec(TRACE), &[(0, 1), (9, 1)]), [(0, 2.0), (1, 11.0)]);
    assert_eq!(left(&spec("0\n4"), &[(0, 1), (4, 1)]), [(0, 4.0), (1, 8.0)]);
}

#[test]
fn zero_and_the_end_are_one_moment_with_two_deliveries() {
    let times = left(&spec("0\n4"), &[(1, 1500); 3]);
    let expected = [(0, 4.0), (1, 4.0), (2, 8.0)];
    let shifted: Vec<(u64, f64)> = times.iter().map(|(id, at)| (*id, at - 1.0)).collect();
    assert_eq!(shifted, expected, "the trace starts with the first packet");
}

#[test]
fn an_idle_year_is_passed_over_at_once() {
    let year = 365 * 24 * 3600 * 1000;
    let times = left(&spec("1\n3"), &[(0, 1500), (year, 1500)]);
    let rounds = (year / 3) as f64;
    assert_eq!(times[1], (1, rounds * 3.0 + 1.0));
}

#[test]
fn a_byte_order_mark_and_crlf_say_nothing() {
    assert_eq!(left(&spec("\u{feff}2\r\n5\r\n"), &[(0, 1)]), [(0, 2.0)]);
}

/// A packet that comes to an idle link after the trace's end is due when it reaches the bottleneck, to be put there.
#[test]
fn nothing_is_foretold_after_a_traces_end() {
    let mut once = spec("2");
    once.delay_ns = MS;
    once.trace = once.trace.map(|trace| Trace {
        repeat: false,
        ..trace
    });
    let mut link = link(&once, 1);
    link.push(Time(0), numbered(0, 1500));
    assert_eq!(drain(&mut link, Time(2 * MS)).len(), 1);
    link.push(Time(2 * MS), numbered(1, 1500));
    assert_eq!(link.next_due(), Some(Time(3 * MS)));
    assert_eq!(link.pop(Time(3 * MS)), None);
    assert_eq!(link.next_due(), None);
}

#[test]
fn overhead_counts() {
    let spec = LinkSpec {
        overhead: Some(Overhead {
            packet_bytes: 1,
            ..Overhead::default()
        }),
        ..spec(TRACE)
    };
    assert_eq!(left(&spec, &[(0, 1500)]), [(0, 5.0)]);
}

#[test]
fn after_the_end_of_a_trace_that_does_not_repeat_nothing_leaves() {
    let mut once = spec("2\n3");
    once.trace = once.trace.map(|trace| Trace {
        repeat: false,
        ..trace
    });
    let mut link = link(&once, 1);
    (0..3).for_each(|id| link.push(Time(0), numbered(id, 1500)));
    assert_eq!(drain(&mut link, Time::MAX).len(), 2);
    assert_eq!((link.counters().held, link.next_due()), (1, None));
    link.push(Time::MAX, numbered(3, 1500));
    assert_eq!(link.pop(Time::MAX), None);
    assert_eq!((link.counters().held, link.next_due()), (2, None));
}

#[test]
fn a_link_that_holds_for_ever_follows_its_schedule_at_once() {
    let held = LinkSpec {
        trace: Some(Trace {
            text: "1".to_owned(),
            repeat: false,
        }),
        schedule: Some(Schedule {
            text: "time,queue\n0s,2packets\n1us,3packets".to_owned(),
            repeat_ns: Some(MS),
        }),
        ..LinkSpec::default()
    };
    let mut link = link(&held, 1);
    (0..2).for_each(|id| link.push(Time(0), numbered(id, 1500)));
    assert_eq!(drain(&mut link, Time::MAX).len(), 1);
    (2..5).for_each(|id| link.push(Time::MAX, numbered(id, 1500)));
    assert_eq!(drain(&mut link, Time::MAX).len(), 0);
    assert_eq!(
        (link.counters().held, link.counters().queue_dropped),
        (3, 1)
    );
}

/// 2 deliveries in 4 ms are 752 bytes a millisecond.
#[test]
fn a_bound_in_time_is_one_of_the_mean_rate() {
    let bounded = LinkSpec {
        queue: Some(Queue::TimeNs(6 * MS)),
        ..spec("1\n4")
    };
    let sendings = vec![(Time(0), 1500); 10];
    let (departures, counters) = send(&bounded, 1, &sendings);
    assert_eq!((departures.len(), counters.queue_dropped), (3, 7));
}

/// One delivery each 20 ms: packet n is sent at 20 n + 20 ms. Those that have waited for an interval are dropped then.
#[test]
fn queue_management_decides_when_a_delivery_comes() {
    let managed = LinkSpec {
        aqm: Some(Aqm::Codel {
            target_ns: 5 * MS,
            interval_ns: 30 * MS,
            ecn: false,
        }),
        ..spec("20")
    };
    let mut link = link(&managed, 1);
    link.keep_dropped();
    (0..20).for_each(|id| link.push(Time(0), numbered(id, 1500)));
    drain(&mut link, Time(60 * MS));
    let dropped = link
        .take_dropped()
        .map(|dropped| (dropped.packet.id, dropped.at));
    assert_eq!(dropped, Some((2, Time(60 * MS))));
    assert_eq!(link.take_dropped(), None);
}
