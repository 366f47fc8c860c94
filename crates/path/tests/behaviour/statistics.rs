//! The tests' statistics: exact binomial bounds, Kolmogorov–Smirnov, chi-square and normal bounds, each at a
//! false-alarm rate of 1e-6.

const FALSE_ALARM: f64 = 1e-6;

/// Standard deviations from the mean outside of which a normal variable falls with that rate.
const DEVIATIONS: f64 = 4.9;

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
/// (the Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant, which holds for every n, and for steps too).
#[track_caller]
pub(crate) fn assert_distributed(mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let mut below = 0;
    let mut distance = 0.0_f64;
    for equal in values.chunk_by(|a, b| a == b) {
        let value = equal[0];
        distance = distance.max((cdf(just_below(value)) - below as f64 / n).abs());
        below += equal.len();
        distance = distance.max((cdf(value) - below as f64 / n).abs());
    }
    let bound = ((2.0 / FALSE_ALARM).ln() / (2.0 * n)).sqrt();
    assert!(
        distance <= bound,
        "distance {distance} of at most {bound} over {n} values"
    );
}

/// Below a step at the value, even where rounding moved the value off it.
fn just_below(value: f64) -> f64 {
    value - 1e-6
}

/// Fails where the counts stray further from their probabilities, of sum 1, than chance lets them: Pearson's
/// statistic against a bound of the chi-square distribution's tail (B. Laurent, P. Massart, "Adaptive
/// estimation of a quadratic functional by model selection", 2000, lemma 1). Every count must be
/// expected 20 times at least.
#[track_caller]
pub(crate) fn assert_counts(counts: &[u64], probabilities: &[f64]) {
    assert_eq!(counts.len(), probabilities.len());
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let n = counts.iter().sum::<u64>() as f64;
    let statistic: f64 = counts
        .iter()
        .zip(probabilities)
        .map(|(count, probability)| {
            let expected = n * probability;
            assert!(expected >= 20.0, "{expected} expected is too few");
            (*count as f64 - expected).powi(2) / expected
        })
        .sum();
    let freedom = (counts.len() - 1) as f64;
    let x = -FALSE_ALARM.ln();
    let bound = freedom + 2.0 * (freedom * x).sqrt() + 2.0 * x;
    assert!(
        statistic <= bound,
        "{counts:?} for {probabilities:?}: {statistic} of at most {bound}"
    );
}

/// Fails where an estimate that is normal in the long run is too far from its mean.
#[track_caller]
pub(crate) fn assert_normal(found: f64, mean: f64, deviation: f64) {
    assert!(
        (found - mean).abs() < DEVIATIONS * deviation,
        "{found} for {mean} ± {deviation}"
    );
}

/// Fails where hits aren't those of a chain whose share is `probability` and whose neighbours have this correlation
/// (three assertions, each at the stated rate): what happens after a hit and after a miss is binomial in a
/// fixed number of visits; the share is normal in the long run.
#[track_caller]
pub(crate) fn assert_correlated(hits: &[bool], probability: f64, correlation: f64) {
    let n = hits.len() as f64;
    let after = |before: bool, share: f64, expected: f64| {
        let visits = (0.8 * share * n) as usize;
        let next: Vec<bool> = hits
            .windows(2)
            .filter(|pair| pair[0] == before)
            .map(|pair| pair[1])
            .take(visits)
            .collect();
        assert_eq!(next.len(), visits, "too few visits");
        assert_binomial(count(&next), visits as u64, expected);
    };
    let after_hit = probability + correlation * (1.0 - probability);
    after(true, probability, after_hit);
    after(false, 1.0 - probability, probability * (1.0 - correlation));
    let spread = probability * (1.0 - probability) * (1.0 + correlation) / (1.0 - correlation);
    assert_normal(count(hits) as f64 / n, probability, (spread / n).sqrt());
}

pub(crate) fn count(which: &[bool]) -> u64 {
    which.iter().filter(|hit| **hit).count() as u64
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

#[test]
fn a_distribution_with_a_step_is_told_from_one_without() {
    let stepped = || {
        (0..10_000)
            .map(|i| (f64::from(i) / 10_000.0).min(0.7))
            .collect()
    };
    assert_distributed(stepped(), |x| if x < 0.7 { x.max(0.0) } else { 1.0 });
    let even = || assert_distributed(stepped(), |x| x.clamp(0.0, 1.0));
    assert!(std::panic::catch_unwind(even).is_err());
}

#[test]
fn counts_are_judged_by_their_probabilities() {
    assert_counts(&[5_050, 2_480, 2_470], &[0.5, 0.25, 0.25]);
    let unlikely = || assert_counts(&[5_400, 2_300, 2_300], &[0.5, 0.25, 0.25]);
    assert!(std::panic::catch_unwind(unlikely).is_err());
}
