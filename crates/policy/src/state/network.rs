//! What is kept of a key's network.

use bytemuck::{Pod, Zeroable};

/// The smallest round trip and the highest delivery rate. As memory fades, the next sample moves them towards itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Network {
    pub(crate) rtt_us: Remembered,
    pub(crate) rate_bytes_per_s: Remembered,
    pub(crate) spread: Spread,
}

/// Of ln(round trip / 1 µs) between connections over TCP: mean and variance, in steps of their largest values' 65535th part. It varies little on one
/// network, and much where clients of several ones share the key.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Spread {
    /// 0: unknown.
    pub(crate) mean: u16,
    pub(crate) variance: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Remembered {
    /// 0: unknown.
    pub(crate) extreme: f32,
    /// How much of it faded since its last sample, 0 to 1.
    pub(crate) faded: f32,
}

impl Network {
    /// `factor`: what is left of a memory, as of outcomes.
    pub(crate) fn decay(&mut self, factor: f64) {
        for remembered in [&mut self.rtt_us, &mut self.rate_bytes_per_s] {
            remembered.faded = (1.0 - (1.0 - f64::from(remembered.faded)) * factor) as f32;
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        [self.rtt_us, self.rate_bytes_per_s].into_iter().all(|of| {
            of.extreme.is_finite() && of.extreme >= 0.0 && (0.0..=1.0).contains(&of.faded)
        })
    }
}
