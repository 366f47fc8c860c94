//! What gates and bottlenecks may not be, each told by its key, value and what is allowed.

use pronghorn_path::{
    Aqm, Family, Handover, LinkSpec, Mtu, Outage, Overhead, PathSpec, Queue, SpecError,
    TokenBucket, Trace, Udp, Window,
};

use crate::harness::message;

fn rated() -> LinkSpec {
    LinkSpec {
        rate_bit_per_s: Some(1),
        ..LinkSpec::default()
    }
}

fn bucket(rate_bit_per_s: u64, burst_bytes: u64) -> TokenBucket {
    TokenBucket {
        rate_bit_per_s,
        burst_bytes,
    }
}

fn trace() -> Option<Trace> {
    Some(Trace {
        text: "1".to_owned(),
        repeat: true,
    })
}

#[test]
fn an_mtu_is_one_of_ip() {
    for bytes in [67, 65_536] {
        let mtu = Some(Mtu { bytes, icmp: false });
        let spec = LinkSpec {
            mtu,
            ..LinkSpec::default()
        };
        assert_eq!(
            message(&spec),
            format!("mtu.bytes is {bytes}; allowed is 68 to 65535")
        );
    }
}

#[test]
fn ipv6_has_an_mtu_of_its_own_and_no_nat() {
    let six = |link: LinkSpec| PathSpec {
        up: link,
        family: Family::Six,
        ..PathSpec::default()
    };
    let refusal = |path: PathSpec| path.validate().map_err(|error| error.to_string()).err();
    let of_mtu = |bytes| {
        let mtu = Some(Mtu { bytes, icmp: true });
        refusal(six(LinkSpec {
            mtu,
            ..LinkSpec::default()
        }))
    };
    assert_eq!(of_mtu(1280), None);
    assert_eq!(
        of_mtu(1279).as_deref(),
        Some("up.mtu.bytes is 1279; allowed is 1280 to 65535 where the family is 6")
    );
    let rebinding = PathSpec {
        rebind_ns: vec![1],
        ..six(LinkSpec::default())
    };
    let refused = refusal(rebinding).unwrap_or_default();
    assert!(refused.starts_with("rebind_ns is set; allowed is nothing where the family is 6"));
    let moving = PathSpec {
        handover: Some(Box::new(Handover {
            at_ns: 1,
            path: PathSpec::default(),
        })),
        ..six(LinkSpec::default())
    };
    assert_eq!(
        refusal(moving).as_deref(),
        Some("handover.path.family is 4; allowed is the first path's, 6")
    );
}

#[test]
fn buckets_have_a_rate_and_a_burst() {
    let police = LinkSpec {
        police: Some(bucket(0, 1)),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&police),
        "police.rate_bit_per_s is 0; allowed is 1 to 1000000000000 (1 Tbit/s)"
    );
    let udp = LinkSpec {
        udp: Some(Udp::Police(bucket(1, 0))),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&udp),
        "udp.police.burst_bytes is 0; allowed is 1 to 1000000000000"
    );
}

#[test]
fn outages_ascend_and_end_before_they_begin_again() {
    let window = |at_ns, for_ns| Window { at_ns, for_ns };
    let spec = |windows, repeat_ns| LinkSpec {
        outage: Some(Outage::Scheduled { windows, repeat_ns }),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&spec(vec![], None)),
        "outage.windows is a list of 0; allowed is a list of 1 to 1000000"
    );
    assert_eq!(
        message(&spec(vec![window(5, 5), window(9, 1)], None)),
        "outage.windows.1.at_ns is 9; allowed is 10 to 1000000000000000, since windows ascend and don't overlap"
    );
    assert_eq!(
        message(&spec(vec![window(5, 0)], None)),
        "outage.windows.0.for_ns is 0; allowed is 1 to 1000000000000000"
    );
    assert_eq!(
        message(&spec(vec![window(5, 5)], Some(9))),
        "outage.repeat_ns is 9; allowed is 10 (the end of the last window) to 2000000000000000"
    );
    let random = LinkSpec {
        outage: Some(Outage::Random {
            on_mean_ns: 1_000_000,
            off_mean_ns: 999_999,
        }),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&random),
        "outage.off_mean_ns is 999999; allowed is 1000000 to 3600000000000 (a millisecond to an hour)"
    );
}

