use pronghorn_path::{Aqm, DropCause, Dropped, Link, LinkSpec, Queue, Time};

use crate::harness::{Kind, MS, Numbered, drain, link, of_kind};

/// 1000 bytes a millisecond.
fn spec(flows: u32, queue: Queue) -> LinkSpec {
    LinkSpec {
        rate_bit_per_s: Some(8_000_000),
        queue: Some(queue),
        aqm: Some(Aqm::FqCodel {
            target_ns: 5 * MS,
            interval_ns: 100 * MS,
            flows,
            quantum_bytes: 1514,
            ecn: false,
        }),
        ..LinkSpec::default()
    }
}

fn roomy() -> LinkSpec {
    spec(1024, Queue::Packets(1_000_000))
}

fn of_flow(flow: u64, len: usize) -> Numbered {
    let kind = Kind {
        flow,
        ..Kind::default()
    };
    of_kind(0, len, kind)
}

fn dropped(link: &mut Link<Numbered>) -> Vec<Dropped<Numbered>> {
    std::iter::from_fn(|| link.take_dropped()).collect()
}

#[test]
fn flows_that_wait_share_the_bytes_whatever_their_packets() {
    let mut link = link(&roomy(), 1);
    for at in 0..90 {
        (0..2).for_each(|_| link.push(Time(at * MS), of_flow(1, 1500)));
        (0..10).for_each(|_| link.push(Time(at * MS), of_flow(2, 300)));
        (0..20).for_each(|_| link.push(Time(at * MS), of_flow(3, 100)));
    }
    let mut sent = [0_i64; 4];
    for departure in drain(&mut link, Time(90 * MS)) {
        sent[departure.packet.kind.flow as usize] += departure.packet.len as i64;
    }
    let share = sent.iter().sum::<i64>() / 3;
    assert!(share > 29_000);
    for (flow, bytes) in sent.iter().enumerate().skip(1) {
        let off = (bytes - share).abs();
        assert!(off <= 1514 + 1500, "flow {flow} is off by {off} bytes");
    }
}

#[test]
fn a_flow_that_is_new_goes_first() {
    let mut link = link(&roomy(), 1);
    (0..50).for_each(|_| link.push(Time(0), of_flow(1, 1000)));
    drain(&mut link, Time(10 * MS));
    link.push(Time(10 * MS + 1), of_flow(2, 1000));
    let next: Vec<(u64, u64)> = drain(&mut link, Time(13 * MS))
        .iter()
        .map(|departure| (departure.packet.kind.flow, departure.due.0 / MS))
        .collect();
    assert_eq!(next, [(1, 11), (2, 12), (1, 13)]);
}

/// A flow that sends again as soon as its queue is empty waits its turn among the old ones.
#[test]
fn a_flow_is_not_new_again_before_its_turn_has_passed() {
    let mut link = link(&roomy(), 1);
    (0..50).for_each(|_| link.push(Time(0), of_flow(1, 1000)));
    drain(&mut link, Time(10 * MS));
    let mut sent = [0; 3];
    for at in 10..40 {
        link.push(Time(at * MS + 1), of_flow(2, 1000));
        for departure in drain(&mut link, Time((at + 1) * MS)) {
            sent[departure.packet.kind.flow as usize] += 1;
        }
    }
    assert!(sent[1] >= 14, "the old flow keeps its half: {sent:?}");
}

/// 100 bytes take 0.1 ms, and 1514 bytes a turn are 15.14 of them. Flow 1 has its second turn, as an old flow, from 1.6 ms on.
/// Flow 2's first packet is a new flow's and goes next, at 2.1 ms; its second one comes when flow 2 has been found empty once, and
/// so waits until flow 1 has had its turn: 928 of its bytes are left at 2.2 ms, which is ten packets.
#[test]
fn a_new_flow_interrupts_a_turn_and_an_emptied_one_does_not() {
    const TENTH: u64 = MS / 10;
    let mut link = link(&roomy(), 1);
    (0..100).for_each(|_| link.push(Time(0), of_flow(1, 100)));
    drain(&mut link, Time(20 * TENTH));
    link.push(Time(20 * TENTH + 1), of_flow(2, 100));
    let mut departures = drain(&mut link, Time(22 * TENTH));
    link.push(Time(22 * TENTH + 1), of_flow(2, 100));
    departures.append(&mut drain(&mut link, Time(50 * TENTH)));
    let dues: Vec<u64> = departures
        .iter()
        .filter(|departure| departure.packet.kind.flow == 2)
        .map(|departure| departure.due.0)
        .collect();
    assert_eq!(dues, [22 * TENTH, 33 * TENTH]);
}

