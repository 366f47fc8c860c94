//! What is kept of how responses went: decayed sums for each arm and stratum.

use bytemuck::{Pod, Zeroable};

use crate::sample::{CLIP, STRATA};

/// Of one transport.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Transport {
    /// As how many independent outcomes they count, by stratum, decayed.
    pub(crate) weight: [f32; STRATA],
    /// Their weighted sum.
    pub(crate) sum: [f32; STRATA],
    pub(crate) sent: f32,
    pub(crate) lost: f32,
    pub(crate) visit: Visit,
}

/// The visit that was last, by one transport.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Visit {
    /// The low bits of the time of its first response.
    pub(crate) begun_ms: u32,
    /// 0: there was none.
    pub(crate) responses: u32,
}

/// Of both: TCP, QUIC.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Outcomes {
    pub(crate) transports: [Transport; 2],
}

impl Outcomes {
    pub(crate) fn decay(&mut self, factor: f64) {
        let factor = factor as f32;
        for transport in &mut self.transports {
            for value in transport.weight.iter_mut().chain(&mut transport.sum) {
                *value *= factor;
            }
            transport.sent *= factor;
            transport.lost *= factor;
        }
    }

    /// Whether all is what samples can have made it.
    pub(crate) fn is_sound(&self) -> bool {
        self.transports.iter().all(|transport| {
            let strata = transport.weight.iter().zip(&transport.sum);
            let bounded = |value: f32| value.is_finite() && value >= 0.0;
            strata.into_iter().all(|(weight, sum)| {
                bounded(*weight) && sum.is_finite() && sum.abs() <= *weight * 1.001 * CLIP as f32
            }) && bounded(transport.sent)
                && bounded(transport.lost)
        })
    }
}
