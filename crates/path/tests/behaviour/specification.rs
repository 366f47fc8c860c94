use pronghorn_path::{Distribution, Jitter, LinkSpec, Loss, Order, PathSpec, Queue, Reorder};

/// Every key of the random stages.
const FULL: &str = r#"{"delay_ns":75000000,
    "jitter":{"distribution":"uniform","spread_ns":10000000,"correlation":0.25,"order":"break"},
    "reorder":{"probability":0.25,"correlation":0.5,"gap":5},
    "loss":{"model":"gilbert-elliott","enter":0.01,"leave":0.3,"loss_bad":1.0,"loss_good":0.0},
    "duplicate":0.01,"duplicate_correlation":0.1,"corrupt":0.02,"corrupt_correlation":0.2,
    "rate_bit_per_s":20000000,"queue":{"bytes":256000}}"#;

fn full() -> LinkSpec {
    let jitter = Jitter {
        distribution: Distribution::Uniform,
        spread_ns: 10_000_000,
        correlation: 0.25,
        order: Order::Break,
        ..Jitter::default()
    };
    let reorder = Reorder {
        probability: 0.25,
        correlation: 0.5,
        gap: 5,
    };
    let loss = Loss::GilbertElliott {
        enter: 0.01,
        leave: 0.3,
        loss_bad: 1.0,
        loss_good: 0.0,
    };
    LinkSpec {
        delay_ns: 75_000_000,
        jitter: Some(jitter),
        reorder: Some(reorder),
        loss: Some(loss),
        duplicate: 0.01,
        duplicate_correlation: 0.1,
        corrupt: 0.02,
        corrupt_correlation: 0.2,
        rate_bit_per_s: Some(20_000_000),
        queue: Some(Queue::Bytes(256_000)),
        ..LinkSpec::default()
    }
}

pub(crate) fn lossy(loss: Loss) -> LinkSpec {
    LinkSpec {
        loss: Some(loss),
        ..LinkSpec::default()
    }
}

fn parse(json: &str) -> Result<LinkSpec, serde_json::Error> {
    serde_json::from_str(json)
}

#[test]
fn json_goes_there_and_back() {
    assert_eq!(parse(FULL).expect("the protocol's own example"), full());
    let json = serde_json::to_string(&full()).expect("every value is finite");
    assert_eq!(json, FULL.replace([' ', '\n'], ""));
    let path = PathSpec {
        down: full(),
        up: LinkSpec::default(),
        ..PathSpec::default()
    };
    let json = serde_json::to_string(&path).expect("every value is finite");
    assert_eq!(
        serde_json::from_str::<PathSpec>(&json).expect("just written"),
        path
    );
}

#[test]
fn nothing_must_be_given() {
    assert_eq!(parse("{}").expect("enough"), LinkSpec::default());
    let reorder = parse(r#"{"reorder":{"probability":0.5}}"#).expect("enough");
    let expected = Reorder {
        probability: 0.5,
        correlation: 0.0,
        gap: 1,
    };
    assert_eq!(reorder.reorder, Some(expected));
}

#[test]
fn every_loss_model_goes_there_and_back() {
    for (json, loss) in [
        (
            r#"{"model":"independent","probability":0.5,"correlation":0.25,"longest_burst":3}"#,
            Loss::Independent {
                probability: 0.5,
                correlation: 0.25,
                longest_burst: Some(3),
            },
        ),
        (
            r#"{"model":"four-state","p13":0.1,"p31":0.2,"p32":0.3,"p23":0.4,"p14":0.5}"#,
            Loss::FourState {
                p13: 0.1,
                p31: 0.2,
                p32: 0.3,
                p23: 0.4,
                p14: 0.5,
            },
        ),
        (
            r#"{"model":"packets","numbers":[1,2,9]}"#,
            Loss::Packets {
                numbers: vec![1, 2, 9],
            },
        ),
    ] {
        let read: Loss = serde_json::from_str(json).expect("a valid model");
        assert_eq!(read, loss);
        assert_eq!(serde_json::to_string(&loss).expect("finite"), json);
        lossy(loss).validate().expect("a valid model");
    }
}

#[test]
fn other_variants_are_spelt_as_the_protocol_says() {
    let spec = parse(
        r#"{"delay_ns":1,"jitter":{"distribution":"normal","spread_ns":2},
            "loss":{"model":"independent","probability":0.15},"rate_bit_per_s":8,"queue":{"packets":9}}"#,
    )
    .expect("a valid specification");
    let jitter = Jitter {
        distribution: Distribution::Normal,
        spread_ns: 2,
        order: Order::Keep,
        ..Jitter::default()
    };
    assert_eq!(spec.jitter, Some(jitter));
    assert_eq!(spec.loss, Some(Loss::independent(0.15)));
    assert_eq!(spec.queue, Some(Queue::Packets(9)));
}

#[test]
fn unknown_keys_are_refused_by_name() {
    for (json, key) in [
        (r#"{"delay_ns":0,"dleay":1}"#, "dleay"),
        (
            r#"{"delay_ns":0,"jitter":{"distribution":"normal","spread_ns":2,"sprad":1}}"#,
            "sprad",
        ),
        (
            r#"{"delay_ns":0,"loss":{"model":"independent","probability":0.1,"enter":0.1}}"#,
            "enter",
        ),
        (r#"{"delay_ns":0,"queue":{"kilobytes":1}}"#, "kilobytes"),
        (r#"{"delay_ns":0,"loss":{"model":"gilbert"}}"#, "gilbert"),
    ] {
        let error = parse(json).expect_err("it must be refused").to_string();
        assert!(error.contains(&format!("`{key}`")), "{error}");
    }
}

#[test]
fn the_protocols_own_example_is_allowed() {
    full().validate().expect("the protocol's own example");
}
