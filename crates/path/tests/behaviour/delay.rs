use pronghorn_path::{LinkSpec, Time};

use crate::harness::{MS, evenly, link, numbered, send};

#[test]
fn a_constant_delay_is_exact() {
    let spec = LinkSpec {
        delay_ns: 75 * MS,
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&spec, 1, &evenly(10_000, 12_345, 100));
    assert_eq!(departures.len(), 10_000);
    for (i, departure) in (0..).zip(&departures) {
        assert_eq!(departure.packet.id, i);
        assert_eq!(departure.arrived, Time(i * 12_345));
        assert_eq!(departure.due, Time(i * 12_345 + 75 * MS));
    }
    assert_eq!(
        (counters.packets_out, counters.bytes_out),
        (10_000, 1_000_000)
    );
    assert_eq!(counters.reordered, 0);
}

#[test]
fn nothing_leaves_before_it_is_due() {
    let spec = LinkSpec {
        delay_ns: 100,
        ..LinkSpec::default()
    };
    let mut link = link(&spec, 1);
    assert_eq!(link.next_due(), None);
    link.push(Time(5), numbered(0, 1));
    assert_eq!(link.next_due(), Some(Time(105)));
    assert_eq!(link.pop(Time(104)), None);
    assert_eq!(link.counters().held, 1);
    assert!(link.pop(Time(105)).is_some());
    assert_eq!(link.next_due(), None);
}

#[test]
fn packets_of_one_moment_leave_in_the_order_in_which_they_came() {
    let (departures, _) = send(&LinkSpec::default(), 1, &evenly(100, 0, 1));
    assert!(departures.iter().map(|d| d.packet.id).eq(0..100));
}

#[test]
fn time_never_goes_back() {
    let spec = LinkSpec {
        delay_ns: 10,
        ..LinkSpec::default()
    };
    let mut link = link(&spec, 1);
    assert_eq!(link.pop(Time(100)), None);
    link.push(Time(50), numbered(0, 1));
    let departure = link
        .pop(Time(110))
        .expect("pushed at 100, the latest time seen");
    assert_eq!((departure.arrived, departure.due), (Time(100), Time(110)));
}

#[test]
fn the_end_of_time_is_no_trouble() {
    let spec = LinkSpec {
        delay_ns: 10,
        rate_bit_per_s: Some(1),
        ..LinkSpec::default()
    };
    let mut link = link(&spec, 1);
    link.push(Time(u64::MAX - 5), numbered(0, 1500));
    link.push(Time(u64::MAX), numbered(1, 1500));
    assert_eq!(link.pop(Time::MAX).map(|d| d.due), Some(Time::MAX));
    assert_eq!(link.pop(Time::MAX).map(|d| d.due), Some(Time::MAX));
    assert!(link.counters().balance());
}
