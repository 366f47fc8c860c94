//! Links whose values change over time.

use pronghorn_path::{
    Departure, Distribution, Handover, Jitter, LinkSpec, Loss, Order, PathSpec, Queue, Schedule,
    SpecError, Time, Trace,
};

use crate::harness::{MS, Numbered, Sending, drain, evenly, link, message, numbered, send};

fn with(spec: LinkSpec, text: &str, repeat_ns: Option<u64>) -> LinkSpec {
    let text = text.to_owned();
    LinkSpec {
        schedule: Some(Schedule { text, repeat_ns }),
        ..spec
    }
}

fn scheduled(text: &str) -> LinkSpec {
    with(LinkSpec::default(), text, None)
}

fn dues(spec: &LinkSpec, sendings: &[Sending]) -> Vec<u64> {
    let (departures, _) = send(spec, 1, sendings);
    departures.iter().map(|d| d.due.0).collect()
}

#[test]
fn a_rate_that_changes_applies_to_the_bits_that_are_left() {
    let spec = scheduled("time,rate\n0s,8Mbit\n1ms,16Mbit\n2ms,1Mbit");
    let sendings = [(Time(0), 1500), (Time(0), 1500), (Time(0), 1000)];
    let by_hand = [
        MS + 250_000, // 500 bytes are left at 1 ms, at 2000 bytes a ms
        2 * MS,       // 1500 bytes in 0.75 ms
        10 * MS,      // 1000 bytes at 125 bytes a ms
    ];
    assert_eq!(dues(&spec, &sendings), by_hand);
}

/// 8 bits at 3 a nanosecond are out at 8/3 ns, which is told as 3; the second packet has sent one bit by then.
#[test]
fn a_change_in_the_nanosecond_of_a_departure_comes_after_it() {
    let spec = scheduled("time,rate\n0s,3Gbit\n3ns,7Gbit");
    assert_eq!(dues(&spec, &[(Time(0), 1); 3]), [3, 4, 6]);
}

/// 200 000 packets over a rate that changes every millisecond: the last bit is out when the sum of the rates says.
#[test]
fn no_bit_is_lost_at_a_change() {
    let text: Vec<String> = (1..7)
        .map(|ms| format!("{ms}ms,{}bit", 7_000_001 + ms * 1_000_003))
        .collect();
    let text = format!("time,rate\n0s,6999997bit\n{}", text.join("\n"));
    let base = LinkSpec {
        queue: Some(Queue::Packets(1_000_000)),
        ..LinkSpec::default()
    };
    let spec = with(base, &text, Some(7 * MS));
    let sendings: Vec<Sending> = (0..200_000)
        .map(|i| (Time(0), 40 + i * 7919 % 1461))
        .collect();
    let mut rates: Vec<u128> = vec![6_999_997];
    rates.extend((1..7).map(|ms| 7_000_001 + ms * 1_000_003));
    let round: u128 = rates.iter().map(|rate| rate * u128::from(MS)).sum();
    let mut nanobits = 0_u128;
    for departure in send(&spec, 1, &sendings).0 {
        nanobits += departure.packet.len as u128 * 8_000_000_000;
        let (mut at, mut left) = (nanobits / round * 7_000_000, nanobits % round);
        for rate in &rates {
            let piece = (rate * u128::from(MS)).min(left);
            at += piece.div_ceil(*rate);
            left -= piece;
        }
        assert_eq!(u128::from(departure.due.0), at);
    }
}

#[test]
fn a_delay_that_shrinks_lets_nobody_overtake() {
    let spec = scheduled("time,delay\n0s,10ms\n5ms,1ms\n20ms,3ms");
    let sendings: Vec<Sending> = [0, 4, 5, 12, 20].map(|ms| (Time(ms * MS), 1)).to_vec();
    let expected = [10, 14, 14, 14, 23].map(|ms| ms * MS);
    assert_eq!(dues(&spec, &sendings), expected);
}

