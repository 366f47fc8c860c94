//! The tests' statistics: exact binomial bounds and Kolmogorov–Smirnov, at a false-alarm rate of 1e-6.

const FALSE_ALARM: f64 = 1e-6;

/// Fails where `hits` of `trials` is too far from `probability` to be chance (two-sided, exact).
#[track_caller]
pub(crate) fn assert_binomial(hits: u64, trials: u64, probability: f64) {
    let p = binomial_p_value(hits, trials, probability);
    assert!(
        p >= FALSE_ALARM,
        "{hits} of {trials} where {probability} was asked: p = {p:e}"
    );
}

/// Twice the smaller tail of the binomial distribution, `hits` included.
pub(crate) fn binomial_p_value(hits: u64, trials: u64, probability: f64) -> f64 {
    assert!(hits <= trials && probability > 0.0 && probability < 1.0);
    let (k, n) = (hits as f64, trials as f64);
    let at_hits = (ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
        + k * probability.ln()
        + (n - k) * (-probability).ln_1p())
    .exp();
    let odds = probability / (1.0 - probability);
    let tail = if k <= n * probability {
        sum_tail(
            at_hits,
            (0..hits)
                .rev()
                .map(|i| (i + 1) as f64 / ((n - i as f64) * odds)),
        )
    } else {
        sum_tail(
            at_hits,
            (hits..trials).map(|i| (n - i as f64) * odds / (i + 1) as f64),
        )
    };
    (2.0 * tail).min(1.0)
}

fn sum_tail(first: f64, ratios: impl Iterator<Item = f64>) -> f64 {
    let mut term = first;
    let mut sum = first;
    for ratio in ratios {
        term *= ratio;
        sum += term;
        if term < sum * 1e-16 {
            break;
        }
    }
    sum
}

/// Stirling's series, after stepping up to where it is exact to 1e-14.
fn ln_gamma(x: f64) -> f64 {
    if x < 16.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    let half_ln_tau = 0.5 * std::f64::consts::TAU.ln();
    (x - 0.5) * x.ln() - x + half_ln_tau + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3))
        + 1.0 / (1260.0 * x.powi(5))
}

/// Fails where the values' empirical distribution strays further from `cdf` than chance lets it
/// (the Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant, which holds for every n).
#[track_caller]
pub(crate) fn assert_distributed(mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let distance = values
        .iter()
        .enumerate()
        .fold(0.0_f64, |worst, (i, value)| {
            let expected = cdf(*value);
            worst
                .max(expected - i as f64 / n)
                .max((i + 1) as f64 / n - expected)
        });
    let bound = ((2.0 / FALSE_ALARM).ln() / (2.0 * n)).sqrt();
    assert!(
        distance <= bound,
        "distance {distance} of at most {bound} over {n} values"
    );
}

/// The standard normal distribution function (G. Marsaglia, "Evaluating the normal distribution", 2004).
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let mut term = x;
    let mut sum = x;
    let mut i = 3.0;
    while term.abs() > 1e-17 * sum.abs() {
        term *= x * x / i;
        sum += term;
        i += 2.0;
    }
    0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

#[test]
fn the_binomial_bound_agrees_with_values_known_by_hand() {
    assert!((binomial_p_value(0, 10, 0.5) - 2.0 / 1024.0).abs() < 1e-12);
    assert!((binomial_p_value(9, 10, 0.5) - 22.0 / 1024.0).abs() < 1e-12);
    assert!(binomial_p_value(50_000, 100_000, 0.5) > 0.99);
    assert!(binomial_p_value(50_900, 100_000, 0.5) < FALSE_ALARM);
}

#[test]
fn the_normal_distribution_agrees_with_its_table() {
    assert!((normal_cdf(1.959_963_984_540_054) - 0.975).abs() < 1e-12);
    assert!((normal_cdf(-1.0) - 0.158_655_253_931_457).abs() < 1e-12);
}
