use pronghorn_path::{Counters, LinkSpec, Overhead, Queue, Time};

use crate::harness::{MS, Sending, evenly, link, numbered, send};

/// 1000 bytes a millisecond.
const RATE: u64 = 8_000_000;

fn spec(queue: Option<Queue>) -> LinkSpec {
    LinkSpec {
        rate_bit_per_s: Some(RATE),
        queue,
        ..LinkSpec::default()
    }
}

fn delivered(queue: Queue, sendings: &[Sending]) -> (Vec<u64>, Counters) {
    let (departures, counters) = send(&spec(Some(queue)), 1, sendings);
    (departures.iter().map(|d| d.packet.id).collect(), counters)
}

#[test]
fn bytes_are_bounded_exactly_the_packet_on_the_wire_included() {
    let (ids, counters) = delivered(Queue::Bytes(3000), &evenly(5, 0, 1000));
    assert_eq!(ids, [0, 1, 2]);
    assert_eq!(counters.queue_dropped, 2);
    assert_eq!(
        (
            counters.queue_high_water_bytes,
            counters.queue_high_water_packets
        ),
        (3000, 3)
    );
    let (ids, counters) = delivered(Queue::Bytes(2999), &evenly(5, 0, 1000));
    assert_eq!(ids, [0, 1]);
    assert_eq!(counters.queue_high_water_bytes, 2000);
}

#[test]
fn packets_are_bounded_exactly_whatever_their_length() {
    let sendings = [
        (Time(0), 1500),
        (Time(0), 40),
        (Time(0), 9000),
        (Time(0), 40),
    ];
    let (ids, counters) = delivered(Queue::Packets(3), &sendings);
    assert_eq!(ids, [0, 1, 2]);
    assert_eq!(counters.queue_high_water_bytes, 10_540);
}

/// 10 ms of 1000 bytes a millisecond.
#[test]
fn time_is_bounded_in_bytes_of_the_rate_and_one_packet_always_fits() {
    let bound = Queue::TimeNs(10 * MS);
    assert_eq!(delivered(bound, &evenly(20, 0, 1000)).0.len(), 10);
    assert_eq!(delivered(bound, &evenly(30, 0, 501)).0.len(), 19);
    assert_eq!(delivered(bound, &evenly(3, 0, 20_000)).0, [0]);
    let doubled = LinkSpec {
        overhead: Some(Overhead {
            packet_bytes: 1000,
            ..Overhead::default()
        }),
        ..spec(Some(bound))
    };
    assert_eq!(send(&doubled, 1, &evenly(20, 0, 1000)).0.len(), 5);
}

#[test]
fn a_small_packet_passes_where_a_large_one_found_no_room() {
    let sendings = [(Time(0), 1000), (Time(0), 1500), (Time(0), 400)];
    let (ids, _) = delivered(Queue::Bytes(1500), &sendings);
    assert_eq!(ids, [0, 2]);
}

#[test]
fn a_packet_that_ends_makes_room_for_one_that_comes_at_that_moment() {
    let just_late = [(Time(0), 1000), (Time(MS), 1000)];
    assert_eq!(delivered(Queue::Packets(1), &just_late).0, [0, 1]);
    let just_early = [(Time(0), 1000), (Time(MS - 1), 1000)];
    assert_eq!(delivered(Queue::Packets(1), &just_early).0, [0]);
}

#[test]
fn a_packet_longer_than_the_queue_never_passes_and_holds_up_nothing() {
    let mut link = link(
        &LinkSpec {
            delay_ns: 10,
            ..spec(Some(Queue::Bytes(500)))
        },
        1,
    );
    link.push(Time(0), numbered(0, 501));
    link.push(Time(0), numbered(1, 1));
    assert_eq!(link.next_due(), Some(Time(10)));
    assert_eq!(link.pop(Time(10)), None);
    assert_eq!(link.counters().queue_dropped, 1);
    assert_eq!(link.next_due(), Some(Time(1010)));
    assert_eq!(link.pop(Time(1010)).map(|d| d.packet.id), Some(1));
}

#[test]
fn a_rate_alone_queues_a_thousand_packets() {
    let (departures, counters) = send(&spec(None), 1, &evenly(1500, 0, 100));
    assert_eq!(departures.len(), 1000);
    assert_eq!(counters.queue_dropped, 500);
    assert_eq!(counters.queue_high_water_packets, 1000);
}

#[test]
fn without_a_rate_nothing_queues() {
    let (departures, counters) = send(&LinkSpec::default(), 1, &evenly(5000, 0, 1500));
    assert_eq!(departures.len(), 5000);
    assert_eq!(
        (
            counters.queue_high_water_bytes,
            counters.queue_high_water_packets
        ),
        (0, 0)
    );
}

/// The queue fills as packets reach it, which is after their delay.
#[test]
fn packets_still_being_delayed_take_no_room() {
    let spec = LinkSpec {
        delay_ns: 100 * MS,
        ..spec(Some(Queue::Packets(2)))
    };
    let (departures, counters) = send(&spec, 1, &evenly(50, MS, 1000));
    assert_eq!(departures.len(), 50);
    assert_eq!(counters.queue_high_water_packets, 1);
}