#[test]
fn chances_change_and_empty_cells_do_not() {
    let text = "time,loss,duplicate,corrupt\n# all of it, then none\n0s,0%,100%,\n\n10ns,100%,,\n20ns,0%,0%,100%\n";
    let (departures, counters) = send(&scheduled(text), 1, &evenly(30, 1, 10));
    let count = |range: std::ops::Range<u64>| {
        let within = |d: &&Departure<Numbered>| range.contains(&d.packet.id);
        departures.iter().filter(within).count()
    };
    assert_eq!((count(0..10), count(10..20), count(20..30)), (20, 10, 10));
    assert_eq!(
        (counters.lost, counters.duplicated, counters.corrupted),
        (10, 20, 10)
    );
}

#[test]
fn jitter_and_reordering_come_and_go() {
    let base = LinkSpec {
        delay_ns: 1000,
        ..LinkSpec::default()
    };
    let text = "time,jitter,reorder\n100us,500ns,\n200us,0ns,100%\n300us,,0%";
    let (departures, _) = send(&with(base, text, None), 1, &evenly(400, 1000, 1));
    let mut delays = vec![0; 400];
    for departure in &departures {
        delays[departure.packet.id as usize] = departure.due.0 - departure.arrived.0;
    }
    assert!(delays[..100].iter().all(|ns| *ns == 1000));
    assert!(delays[100..200].iter().any(|ns| *ns != 1000));
    assert!(delays[200..300].iter().all(|ns| *ns == 0));
    assert!(delays[300..].iter().all(|ns| *ns == 1000));
}

#[test]
fn a_bound_that_shrinks_keeps_what_is_inside() {
    let base = LinkSpec {
        rate_bit_per_s: Some(8_000_000),
        queue: Some(Queue::Packets(10)),
        ..LinkSpec::default()
    };
    let spec = with(base, "time,queue\n2500us,3packets", None);
    let mut sendings = evenly(10, 0, 1000);
    sendings.extend([
        (Time(3 * MS), 1000),
        (Time(8 * MS), 1000),
        (Time(8 * MS), 1000),
    ]);
    let (departures, counters) = send(&spec, 1, &sendings);
    assert_eq!((departures.len(), counters.queue_dropped), (11, 2));
}

#[test]
fn traces_and_schedules_count_from_the_start_of_the_path() {
    let spec = scheduled("time,delay\n5ms,7ms");
    let mut told = link(&spec, 1);
    told.start(Time(100 * MS));
    told.push(Time(105 * MS), numbered(0, 1));
    assert_eq!(told.next_due(), Some(Time(112 * MS)));
    let mut untold = link(&spec, 1);
    untold.push(Time(105 * MS), numbered(0, 1));
    assert_eq!(untold.next_due(), Some(Time(105 * MS)));
    let traced = LinkSpec {
        trace: Some(Trace {
            text: "4".to_owned(),
            repeat: true,
        }),
        ..LinkSpec::default()
    };
    let mut link = link(&traced, 1);
    link.start(Time(100 * MS));
    link.push(Time(105 * MS), numbered(0, 1));
    assert_eq!(link.pop(Time::MAX).map(|d| d.due), Some(Time(108 * MS)));
}

#[test]
fn a_schedule_that_repeats_begins_where_it_ended() {
    let spec = with(
        LinkSpec::default(),
        "time,delay\n2ms,5ms\n4ms,1ms",
        Some(10 * MS),
    );
    let sendings: Vec<Sending> = [0, 2, 4, 11, 12, 14, 22]
        .map(|ms| (Time(ms * MS), 1))
        .to_vec();
    let expected = [0, 7, 7, 12, 17, 17, 27].map(|ms| ms * MS);
    assert_eq!(dues(&spec, &sendings), expected);
}

#[test]
fn a_byte_order_mark_and_crlf_say_nothing() {
    let text = "\u{feff}time , delay\r\n0s, 5ms\r\n\r\n";
    assert_eq!(dues(&scheduled(text), &[(Time(0), 1)]), [5 * MS]);
    let twice = scheduled("\u{feff}\u{feff}time,delay\n0s,5ms");
    assert!(message(&twice).starts_with("schedule.text, line 1: the first column is"));
}

