//! Functions that `core` lacks, the same bit for bit on every host.

pub(crate) fn ln(x: f64) -> f64 {
    libm::log(x)
}

pub(crate) fn exp(x: f64) -> f64 {
    libm::exp(x)
}

pub(crate) fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

pub(crate) fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

pub(crate) fn square(x: f64) -> f64 {
    x * x
}

/// Of the standard normal distribution.
pub(crate) fn normal_density(z: f64) -> f64 {
    const INVERSE_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
    INVERSE_SQRT_TAU * libm::exp(-0.5 * z * z)
}

/// The chance that a standard normal variable lies above `z`.
pub(crate) fn normal_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * core::f64::consts::FRAC_1_SQRT_2)
}
