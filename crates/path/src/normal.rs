//! The normal distribution: its quantile function and its distribution function.
//!
//! Quantiles: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied
//! Statistics 37 (1988), PPND16: relative error about 1e-16. One draw makes one value, so a packet
//! uses up the same draws whatever they are.
//!
//! Distribution function: J. F. Hart et al., "Computer Approximations" (1968), number 5666, with a
//! continued fraction in the tail, as in G. West, "Better approximations to cumulative normal
//! functions", Wilmott (2005): absolute error below 1e-15.

use crate::draws::open_unit;

/// Numerator's and denominator's coefficients, constant term first.
struct Ratio([f64; 8], [f64; 8]);

impl Ratio {
    fn at(&self, x: f64) -> f64 {
        polynomial(&self.0, x) / polynomial(&self.1, x)
    }
}

const CENTRE: Ratio = Ratio(
    [
        3.3871328727963665,
        133.14166789178438,
        1971.5909503065513,
        13731.69376550946,
        45921.95393154987,
        67265.7709270087,
        33430.57558358813,
        2509.0809287301227,
    ],
    [
        1.0,
        42.31333070160091,
        687.1870074920579,
        5394.196021424751,
        21213.794301586597,
        39307.89580009271,
        28729.085735721943,
        5226.495278852854,
    ],
);

const MIDDLE: Ratio = Ratio(
    [
        1.4234371107496835,
        4.630337846156546,
        5.769497221460691,
        3.6478483247632045,
        1.2704582524523684,
        0.2417807251774506,
        0.022723844989269184,
        0.0007745450142783414,
    ],
    [
        1.0,
        2.053191626637759,
        1.6763848301838038,
        0.6897673349851,
        0.14810397642748008,
        0.015198666563616457,
        0.0005475938084995345,
        1.0507500716444169e-9,
    ],
);

const TAIL: Ratio = Ratio(
    [
        6.657904643501103,
        5.463784911164114,
        1.7848265399172913,
        0.29656057182850487,
        0.026532189526576124,
        0.0012426609473880784,
        2.7115555687434876e-5,
        2.0103343992922881e-7,
    ],
    [
        1.0,
        0.599832206555888,
        0.1369298809227358,
        0.014875361290850615,
        0.0007868691311456133,
        1.8463183175100548e-5,
        1.421511758316446e-7,
        2.0442631033899397e-15,
    ],
);

const BODY: Ratio = Ratio(
    [
        220.206867912376,
        221.213596169931,
        112.079291497871,
        33.912866078383,
        6.37396220353165,
        0.700383064443688,
        0.0352624965998911,
        0.0,
    ],
    [
        440.413735824752,
        793.826512519948,
        637.333633378831,
        296.564248779674,
        86.7807322029461,
        16.064177579207,
        1.75566716318264,
        0.0883883476483184,
    ],
);

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients
        .iter()
        .rev()
        .fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The value below which a standard normal variable falls with probability `p`, 0 < `p` < 1.
pub(crate) fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * CENTRE.at(0.180_625 - q * q);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let magnitude = if r <= 5.0 {
        MIDDLE.at(r - 1.6)
    } else {
        TAIL.at(r - 5.0)
    };
    magnitude.copysign(q)
}

/// A standard normal value from 64 random bits, of which it takes the upper 52; at most 8.3 in size.
pub(crate) fn from_draw(draw: u64) -> f64 {
    quantile(open_unit(draw))
}

/// The probability with which a standard normal variable falls below `z`.
pub(crate) fn below(z: f64) -> f64 {
    let size = z.abs();
    let density = (-0.5 * size * size).exp();
    let tail = if size < 5.0 * std::f64::consts::SQRT_2 {
        density * BODY.at(size)
    } else {
        let fraction = (1..=4)
            .rev()
            .fold(size + 0.65, |rest, i| size + f64::from(i) / rest);
        density / fraction / std::f64::consts::TAU.sqrt()
    };
    if z > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values of the distribution's quantiles.
    #[test]
    fn quantiles_match_the_tables() {
        let table = [
            (0.5, 0.0),
            (0.975, 1.9599639845400536),
            (0.75, 0.6744897501960817),
            (0.01, -2.3263478740408408),
            (1e-6, -4.753424308822899),
            (1e-12, -7.034483825301132),
        ];
        for (p, expected) in table {
            let error: f64 = quantile(p) - expected;
            assert!(error.abs() < 1e-14, "{p}: {error}");
        }
    }

    #[test]
    fn the_distribution_function_undoes_the_quantiles() {
        for i in 1..10_000 {
            let p = f64::from(i) / 10_000.0;
            assert!((below(quantile(p)) - p).abs() < 1e-15, "{p}");
        }
        for p in [1e-6, 1e-9, 1e-12, 1e-15] {
            assert!((below(quantile(p)) / p - 1.0).abs() < 1e-7, "{p}");
            assert!((below(-quantile(p)) - (1.0 - p)).abs() < 1e-15, "{p}");
        }
        assert!(below(-40.0) < 1e-300 && below(40.0) == 1.0);
    }

    #[test]
    fn both_ends_of_the_draws_are_finite_and_opposite() {
        assert!(from_draw(u64::MAX) > 8.0 && from_draw(u64::MAX) < 8.3);
        assert!((from_draw(0) + from_draw(u64::MAX)).abs() < 0.1);
    }
}