/// Packets that wait for ever behind the end of a trace don't make the link go through every round of a schedule.
#[test]
fn a_link_that_stands_still_passes_over_its_changes() {
    let stuck = LinkSpec {
        delay_ns: MS,
        trace: Some(Trace {
            text: "3".to_owned(),
            repeat: false,
        }),
        ..LinkSpec::default()
    };
    let spec = with(stuck, "time,queue\n0s,5packets", Some(MS));
    let mut link = link(&spec, 1);
    (0..2).for_each(|id| link.push(Time(0), numbered(id, 1500)));
    assert_eq!(drain(&mut link, Time(1 << 60)).len(), 1);
    link.push(Time(1 << 60), numbered(2, 1500));
    let due = link.next_due();
    assert_eq!(due, Some(Time((1 << 60) + MS)));
    drain(&mut link, Time(u64::MAX - MS));
    assert_eq!((link.counters().held, link.next_due()), (2, None));
}

#[test]
fn wrong_lines_are_named_with_their_column() {
    for (text, expected) in [
        ("", "line 1: no header; allowed is time,PARAMETER…"),
        (
            "# nothing\n",
            "line 1: no header; allowed is time,PARAMETER…",
        ),
        (
            "rate\n",
            "line 1: the first column is \"rate\"; allowed is time",
        ),
        (
            "time\n1s",
            "line 1: no column but time; allowed are delay, jitter, loss, duplicate, corrupt, reorder, rate, queue",
        ),
        (
            "time,speed\n",
            "line 1: column \"speed\" is unknown; allowed are delay, jitter, loss, duplicate, corrupt, reorder, rate, queue",
        ),
        (
            "time,delay,delay\n",
            "line 1: column delay comes twice; allowed is once",
        ),
        (
            "time,delay",
            "line 1: no line after the header; allowed is at least one",
        ),
        (
            "time,delay\n1s,1ms,2ms",
            "line 2: 3 cells; allowed are 2, as in the header",
        ),
        (
            "time,delay\n#\n1s,1ms\n1s,2ms",
            "line 4: column time: no later than the line before; allowed is a later time",
        ),
        (
            "time,delay\n1,1ms",
            "line 2: column time: \"1\" is a bare number; allowed units of a time: ns, us, µs, ms, s, min",
        ),
        (
            "time,delay\n1s,2hours",
            "line 2: column delay: \"2hours\" has an unknown unit; allowed units of a time: ns, us, µs, ms, s, min",
        ),
        (
            "time,loss\n1s,-1%",
            "line 2: column loss: \"-1%\"; allowed is a share, 0% to 100%",
        ),
        (
            "time,rate\n1s,1Mbit",
            "line 1: column rate: no rate at the start; allowed is one beside the schedule, or a first line at 0s with a rate",
        ),
        (
            "time,queue\n1s,5packets",
            "line 2: column queue: without a rate; allowed is beside a rate or a trace",
        ),
        (
            "time,queue\n0s,\n1s,5packets",
            "line 3: column queue: without a rate; allowed is beside a rate or a trace",
        ),
    ] {
        assert_eq!(
            message(&scheduled(text)),
            format!("schedule.text, {expected}")
        );
    }
    let error = scheduled("time,delay\n1s,x").validate();
    assert_eq!(error.as_ref().err().and_then(SpecError::line), Some(2));
}

#[test]
fn what_contradicts_the_rest_of_the_link_is_refused() {
    let bursts = LinkSpec {
        loss: Some(Loss::GilbertElliott {
            enter: 0.1,
            leave: 0.1,
            loss_bad: 1.0,
            loss_good: 0.0,
        }),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&with(bursts, "time,loss\n0s,1%", None)),
        "schedule.text, line 2: column loss: beside another loss model; allowed is beside none or the independent one"
    );
    let traced = LinkSpec {
        trace: Some(Trace {
            text: "1".to_owned(),
            repeat: true,
        }),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&with(traced, "time,rate\n0s,1Mbit", None)),
        "schedule.text, line 2: column rate: beside a trace; allowed is a rate or a trace"
    );
    assert!(
        message(&with(
            LinkSpec::default(),
            "time,delay\n5ms,1ms",
            Some(5 * MS)
        ))
        .starts_with("schedule.repeat_ns is 5000000; allowed is more than")
    );
}

