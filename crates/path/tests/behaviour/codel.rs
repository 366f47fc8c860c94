//! CoDel against the control law of RFC 8289, and FQ-CoDel's promises (RFC 8290).

use pronghorn_path::{Aqm, DropCause, Link, LinkSpec, Queue, Time};

use crate::harness::{Kind, MS, Numbered, drain, link, numbered, of_kind};

const HALF_MS: u64 = MS / 2;

/// 1000 bytes a millisecond, before a buffer without end.
fn spec(aqm: Aqm) -> LinkSpec {
    LinkSpec {
        rate_bit_per_s: Some(8_000_000),
        queue: Some(Queue::Packets(1_000_000)),
        aqm: Some(aqm),
        ..LinkSpec::default()
    }
}

fn codel(ecn: bool) -> Aqm {
    Aqm::Codel {
        target_ns: 5 * MS,
        interval_ns: 100 * MS,
        ecn,
    }
}

fn managed(ecn: bool) -> Link<Numbered> {
    let mut link = link(&spec(codel(ecn)), 1);
    link.keep_dropped();
    link
}

/// Sends 1000 bytes each half millisecond, twice the rate, from one time to another.
fn overload(link: &mut Link<Numbered>, from: u64, until: u64, kind: Kind) {
    for at in (from..until).step_by(HALF_MS as usize) {
        link.push(Time(at), of_kind(at, 1000, kind));
    }
}

/// When packets were dropped by CoDel, in milliseconds.
fn drops(link: &mut Link<Numbered>) -> Vec<f64> {
    std::iter::from_fn(|| link.take_dropped())
        .inspect(|dropped| assert_eq!(dropped.cause, DropCause::Aqm))
        .map(|dropped| dropped.at.0 as f64 / MS as f64)
        .collect()
}

/// Packet k is sent at k ms and has then waited k / 2 ms: above 5 ms from 10 ms on, for an interval at 110 ms.
/// From there on a drop is due after 100 ms / √n more each, and happens when the next packet is sent.
#[test]
fn drops_come_by_the_control_law() {
    let mut link = managed(false);
    overload(&mut link, 0, 1000 * MS, Kind::default());
    drain(&mut link, Time(1000 * MS));
    let by_hand = [
        110.0, 210.0, 281.0, 339.0, 389.0, 434.0, 474.0, 512.0, 548.0, 581.0, 613.0,
    ];
    let drops = drops(&mut link);
    assert_eq!(drops[..by_hand.len()], by_hand);
    assert!(drops.len() > 25);
    let mut due = 110.0;
    for (n, at) in (1..).zip(drops) {
        assert_eq!(at, f64::ceil(due), "drop {n}");
        due += 100.0 / f64::from(n).sqrt();
    }
}

#[test]
fn below_the_target_nothing_is_dropped() {
    let mut link = managed(false);
    for at in 0..5_000 {
        if at % 4 == 0 {
            (0..4).for_each(|i| link.push(Time(at * MS), numbered(at * 4 + i, 1000)));
        }
        drain(&mut link, Time(at * MS));
    }
    assert_eq!(link.counters().queue_high_water_packets, 4);
    assert_eq!(link.counters().aqm_dropped, 0);
}

#[test]
fn a_delay_that_comes_down_in_time_is_forgiven() {
    let mut link = managed(false);
    for burst in 0..20 {
        let start = burst * 200 * MS;
        (0..90).for_each(|i| link.push(Time(start), numbered(burst * 90 + i, 1000)));
        drain(&mut link, Time(start + 199 * MS));
    }
    assert_eq!(link.counters().packets_out, 20 * 90);
}

#[test]
fn nothing_is_dropped_where_no_more_than_one_packet_waits() {
    let slow = LinkSpec {
        rate_bit_per_s: Some(80_000),
        ..spec(codel(false))
    };
    let mut link = link(&slow, 1);
    let mut waited = Vec::new();
    for i in 0..600 {
        let at = Time(i * 50 * MS);
        waited.extend(drain(&mut link, at).iter().map(|d| d.due.0 - d.reached.0));
        if link.counters().held < 3 {
            link.push(at, numbered(i, 1500));
        }
    }
    assert!(waited.len() > 150 && waited[10..].iter().all(|ns| *ns > 300 * MS));
    assert_eq!(link.counters().aqm_dropped, 0);
}

/// The overload ends and the queue empties; another overload within 16 intervals begins at the pace which the first one
/// came to, less its first drop, and a later one anew.
#[test]
fn it_leaves_the_dropping_state_and_remembers_its_pace() {
    let mut link = managed(false);
    overload(&mut link, 0, 614 * MS, Kind::default());
    let departures = drain(&mut link, Time(5000 * MS));
    let first = drops(&mut link);
    let (count, last) = (first.len() as u64, first[first.len() - 1]);
    let after = departures
        .iter()
        .filter(|d| d.due.0 as f64 > last * MS as f64);
    assert!(after.count() > 5, "packets leave without a drop in the end");

    let again = (last as u64 + 800) * MS;
    let mut link = managed(false);
    overload(&mut link, 0, 614 * MS, Kind::default());
    drain(&mut link, Time(again - MS));
    drops(&mut link);
    overload(&mut link, again, again + 400 * MS, Kind::default());
    drain(&mut link, Time(again + 300 * MS));
    let mut due = again as f64 / MS as f64 + 110.0;
    let second = drops(&mut link);
    assert!(second.len() > 8);
    for (n, at) in (count - 1..).zip(second) {
        assert_eq!(at, due.ceil());
        due += 100.0 / (n as f64).sqrt();
    }

    let much_later = again + 16 * 100 * MS + 3000 * MS;
    let mut link = managed(false);
    overload(&mut link, 0, 614 * MS, Kind::default());
    drain(&mut link, Time(much_later - MS));
    drops(&mut link);
    overload(
        &mut link,
        much_later,
        much_later + 400 * MS,
        Kind::default(),
    );
    drain(&mut link, Time(much_later + 300 * MS));
    let first = much_later as f64 / MS as f64 + 110.0;
    assert_eq!(drops(&mut link)[..2], [first, first + 100.0]);
}

#[test]
fn packets_that_allow_it_are_marked_at_the_same_pace() {
    let ecn = Kind {
        ecn: true,
        ..Kind::default()
    };
    let mut link = managed(true);
    overload(&mut link, 0, 1000 * MS, ecn);
    let marked: Vec<f64> = drain(&mut link, Time(1000 * MS))
        .iter()
        .filter(|departure| departure.packet.kind.marked)
        .inspect(|departure| assert!(departure.marks.congestion))
        .map(|departure| departure.due.0 as f64 / MS as f64 - 1.0)
        .collect();
    assert_eq!(link.counters().aqm_dropped, 0);
    assert_eq!(link.counters().marked, marked.len() as u64);

    let mut others = managed(true);
    overload(&mut others, 0, 1000 * MS, Kind::default());
    drain(&mut others, Time(1000 * MS));
    assert_eq!(others.counters().marked, 0);
    assert_eq!(drops(&mut others), marked);
}

#[test]
fn a_full_buffer_drops_the_packet_that_comes() {
    let bounded = LinkSpec {
        queue: Some(Queue::Packets(10)),
        ..spec(codel(false))
    };
    let mut link = link(&bounded, 1);
    overload(&mut link, 0, 1000 * MS, Kind::default());
    drain(&mut link, Time::MAX);
    assert!(link.counters().queue_dropped > 900);
    assert!(link.counters().aqm_dropped > 0);
}
