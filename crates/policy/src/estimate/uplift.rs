//! The gateway's worth, by the keys that chance left alone: one number a key and epoch, arm against arm.

use crate::math;
use crate::state::Tally;

/// Keys that each arm needs for an interval.
const KEYS_LEAST: f64 = 8.0;

/// The keys of one arm.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Numbers: a key counts once an epoch.
    pub keys: u64,
    /// Of each key's mean of ln(time / reference). NaN without keys.
    pub mean: f64,
    /// Between keys. NaN with fewer than two.
    pub sd: f64,
}

impl Group {
    pub(crate) fn of(tally: &Tally) -> Group {
        let enough = |least: f64, value: f64| if tally.keys >= least { value } else { f64::NAN };
        Group {
            keys: tally.keys as u64,
            mean: enough(1.0, tally.mean()),
            sd: enough(2.0, math::sqrt(tally.variance())),
        }
    }
}

/// One arm's times against another's, as the ratio of geometric means over keys. NaN where a group has fewer than 8 keys.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uplift {
    /// Below 1: faster.
    pub ratio: f64,
    /// Of its 95 % interval (Welch 1947).
    pub low: f64,
    /// Of its 95 % interval.
    pub high: f64,
}

impl Uplift {
    pub(crate) fn of(arm: &Tally, baseline: &Tally) -> Uplift {
        if arm.keys < KEYS_LEAST || baseline.keys < KEYS_LEAST {
            return Uplift {
                ratio: f64::NAN,
                low: f64::NAN,
                high: f64::NAN,
            };
        }
        let (a, b) = (
            arm.variance() / arm.keys,
            baseline.variance() / baseline.keys,
        );
        // Welch and Satterthwaite's degrees of freedom; without any scatter they don't matter.
        let freedom = if a + b > 0.0 {
            math::square(a + b) / (a * a / (arm.keys - 1.0) + b * b / (baseline.keys - 1.0))
        } else {
            1e9
        };
        let mean = arm.mean() - baseline.mean();
        let half = student_quantile(freedom) * math::sqrt(a + b);
        Uplift {
            ratio: math::exp(mean),
            low: math::exp(mean - half),
            high: math::exp(mean + half),
        }
    }
}

/// The 0.975 quantile of Student's distribution, for 5 degrees of freedom or more within 0.2 %: Abramowitz and Stegun 26.7.5.
fn student_quantile(freedom: f64) -> f64 {
    const Z: f64 = 1.959_963_984_540_054;
    let (z3, z5, z7, z9) = (
        Z * Z * Z,
        Z * Z * Z * Z * Z,
        Z * Z * Z * Z * Z * Z * Z,
        Z * Z * Z * Z * Z * Z * Z * Z * Z,
    );
    let terms = [
        (z3 + Z) / 4.0,
        (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / 96.0,
        (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / 384.0,
        (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * Z) / 92_160.0,
    ];
    let mut power = 1.0;
    terms.iter().fold(Z, |sum, term| {
        power /= freedom;
        sum + term * power
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, quantile) in [
            (5.0, 2.570_58),
            (7.0, 2.364_62),
            (10.0, 2.228_14),
            (30.0, 2.042_27),
            (1e9, 1.959_96),
        ] {
            let ours = student_quantile(freedom);
            assert!(
                (ours / quantile - 1.0).abs() < 2e-3,
                "{freedom}: {ours} for {quantile}"
            );
        }
    }

    #[test]
    fn the_interval_is_welchs() {
        let a = [0.1, 0.4, -0.2, 0.3, 0.0, 0.5, 0.2, 0.1];
        let b = [0.9, 0.2, 1.1, 0.7, 0.4, 0.6, 0.8, 0.4];
        let uplift = Uplift::of(&Tally::of(&a), &Tally::of(&b));
        let variance = |of: &[f64; 8]| {
            let mean = of.iter().sum::<f64>() / 8.0;
            of.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 7.0 / 8.0
        };
        let (va, vb) = (variance(&a), variance(&b));
        let freedom = (va + vb) * (va + vb) / ((va * va + vb * vb) / 7.0);
        let half = student_quantile(freedom) * libm::sqrt(va + vb);
        assert!((libm::log(uplift.ratio) + 0.4625).abs() < 1e-12);
        assert!((libm::log(uplift.high) + 0.4625 - half).abs() < 1e-12);
        assert!((libm::log(uplift.low) + 0.4625 + half).abs() < 1e-12);
    }

    #[test]
    fn few_keys_make_no_interval() {
        let uplift = Uplift::of(&Tally::of(&[0.0; 7]), &Tally::of(&[0.0; 100]));
        assert!(uplift.ratio.is_nan() && uplift.low.is_nan() && uplift.high.is_nan());
    }
}
