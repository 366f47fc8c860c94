//! What keeps packets out before anything else.

use pronghorn_path::{DropCause, LinkSpec, Loss, Mtu, Outage, Queue, TokenBucket, Udp, Window};

use crate::harness::{
    Kind, MS, Numbered, Sending, assorted, evenly, link, of_kind, send, send_each,
};
use crate::statistics::assert_distributed;

fn udp(id: u64, len: usize) -> Numbered {
    let kind = Kind {
        udp: true,
        ..Kind::default()
    };
    of_kind(id, len, kind)
}

fn mtu(bytes: u32) -> LinkSpec {
    LinkSpec {
        mtu: Some(Mtu { bytes, icmp: false }),
        ..LinkSpec::default()
    }
}

fn windows(windows: &[(u64, u64)], repeat_ns: Option<u64>) -> LinkSpec {
    let windows = windows
        .iter()
        .map(|(at_ns, for_ns)| Window {
            at_ns: *at_ns,
            for_ns: *for_ns,
        })
        .collect();
    LinkSpec {
        outage: Some(Outage::Scheduled { windows, repeat_ns }),
        ..LinkSpec::default()
    }
}

fn passing(spec: &LinkSpec, sendings: &[Sending]) -> Vec<u64> {
    let (departures, _) = send(spec, 1, sendings);
    departures.iter().map(|d| d.packet.id).collect()
}

#[test]
fn the_mtu_lets_its_own_length_pass_and_no_more() {
    let sendings = [1400, 1401, 40, 9000].map(|len| (pronghorn_path::Time(0), len));
    assert_eq!(passing(&mtu(1400), &sendings), [0, 2]);
    let (_, counters) = send(&mtu(1400), 1, &sendings);
    assert_eq!((counters.too_big, counters.dropped()), (2, 2));
}

#[test]
fn blocked_udp_is_dropped_and_nothing_else() {
    let spec = LinkSpec {
        udp: Some(Udp::Block),
        ..LinkSpec::default()
    };
    let (departures, counters) = send_each(&spec, 1, &evenly(300, 1, 100), assorted);
    assert_eq!((departures.len(), counters.udp_dropped), (200, 100));
    assert!(departures.iter().all(|d| !d.packet.kind.udp));
}

/// 1000 bytes a millisecond: of packets of 1000 bytes two each millisecond, one passes after the burst.
#[test]
fn policed_udp_passes_at_the_buckets_rate() {
    let bucket = TokenBucket {
        rate_bit_per_s: 8_000_000,
        burst_bytes: 10_000,
    };
    let spec = LinkSpec {
        udp: Some(Udp::Police(bucket)),
        ..LinkSpec::default()
    };
    let sendings = evenly(2000, MS / 2, 1000);
    let (departures, counters) = send_each(&spec, 1, &sendings, udp);
    assert_eq!((departures.len(), counters.udp_dropped), (1009, 991));
    let (others, _) = send(&spec, 1, &sendings);
    assert_eq!(others.len(), 2000);
}

#[test]
fn what_the_udp_rule_does_not_concern_takes_no_tokens_of_its_bucket() {
    let bucket = TokenBucket {
        rate_bit_per_s: 8_000_000,
        burst_bytes: 10_000,
    };
    let spec = LinkSpec {
        udp: Some(Udp::Police(bucket)),
        ..LinkSpec::default()
    };
    let sendings = evenly(4000, MS / 4, 1000);
    let every_other = |id, len| {
        of_kind(
            id,
            len,
            Kind {
                udp: id % 2 == 0,
                ..Kind::default()
            },
        )
    };
    let (departures, counters) = send_each(&spec, 1, &sendings, every_other);
    assert_eq!((departures.len(), counters.udp_dropped), (2000 + 1009, 991));
}

#[test]
fn the_policer_before_the_queue_delays_nothing() {
    let bucket = TokenBucket {
        rate_bit_per_s: 8_000_000,
        burst_bytes: 10_000,
    };
    let policed = LinkSpec {
        delay_ns: 7 * MS,
        police: Some(bucket),
        ..LinkSpec::default()
    };
    let (departures, counters) = send(&policed, 1, &evenly(2000, MS / 2, 1000));
    assert_eq!((departures.len(), counters.policed), (1009, 991));
    assert!(departures.iter().all(|d| d.due.0 - d.arrived.0 == 7 * MS));
    let queued = LinkSpec {
        rate_bit_per_s: Some(80_000_000),
        queue: Some(Queue::Packets(5)),
        ..policed
    };
    let (_, counters) = send(&queued, 1, &evenly(2000, MS / 2, 1000));
    assert_eq!((counters.policed, counters.queue_dropped), (991, 0));
}

#[test]
fn an_outage_lasts_from_its_start_to_before_its_end() {
    let spec = windows(&[(3, 2), (7, 1)], None);
    assert_eq!(passing(&spec, &evenly(10, 1, 1)), [0, 1, 2, 5, 6, 8, 9]);
    let repeated = windows(&[(3, 2)], Some(6));
    assert_eq!(
        passing(&repeated, &evenly(12, 1, 1)),
        [0, 1, 2, 5, 6, 7, 8, 11]
    );
}

