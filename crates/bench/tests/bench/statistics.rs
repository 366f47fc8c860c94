//! Exact tests of counts.

/// The largest chance of a false alarm that a test here may have, on each side.
const FALSE_ALARM: f64 = 1e-6;

/// Asserts that `count` of `n` is no surprise under `probability`, by the exact binomial tails.
pub(crate) fn assert_binomial(what: &str, count: u64, n: u64, probability: f64) {
    let (mut below, mut above) = (0.0, 0.0);
    for k in 0..=n {
        let mass = ln_binomial(n, k, probability).exp();
        below += if k <= count { mass } else { 0.0 };
        above += if k >= count { mass } else { 0.0 };
    }
    assert!(
        below > FALSE_ALARM && above > FALSE_ALARM,
        "{what}: {count} of {n} under {probability} (tails {below:.1e}, {above:.1e})"
    );
}

fn ln_binomial(n: u64, k: u64, p: f64) -> f64 {
    let ln_factorial = |m: u64| (2..=m).map(|i| (i as f64).ln()).sum::<f64>();
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
        + k as f64 * p.ln()
        + (n - k) as f64 * (1.0 - p).ln()
}