#[test]
fn a_turn_ends_when_the_quantum_is_used_to_the_byte() {
    let mut exact = roomy();
    if let Some(Aqm::FqCodel { quantum_bytes, .. }) = &mut exact.aqm {
        *quantum_bytes = 1000;
    }
    let mut link = link(&exact, 1);
    (0..3).for_each(|_| link.push(Time(0), of_flow(1, 1000)));
    (0..3).for_each(|_| link.push(Time(0), of_flow(2, 1000)));
    let flows: Vec<u64> = drain(&mut link, Time::MAX)
        .iter()
        .map(|departure| departure.packet.kind.flow)
        .collect();
    assert_eq!(flows, [1, 2, 1, 2, 1, 2]);
}

#[test]
fn a_queue_of_even_length_loses_its_half_and_no_more() {
    let mut link = link(&spec(1024, Queue::Packets(100)), 1);
    (0..11).for_each(|_| link.push(Time(0), of_flow(2, 100)));
    (0..90).for_each(|_| link.push(Time(0), of_flow(1, 1000)));
    drain(&mut link, Time(0));
    assert_eq!(link.counters().queue_dropped, 45);
}

#[test]
fn the_fattest_queue_loses_half_of_itself_from_its_head() {
    let mut link = link(&spec(1024, Queue::Packets(100)), 1);
    link.keep_dropped();
    (0..10).for_each(|_| link.push(Time(0), of_flow(2, 100)));
    (0..91).for_each(|i| link.push(Time(0), of_kind(i, 1000, of_flow(1, 0).kind)));
    drain(&mut link, Time(0));
    let lost = dropped(&mut link);
    assert!(lost.iter().all(|one| one.cause == DropCause::QueueFull));
    assert!(lost.iter().all(|one| one.packet.kind.flow == 1));
    let ids: Vec<u64> = lost.iter().map(|one| one.packet.id).collect();
    assert_eq!(
        ids,
        (0..46).collect::<Vec<u64>>(),
        "91 of them wait; 46 make half"
    );
    assert_eq!(link.counters().queue_dropped, 46);
    assert_eq!(link.counters().queue_high_water_packets, 100);
}

#[test]
fn it_loses_64_packets_at_once_at_most() {
    let mut link = link(&spec(1024, Queue::Packets(500)), 1);
    (0..501).for_each(|_| link.push(Time(0), of_flow(1, 1000)));
    drain(&mut link, Time(0));
    assert_eq!(link.counters().queue_dropped, 64);
}

#[test]
fn a_flood_costs_a_sparse_flow_nothing() {
    let mut link = link(&spec(1024, Queue::Bytes(50_000)), 1);
    link.keep_dropped();
    for at in 0..3000 {
        (0..4).for_each(|_| link.push(Time(at * MS), of_flow(1, 1500)));
        if at % 20 == 0 {
            link.push(Time(at * MS), of_flow(2, 200));
        }
        for departure in drain(&mut link, Time(at * MS)) {
            if departure.packet.kind.flow == 2 {
                let waited = departure.due.0 - departure.arrived.0;
                assert!(waited <= 2 * 1_500_000 + 200_000, "{waited} ns");
            }
        }
    }
    assert!(
        dropped(&mut link)
            .iter()
            .all(|one| one.packet.kind.flow == 1)
    );
    assert!(link.counters().queue_dropped > 0);
}

#[test]
fn each_queue_has_a_codel_of_its_own() {
    let mut link = link(&roomy(), 1);
    link.keep_dropped();
    for at in 0..2000 {
        link.push(Time(at * MS), of_flow(1, 1000));
        if at % 10 == 0 {
            link.push(Time(at * MS), of_flow(2, 1000));
            (0..5).for_each(|_| link.push(Time(at * MS), of_flow(3, 1000)));
        }
        drain(&mut link, Time(at * MS));
    }
    let lost = dropped(&mut link);
    assert!(lost.iter().all(|one| one.cause == DropCause::Aqm));
    assert!(lost.iter().any(|one| one.packet.kind.flow == 1));
    assert!(lost.iter().all(|one| one.packet.kind.flow != 2));
}

#[test]
fn with_one_queue_all_flows_are_one() {
    let mut link = link(&spec(1, Queue::Packets(1000)), 1);
    for i in 0..50 {
        link.push(Time(0), of_kind(i, 1000, of_flow(i, 0).kind));
    }
    let ids: Vec<u64> = drain(&mut link, Time::MAX)
        .iter()
        .map(|departure| departure.packet.id)
        .collect();
    assert_eq!(ids, (0..50).collect::<Vec<u64>>());
}

#[test]
fn another_seed_hashes_otherwise() {
    let collides = |seed| {
        let mut link = link(&spec(2, Queue::Packets(1000)), seed);
        for _ in 0..20 {
            link.push(Time(0), of_flow(1, 1000));
        }
        link.push(Time(0), of_flow(2, 1000));
        let out = drain(&mut link, Time::MAX);
        out.last().map(|last| last.packet.kind.flow) == Some(2)
    };
    let collisions = (0..64).filter(|seed| collides(*seed)).count();
    assert!((8..56).contains(&collisions), "{collisions} of 64");
}
