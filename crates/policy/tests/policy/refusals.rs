//! Every refusal of a policy file says where and what, and no bytes panic the reader.

use pronghorn_policy::{Policy, PolicyError};
use proptest::prelude::*;

const SMALL: &str = include_str!("../data/small.toml");

/// The file with the first `from` replaced.
fn changed(from: &str, to: &str) -> PolicyError {
    assert!(SMALL.contains(from), "{from}");
    Policy::parse(&SMALL.replacen(from, to, 1)).expect_err("refused")
}

fn line_of(text: &str) -> u32 {
    let place = SMALL.find(text).expect("it stands there");
    SMALL[..place].matches('\n').count() as u32 + 1
}

#[test]
fn a_sound_file_is_read_with_the_defaults_of_steering() {
    let policy = Policy::parse(SMALL).expect("sound");
    assert_eq!(*policy.steering(), Default::default());
    assert_eq!(policy.axes().loss.values(), [0.0, 0.003, 0.03, 0.1]);
    assert_eq!((policy.noise().response, policy.margin()), (0.35, 0.03));
    assert_eq!(policy.noise().visit, 0.0);
}

#[test]
fn steering_overrides_what_it_names() {
    let text = format!("{SMALL}\n[steering]\nenter = 0.05\ndwell_s = 5\nhalf_life_s = 120\n");
    let policy = Policy::parse(&text).expect("sound");
    let steering = policy.steering();
    assert_eq!(
        (steering.enter, steering.leave, steering.dwell_s),
        (0.05, 0.02, 5)
    );
    assert_eq!(steering.half_life_s, 120.0);
}

