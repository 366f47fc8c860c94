//! Distribution tables as a specification's foreign text.

use proptest::prelude::*;

use pronghorn_path::{Distribution, Jitter, LinkSpec, PathSpec};

use crate::harness::{evenly, message, send};

fn spec(distribution: Distribution, table: Option<&str>) -> LinkSpec {
    LinkSpec {
        jitter: Some(Jitter {
            distribution,
            spread_ns: 3_600_000_000_000,
            table: table.map(str::to_owned),
            ..Jitter::default()
        }),
        ..LinkSpec::default()
    }
}

#[test]
fn the_distribution_table_and_a_table_go_together() {
    assert_eq!(
        message(&spec(Distribution::Table, None)),
        "jitter.table is not set; allowed is the text of a distribution, which the distribution `table` needs"
    );
    assert_eq!(
        message(&spec(Distribution::Pareto, Some("1 2 3"))),
        "jitter.table is set; allowed is a table only beside the distribution `table`"
    );
}

#[test]
fn an_error_names_the_direction_and_the_line() {
    let path = PathSpec {
        up: spec(Distribution::Table, Some("# mine\n1 2\n3 four")),
        ..PathSpec::default()
    };
    let error = path.validate().expect_err("it must be refused");
    assert_eq!(error.line(), Some(3));
    assert_eq!(
        error.to_string(),
        "up.jitter.table, line 3: `four` is none of the whole numbers from -32768 to 32767"
    );
}

proptest! {
    #[test]
    fn any_text_is_a_table_or_an_error(text in "[-+0-9 #\n\r\tx]{0,60}|\\PC{0,60}") {
        let spec = spec(Distribution::Table, Some(&text));
        if spec.validate().is_ok() {
            let (departures, _) = send(&spec, 1, &evenly(20, 1, 100));
            prop_assert_eq!(departures.len(), 20);
        }
    }
}