#[test]
fn the_least_round_trip_leaves_out_what_jitter_may_take_away() {
    let delayed = |delay_ms: u64, spread_ms: u64| LinkSpec {
        delay_ns: delay_ms * MS,
        jitter: Some(Jitter {
            distribution: Distribution::Uniform,
            spread_ns: spread_ms * MS,
            correlation: 0.0,
            table: None,
            order: Order::Keep,
        }),
        ..LinkSpec::default()
    };
    let path = |down: LinkSpec, up: LinkSpec| PathSpec {
        down,
        up,
        ..PathSpec::default()
    };
    let least = |path: &PathSpec| path.least_round_trip_ns().expect("a valid path");
    assert_eq!(least(&path(delayed(50, 10), delayed(30, 0))), 70 * MS);
    assert_eq!(least(&path(delayed(50, 40), delayed(30, 90))), 40 * MS);
    let scheduled = with(delayed(50, 0), "time,delay\n1s,8ms\n2s,9ms", None);
    let varying = path(scheduled, delayed(30, 0));
    assert_eq!(least(&varying), 38 * MS);
    let moves = PathSpec {
        handover: Some(Box::new(Handover {
            at_ns: MS,
            path: path(delayed(5, 0), delayed(6, 0)),
        })),
        ..path(delayed(50, 0), delayed(30, 0))
    };
    assert_eq!(least(&moves), 11 * MS);
}

#[test]
fn figures_sum_up_what_a_link_is() {
    let figures = |spec: &LinkSpec| spec.figures().expect("a valid specification");
    let nothing = figures(&LinkSpec::default());
    assert_eq!((nothing.mean_rate_bit_per_s, nothing.queue), (None, None));
    let spec = with(
        LinkSpec {
            delay_ns: 5 * MS,
            queue: Some(Queue::Bytes(1000)),
            ..LinkSpec::default()
        },
        "time,rate,delay\n0s,1Mbit,\n1s,3Mbit,2ms",
        Some(4_000_000_000),
    );
    let varying = figures(&spec);
    assert_eq!(varying.mean_rate_bit_per_s, Some(2.5e6));
    assert_eq!(
        (varying.min_rate_bit_per_s, varying.max_rate_bit_per_s),
        (Some(1e6), Some(3e6))
    );
    assert_eq!(
        (varying.min_delay_ns, varying.max_delay_ns),
        (2 * MS, 5 * MS)
    );
    assert_eq!(
        (varying.queue, varying.queue_ns),
        (Some(Queue::Bytes(1000)), Some(3.2e6))
    );
    let base = LinkSpec {
        rate_bit_per_s: Some(5_000_000),
        ..LinkSpec::default()
    };
    let later = with(base, "time,rate\n1s,1Mbit\n2s,3Mbit", Some(4_000_000_000));
    assert_eq!(figures(&later).mean_rate_bit_per_s, Some(2.5e6));
    assert_eq!(figures(&later).max_rate_bit_per_s, Some(5e6));
    let of_trace = |text: &str, repeat| {
        figures(&LinkSpec {
            trace: Some(Trace {
                text: text.to_owned(),
                repeat,
            }),
            ..LinkSpec::default()
        })
    };
    let traced = of_trace("1\n1\n4", true);
    assert_eq!(traced.mean_rate_bit_per_s, Some(3.0 * 12_032.0 / 0.004));
    assert_eq!(traced.max_rate_bit_per_s, Some(2.0 * 12_032_000.0));
    let peak = |repeat| of_trace("0\n0\n2\n2\n5", repeat).max_rate_bit_per_s;
    assert_eq!(peak(true), Some(3.0 * 12_032_000.0), "5 is the next 0");
    assert_eq!(peak(false), Some(2.0 * 12_032_000.0));
}