#[test]
fn every_refusal_has_its_line_and_reason() {
    let rows = |reason: &str| {
        reason.replace(
            "ROWS",
            "3 rows, one for each rtt_ms, of 4 numbers, one for each loss",
        )
    };
    for (from, to, at, reason) in [
        (
            "format = 1",
            "format = 2",
            "format =",
            "`format` is 2, and this reads format 1",
        ),
        (
            "format = 1",
            "",
            "# For tests",
            "`format` is missing at the file's beginning",
        ),
        (
            "margin = 0.03",
            "margin = 3",
            "margin",
            "`margin` is 3, and has to be 0 to 1",
        ),
        (
            "margin = 0.03",
            "margn = 0.03",
            "margin",
            "there is no key `margn` at the file's beginning; there is format, about, margin, axes, noise, steering, prior, scatter",
        ),
        (
            "margin = 0.03",
            "margin = \"no\"",
            "margin",
            "`margin` is a text, and has to be a number",
        ),
        (
            "margin = 0.03",
            "margin = nan",
            "margin",
            "`margin` is no finite number",
        ),
        (
            "about = \"made",
            "about = [] #",
            "about",
            "`about` is a list, and has to be a text",
        ),
        (
            "rtt_ms = [10, 50, 200]",
            "rtt_ms = [10, 200, 50]",
            "rtt_ms",
            "`rtt_ms` needs 2 to 8 values, each greater than the one before; it has 3",
        ),
        (
            "rtt_ms = [10, 50, 200]",
            "rtt_ms = [0, 50, 200]",
            "rtt_ms",
            "`rtt_ms` is 0, and has to be 0.01 to 60000",
        ),
        (
            "loss = [0, 0.003",
            "loss = [-1, 0.003",
            "loss = [",
            "`loss` is -1, and has to be 0 to 0.99",
        ),
        (
            "rate_mbit = [5, 100]",
            "rate_mbit = 5",
            "rate_mbit = [",
            "`rate_mbit` is a number, and has to be a list",
        ),
        (
            "rate_mbit = [5, 100]",
            "loss_share = [1, 1]\nrate_mbit = [5, 100]",
            "rate_mbit = [",
            "`loss_share` needs 4 numbers, one for each loss; it has 2",
        ),
        (
            "rate_mbit = [5, 100]",
            "",
            "[axes]",
            "`rate_mbit` is missing in [axes]",
        ),
        (
            "[noise]",
            "[nose]",
            "[noise]",
            "there is no key `nose` at the file's beginning; there is format, about, margin, axes, noise, steering, prior, scatter",
        ),
        (
            "response = 0.35",
            "response = 0",
            "response",
            "`response` is 0, and has to be 0.001 to 10",
        ),
        (
            "response = 0.35",
            "response = 0.35\nvisit = -0.1",
            "between_clients",
            "`visit` is -0.1, and has to be 0 to 10",
        ),
        (
            "response = 0.35",
            "response = 0.35\nbetween_clients_slope = -0.1",
            "between_clients",
            "`between_clients_slope` is -0.1, and has to be 0 to 3",
        ),
        (
            "tcp = \"cubic\"",
            "tcp = \"vegas\"",
            "tcp =",
            "`tcp` has to be cubic, bbr or reno",
        ),
        (
            "tcp = \"cubic\"",
            "tcp = 3",
            "tcp =",
            "`tcp` is a number, and has to be a text",
        ),
        (
            "rate_mbit = 5\n",
            "rate_mbit = 7\n",
            "rate_mbit = 5\n",
            "`rate_mbit` is 7, which isn't on the axis [5.0, 100.0]",
        ),
        (
            "rate_mbit = 100\n",
            "rate_mbit = 5\n",
            "[[prior]]\ntcp = \"cubic\"\nrate_mbit = 100",
            "there is a [[prior]] of this tcp and rate_mbit already",
        ),
        (
            "tcp = \"cubic\"\nrate_mbit = 100",
            "tcp = \"bbr\"\nrate_mbit = 100",
            "",
            "there is no [[prior]] of tcp = \"cubic\" and rate_mbit = 100",
        ),
        (
            "    [1.04, 1.00, 0.97, 0.95],\n",
            "",
            "ratio",
            &rows("`ratio` needs ROWS; it has 2 rows"),
        ),
        (
            "[1.04, 1.00, 0.97, 0.95]",
            "[1.04, 1.00, 0.97]",
            "    [1.04",
            &rows("`ratio` needs ROWS; this row has 3"),
        ),
        (
            "[1.04, 1.00, 0.97, 0.95]",
            "1",
            "    [1.04",
            &rows("`ratio` needs ROWS; this row is no list"),
        ),
        (
            "1.04, 1.00",
            "1.04, 0",
            "    [1.04",
            "a number of `ratio` is 0, and has to be 0.01 to 100",
        ),
        (
            "[0.02, 0.02, 0.03, 0.04]",
            "[0, 0.02, 0.03, 0.04]",
            "    [0.02",
            "a number of `sd` is 0, and has to be 0.0001 to 10",
        ),
    ] {
        let error = changed(from, to);
        assert_eq!(error.reason, reason, "{to}");
        let line = if at.is_empty() { 0 } else { line_of(at) };
        assert_eq!(error.line, line, "{to}: {error}");
    }
}

