//! Random gates, bottlenecks and schedules for the property tests.

use proptest::option;
use proptest::prelude::*;

use pronghorn_path::{
    Aqm, LinkSpec, Loss, Mtu, Outage, Overhead, Queue, Schedule, TokenBucket, Trace, Udp, Window,
};

fn bucket() -> impl Strategy<Value = TokenBucket> {
    (1_000_000..4_000_000_000_u64, 1..10_000_u64).prop_map(|(rate_bit_per_s, burst_bytes)| {
        TokenBucket {
            rate_bit_per_s,
            burst_bytes,
        }
    })
}

fn outage() -> impl Strategy<Value = Outage> {
    let gaps = prop::collection::vec((0..300_000_u64, 1..300_000_u64), 1..5);
    let scheduled = (gaps, option::of(0..100_000_u64)).prop_map(|(gaps, rest)| {
        let mut end = 0;
        let windows = gaps
            .into_iter()
            .map(|(gap, for_ns)| {
                let at_ns = end + gap;
                end = at_ns + for_ns;
                Window { at_ns, for_ns }
            })
            .collect();
        Outage::Scheduled {
            windows,
            repeat_ns: rest.map(|rest| end + rest),
        }
    });
    let means = 1_000_000..5_000_000_u64;
    prop_oneof![
        scheduled,
        (means.clone(), means).prop_map(|(on_mean_ns, off_mean_ns)| Outage::Random {
            on_mean_ns,
            off_mean_ns
        }),
    ]
}

/// A link that only keeps packets out.
pub(crate) fn gate() -> impl Strategy<Value = LinkSpec> {
    let mtu = (68..2000_u32).prop_map(|bytes| Mtu { bytes, icmp: false });
    let udp = prop_oneof![Just(Udp::Block), bucket().prop_map(Udp::Police)];
    (option::of(mtu), option::of(udp), option::of(outage())).prop_map(|(mtu, udp, outage)| {
        LinkSpec {
            mtu,
            udp,
            outage,
            ..LinkSpec::default()
        }
    })
}

fn queue() -> impl Strategy<Value = Queue> {
    prop_oneof![
        (1..10_000_u64).prop_map(Queue::Bytes),
        (1..10_u64).prop_map(Queue::Packets),
        (1..200_000_u64).prop_map(Queue::TimeNs),
    ]
}

fn aqm() -> impl Strategy<Value = Aqm> {
    let times = (1..50_000_u64, 1..500_000_u64);
    prop_oneof![
        (times.clone(), any::<bool>()).prop_map(|((target_ns, interval_ns), ecn)| Aqm::Codel {
            target_ns,
            interval_ns,
            ecn
        }),
        (times, 1..8_u32, 100..3000_u32, any::<bool>()).prop_map(
            |((target_ns, interval_ns), flows, quantum_bytes, ecn)| Aqm::FqCodel {
                target_ns,
                interval_ns,
                flows,
                quantum_bytes,
                ecn
            }
        ),
    ]
}

fn overhead() -> impl Strategy<Value = Overhead> {
    let cell = option::of((1..100_u32, 0..20_u32));
    (-60..60_i32, cell).prop_map(|(packet_bytes, cell)| Overhead {
        packet_bytes,
        cell_bytes: cell.map(|(bytes, _)| bytes),
        cell_overhead_bytes: cell.map_or(0, |(_, overhead)| overhead),
    })
}

fn rate() -> impl Strategy<Value = u64> {
    prop_oneof![1_000_000..100_000_000_u64, 100_000_000..8_000_000_000_u64]
}

fn trace() -> impl Strategy<Value = Trace> {
    prop::collection::vec(0..3_u32, 1..20).prop_map(|gaps| {
        let mut now = 0;
        let mut lines: Vec<String> = gaps
            .iter()
            .map(|gap| {
                now += gap;
                now.to_string()
            })
            .collect();
        lines.push((now + 1).to_string());
        Trace {
            text: lines.join("\n"),
            repeat: true,
        }
    })
}

/// A link that has perhaps a bottleneck, and nothing else.
pub(crate) fn bottleneck() -> impl Strategy<Value = LinkSpec> {
    let wire = prop_oneof![
        Just((None, None)),
        rate().prop_map(|rate| (Some(rate), None)),
        trace().prop_map(|trace| (None, Some(trace))),
    ];
    let parts = (
        option::of(queue()),
        option::of(aqm()),
        option::of(overhead()),
    );
    (wire, parts, option::of(bucket())).prop_map(
        |((rate_bit_per_s, trace), (queue, aqm, overhead), police)| {
            let wired = rate_bit_per_s.is_some() || trace.is_some();
            LinkSpec {
                police,
                rate_bit_per_s,
                trace,
                queue: queue.filter(|_| wired),
                aqm: aqm.filter(|_| wired),
                overhead: overhead.filter(|_| wired),
                ..LinkSpec::default()
            }
        },
    )
}

/// A cell of a column, empty where nothing changes.
fn cell(column: &'static str) -> impl Strategy<Value = String> {
    let bounds = prop_oneof![
        (1..10_000_u64).prop_map(|bytes| format!("{bytes}B")),
        (1..10_u64).prop_map(|packets| format!("{packets}packets")),
        (1..200_u64).prop_map(|micros| format!("{micros}us")),
    ];
    let value = match column {
        "delay" | "jitter" => (0..20_000_u64).prop_map(|ns| format!("{ns}ns")).boxed(),
        "rate" => rate().prop_map(|rate| format!("{rate}bit")).boxed(),
        "queue" => bounds.boxed(),
        _ => (0..=100_u64).prop_map(|share| format!("{share}%")).boxed(),
    };
    prop_oneof![1 => Just(String::new()), 3 => value]
}

/// The link, perhaps with a schedule of whatever it lets change.
pub(crate) fn scheduled(spec: LinkSpec) -> impl Strategy<Value = LinkSpec> {
    let mut columns = vec!["delay", "jitter", "duplicate", "corrupt", "reorder"];
    if matches!(spec.loss, None | Some(Loss::Independent { .. })) {
        columns.push("loss");
    }
    if spec.rate_bit_per_s.is_some() {
        columns.push("rate");
    }
    if spec.rate_bit_per_s.is_some() || spec.trace.is_some() {
        columns.push("queue");
    }
    let header = format!("time,{}", columns.join(","));
    let cells: Vec<_> = columns.into_iter().map(cell).collect();
    let lines = prop::collection::vec((1..100_000_u64, cells), 1..8);
    let schedule = (lines, option::of(1_000_000..2_000_000_u64)).prop_map(move |(lines, rest)| {
        let mut now = 0;
        let mut text = header.clone();
        for (gap, cells) in lines {
            now += gap;
            text.push_str(&format!("\n{now}ns,{}", cells.join(",")));
        }
        Schedule {
            text,
            repeat_ns: rest.map(|rest| now + rest),
        }
    });
    option::of(schedule).prop_map(move |schedule| LinkSpec {
        schedule,
        ..spec.clone()
    })
}
