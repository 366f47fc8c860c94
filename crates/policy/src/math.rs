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