#[test]
fn a_trace_stands_in_the_place_of_a_rate() {
    let both = LinkSpec {
        trace: trace(),
        ..rated()
    };
    assert_eq!(
        message(&both),
        "trace is set; allowed is a trace only without rate_bit_per_s, which is set"
    );
}

#[test]
fn what_belongs_to_a_bottleneck_needs_one() {
    let needs = "only beside rate_bit_per_s or trace, neither of which is set";
    let codel = Aqm::Codel {
        target_ns: 1,
        interval_ns: 1,
        ecn: false,
    };
    let aqm = LinkSpec {
        aqm: Some(codel),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&aqm),
        format!("aqm is set; allowed is queue management {needs}")
    );
    let overhead = LinkSpec {
        overhead: Some(Overhead::default()),
        ..LinkSpec::default()
    };
    assert_eq!(
        message(&overhead),
        format!("overhead is set; allowed is an overhead {needs}")
    );
    let all = LinkSpec {
        queue: Some(Queue::TimeNs(1)),
        trace: trace(),
        rate_bit_per_s: None,
        aqm: aqm.aqm,
        ..overhead
    };
    all.validate().expect("a trace is a bottleneck");
}

#[test]
fn cells_and_queues_are_not_nothing() {
    let overhead = |cell_bytes, cell_overhead_bytes, packet_bytes| LinkSpec {
        overhead: Some(Overhead {
            packet_bytes,
            cell_bytes,
            cell_overhead_bytes,
        }),
        ..rated()
    };
    for (spec, expected) in [
        (
            overhead(Some(0), 0, 0),
            "overhead.cell_bytes is 0; allowed is 1 to 65535",
        ),
        (
            overhead(None, 5, 0),
            "overhead.cell_overhead_bytes is 5; allowed is an overhead of cells only beside cell_bytes, which is not set",
        ),
        (
            overhead(None, 0, -65_536),
            "overhead.packet_bytes is -65536; allowed is -65535 to 65535",
        ),
        (
            LinkSpec {
                queue: Some(Queue::TimeNs(0)),
                ..rated()
            },
            "queue.time_ns is 0; allowed is 1 to 3600000000000 (an hour)",
        ),
    ] {
        assert_eq!(message(&spec), expected);
    }
}

#[test]
fn queue_management_has_times_queues_and_a_quantum() {
    let spec = |target_ns, interval_ns, flows, quantum_bytes| LinkSpec {
        aqm: Some(Aqm::FqCodel {
            target_ns,
            interval_ns,
            flows,
            quantum_bytes,
            ecn: false,
        }),
        ..rated()
    };
    spec(1, 1, 65_536, 1_000_000)
        .validate()
        .expect("all at their ends");
    for (spec, key) in [
        (spec(0, 1, 1, 1), "aqm.target_ns"),
        (spec(1, 0, 1, 1), "aqm.interval_ns"),
        (spec(1, 1, 0, 1), "aqm.flows"),
        (spec(1, 1, 65_537, 1), "aqm.flows"),
        (spec(1, 1, 1, 0), "aqm.quantum_bytes"),
    ] {
        let error = spec.validate().expect_err("it must be refused");
        assert_eq!(error.key(), key);
    }
}

#[test]
fn a_texts_error_names_direction_key_and_line() {
    let path = PathSpec {
        up: LinkSpec {
            trace: Some(Trace {
                text: "1\nx".to_owned(),
                repeat: true,
            }),
            ..LinkSpec::default()
        },
        ..PathSpec::default()
    };
    let error = path.validate().expect_err("it must be refused");
    assert_eq!((error.key(), error.line()), ("up.trace.text", Some(2)));
    assert!(matches!(error, SpecError::Text { .. }));
}
