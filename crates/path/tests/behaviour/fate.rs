//! Every packet's fate can be told, by the packet's number.

use std::collections::BTreeMap;

use pronghorn_path::{DropCause, Dropped, LinkSpec, Loss, Queue, Time};

use crate::harness::{MS, Numbered, drain, evenly, link, numbered};

/// Loss, duplication and corruption before a queue that overflows.
fn harsh() -> LinkSpec {
    LinkSpec {
        delay_ns: 5 * MS,
        loss: Some(Loss::Independent {
            probability: 0.2,
            correlation: 0.0,
            longest_burst: None,
        }),
        duplicate: 0.2,
        corrupt: 0.2,
        rate_bit_per_s: Some(10_000_000),
        queue: Some(Queue::Packets(10)),
        ..LinkSpec::default()
    }
}

#[test]
fn each_counted_drop_is_kept_and_each_number_has_all_of_its_fates() {
    let mut link = link(&harsh(), 3);
    link.keep_dropped();
    let (mut fates, mut dropped) = (BTreeMap::<u64, u64>::new(), Vec::<Dropped<Numbered>>::new());
    for (id, (at, len)) in (0..).zip(evenly(2000, MS, 1500)) {
        link.push(at, numbered(id, len));
        for departure in drain(&mut link, at) {
            assert_eq!(departure.number, departure.packet.id);
            *fates.entry(departure.number).or_default() += 1;
        }
        dropped.extend(std::iter::from_fn(|| link.take_dropped()));
    }
    for departure in drain(&mut link, Time::MAX) {
        *fates.entry(departure.number).or_default() += 1;
    }
    dropped.extend(std::iter::from_fn(|| link.take_dropped()));

    let counters = link.counters();
    assert_eq!(dropped.len() as u64, counters.dropped());
    for (cause, count) in [
        (DropCause::Loss, counters.lost),
        (DropCause::QueueFull, counters.queue_dropped),
    ] {
        assert!(count > 100, "{cause:?} happens");
        let told = dropped.iter().filter(|one| one.cause == cause).count();
        assert_eq!(told as u64, count, "{cause:?}");
    }
    for one in &dropped {
        assert_eq!(one.number, one.packet.id);
        assert_eq!(one.marks.copy, one.packet.is_copy);
        assert_eq!(one.marks.corrupted, one.packet.flipped.is_some());
        *fates.entry(one.number).or_default() += 1;
    }
    assert_eq!(fates.len(), 2000);
    assert_eq!(
        fates.values().sum::<u64>(),
        2000 + counters.duplicated,
        "one fate a packet, two where it was duplicated"
    );
}