#[test]
fn outages_count_from_the_start_of_the_path() {
    use pronghorn_path::Time;
    let spec = windows(&[(0, 5)], None);
    let mut told = link(&spec, 1);
    told.start(Time(100));
    told.push(Time(104), udp(0, 1));
    told.push(Time(105), udp(1, 1));
    assert_eq!(told.counters().outage_dropped, 1);
    let mut untold = link(&spec, 1);
    untold.push(Time(104), udp(0, 1));
    untold.push(Time(105), udp(1, 1));
    assert_eq!(untold.counters().outage_dropped, 2);
}

#[test]
fn packets_on_their_way_when_an_outage_begins_arrive() {
    let spec = LinkSpec {
        delay_ns: 10,
        ..windows(&[(3, 100)], None)
    };
    let (departures, _) = send(&spec, 1, &evenly(5, 1, 1));
    assert_eq!(departures.len(), 3);
}

#[test]
fn random_outages_have_exponential_lengths() {
    const STEP: u64 = 10_000;
    let spec = LinkSpec {
        outage: Some(Outage::Random {
            on_mean_ns: 10 * MS,
            off_mean_ns: 5 * MS,
        }),
        ..LinkSpec::default()
    };
    let mut link = link(&spec, 1);
    let mut lengths: [Vec<f64>; 2] = Default::default();
    let (mut was_out, mut since, mut dropped) = (false, 0, 0);
    for at in (0..20_000 * MS).step_by(STEP as usize) {
        link.push(pronghorn_path::Time(at), udp(0, 1));
        link.pop(pronghorn_path::Time(at));
        let out = link.counters().outage_dropped > dropped;
        dropped = link.counters().outage_dropped;
        if out != was_out {
            lengths[usize::from(was_out)].push((at - since) as f64);
            (was_out, since) = (out, at);
        }
    }
    for (lengths, mean_ns) in lengths.into_iter().zip([10 * MS, 5 * MS]) {
        assert!(lengths.len() > 1000);
        let half = STEP as f64 / 2.0;
        assert_distributed(lengths, |ns| {
            1.0 - (-(ns - half).max(0.0) / mean_ns as f64).exp()
        });
    }
}

#[test]
fn the_first_reason_is_the_one_told() {
    let spec = LinkSpec {
        udp: Some(Udp::Block),
        mtu: Some(Mtu {
            bytes: 1000,
            icmp: true,
        }),
        ..windows(&[(0, 100)], None)
    };
    let mut link = link(&spec, 1);
    link.keep_dropped();
    for (id, len) in [(0, 1001), (3, 1000), (1, 1000)] {
        link.push(pronghorn_path::Time(0), assorted(id, len));
    }
    let causes: Vec<DropCause> = std::iter::from_fn(|| link.take_dropped())
        .map(|dropped| dropped.cause)
        .collect();
    assert_eq!(
        causes,
        [DropCause::TooBig, DropCause::Udp, DropCause::Outage]
    );
}

/// Every third packet is kept out; the others meet what they meet on a link without a gate, whatever the model.
#[test]
fn what_is_kept_out_changes_nothing_for_the_rest() {
    let correlated = Loss::Independent {
        probability: 0.2,
        correlation: 0.5,
        longest_burst: Some(3),
    };
    let two_states = Loss::GilbertElliott {
        enter: 0.1,
        leave: 0.3,
        loss_bad: 0.9,
        loss_good: 0.05,
    };
    let four_states = Loss::FourState {
        p13: 0.1,
        p31: 0.3,
        p32: 0.2,
        p23: 0.4,
        p14: 0.05,
    };
    let listed = Loss::Packets {
        numbers: (1..3000).step_by(5).collect(),
    };
    for loss in [correlated, two_states, four_states, listed] {
        keeps_the_rest_as_it_was(loss);
    }
}

#[track_caller]
fn keeps_the_rest_as_it_was(loss: Loss) {
    let open = LinkSpec {
        delay_ns: 1000,
        jitter: Some(pronghorn_path::Jitter {
            spread_ns: 900,
            correlation: 0.5,
            order: pronghorn_path::Order::Break,
            ..Default::default()
        }),
        loss: Some(loss),
        duplicate: 0.3,
        duplicate_correlation: 0.5,
        corrupt: 0.4,
        corrupt_correlation: 0.5,
        ..LinkSpec::default()
    };
    let gated = LinkSpec {
        udp: Some(Udp::Block),
        ..open.clone()
    };
    let sendings = evenly(3000, 100, 100);
    let fates = |spec| {
        let (departures, _) = send_each(spec, 1, &sendings, assorted);
        let all = departures.into_iter().filter(|d| !d.packet.kind.udp);
        let mut fates: Vec<_> = all
            .map(|d| (d.packet.id, d.marks.copy, d.due, d.packet.flipped))
            .collect();
        fates.sort();
        fates
    };
    assert_eq!(fates(&gated), fates(&open));
}
