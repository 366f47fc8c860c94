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

/// What is left of a weight after `elapsed_ms`.
pub(crate) fn decay(elapsed_ms: u64, half_life_s: f64) -> f64 {
    if elapsed_ms == 0 {
        return 1.0;
    }
    libm::exp2(-(elapsed_ms as f64) / (half_life_s * 1e3))
}

pub(crate) fn square(x: f64) -> f64 {
    x * x
}