#[test]
fn a_scatter_that_fits_no_prior_or_axis_is_refused() {
    let good = "[[scatter]]\ntcp = \"cubic\"\nh2 = [[0, 0.1, 0.2, 0.3], [0, 0.1, 0.2, 0.3]]\nh3 = [[0, 0.1, 0.1, 0.1], [0, 0, 0, 0]]\nbetween_clients = 0.1\n";
    let with = |text: &str| Policy::parse(&format!("{SMALL}\n{text}"));
    assert!(with(good).is_ok());
    for (from, to, reason) in [
        (
            "h2 = [[0, 0.1, 0.2, 0.3], ",
            "h2 = [",
            "`h2` needs 2 rows, one for each rate_mbit, of 4 numbers, one for each loss; it has 1 rows",
        ),
        (
            "h2 = [[0, ",
            "h2 = [[",
            "`h2` needs 2 rows, one for each rate_mbit, of 4 numbers, one for each loss; this row has 3",
        ),
        (
            "0.2, 0.3], ",
            "0.2, 3.1], ",
            "a number of `h2` is 3.1, and has to be 0 to 3",
        ),
        ("\"cubic\"", "\"reno\"", "there is no [[prior]] of this tcp"),
        (
            "\"cubic\"",
            "\"vegas\"",
            "`tcp` has to be cubic, bbr or reno",
        ),
        (
            "h3 = ",
            "h4 = ",
            "there is no key `h4` in this [[scatter]]; there is tcp, h2, h3, between_clients, between_clients_slope",
        ),
        (
            "clients = 0.1",
            "clients = -0.1",
            "`between_clients` is -0.1, and has to be 0 to 3",
        ),
        (
            "clients = 0.1",
            "clients = 0.1\nbetween_clients_slope = 4",
            "`between_clients_slope` is 4, and has to be 0 to 3",
        ),
        (
            "clients = 0.1",
            "clients_slope = 0.1",
            "`between_clients` is missing in this [[scatter]]",
        ),
    ] {
        let error = with(&good.replace(from, to)).expect_err("refused");
        assert_eq!(error.reason, reason);
        assert!(error.line > 0, "{error}");
    }
    let twice = with(&format!("{good}{good}")).expect_err("refused");
    assert_eq!(twice.reason, "there is a [[scatter]] of this tcp already");
}

#[test]
fn missing_sections_and_bad_steering_are_refused() {
    let without = SMALL.split("[noise]").next().expect("a beginning");
    let error = Policy::parse(without).expect_err("refused");
    assert_eq!(error.to_string(), "the section [noise] is missing");
    let error = Policy::parse(SMALL.split("[[prior]]").next().expect("a beginning"));
    let error = error.expect_err("refused");
    assert_eq!(error.to_string(), "there is no section [[prior]]");
    for (line, reason) in [
        (
            "optimism = 0.3",
            "there is no key `optimism` in [steering]; there is enter, leave, explore, dwell_s, lease_s, lease_most_s, cool_down_s, \
             cool_down_most_s, blocked_after, half_life_s, epoch_s, holdout",
        ),
        ("holdout = 0.6", "`holdout` is 0.6, and has to be 0 to 0.5"),
        (
            "dwell_s = 1.5",
            "`dwell_s` is 1.5, and has to be a whole number",
        ),
        (
            "blocked_after = 0",
            "`blocked_after` is 0, and has to be 1 to 255",
        ),
        ("epoch_s = 0", "`epoch_s` is 0, and has to be 1 to 31536000"),
    ] {
        let error = Policy::parse(&format!("{SMALL}\n[steering]\n{line}\n")).expect_err("refused");
        let lines = SMALL.matches('\n').count() as u32;
        assert_eq!((error.reason.as_str(), error.line), (reason, lines + 3));
    }
}

#[test]
fn what_is_no_toml_is_refused_where_it_stops_being_it() {
    let error = changed("margin = 0.03", "margin = = 3");
    assert_eq!(error.line, line_of("margin"));
    assert!(!error.reason.is_empty());
}

#[test]
fn a_file_of_many_megabytes_is_not_even_read() {
    let error = Policy::parse(&"#".repeat(2 << 20)).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "the file has 2097152 bytes, a policy at most 1048576"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_panics_the_reader(text in "\\PC{0,400}") {
        let _ = Policy::parse(&text);
    }

    #[test]
    fn nor_does_a_sound_file_with_a_piece_exchanged(
        from in any::<prop::sample::Index>(),
        length in 0usize..40,
        piece in "[-0-9a-z_.,\"=\\[\\]{}#\n ]{0,20}",
    ) {
        let start = from.index(SMALL.len());
        let end = (start + length).min(SMALL.len());
        let text = format!("{}{piece}{}", &SMALL[..start], &SMALL[end..]);
        if let Err(error) = Policy::parse(&text) {
            prop_assert!(!error.reason.is_empty());
            prop_assert!(error.line as usize <= text.matches('\n').count() + 1);
        }
    }
}
