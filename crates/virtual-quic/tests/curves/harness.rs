//! Transfers, and what is asked about them.

use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_virtual_quic::{Cause, Record, Sample, Transfer};

use crate::patterns::Pattern;

pub(crate) const CONTROLLERS: [QuicCongestionControl; 3] = [
    QuicCongestionControl::Cubic,
    QuicCongestionControl::NewReno,
    QuicCongestionControl::Bbr,
];

/// Those that answer a loss by a smaller window at once.
pub(crate) const LOSS_BASED: [QuicCongestionControl; 2] =
    [QuicCongestionControl::Cubic, QuicCongestionControl::NewReno];

pub(crate) fn run(controller: QuicCongestionControl, pattern: &Pattern) -> Record {
    let transfer = Transfer::new(controller.factory(), pattern.path(), pattern.bytes);
    match transfer.run() {
        Ok(record) => record,
        Err(error) => panic!("{controller}, {}: {error}", pattern.name),
    }
}

/// A window that losses made smaller.
#[derive(Debug)]
pub(crate) struct Reduction {
    pub(crate) at: Duration,
    /// When the latest of the lost packets had been sent.
    pub(crate) sent: Duration,
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) persistent: bool,
}

pub(crate) fn reductions(samples: &[Sample]) -> Vec<Reduction> {
    let reduction = |sample: &Sample| match sample.cause {
        Cause::Congestion {
            sent,
            persistent,
            before,
            ..
        } if sample.window < before => Some(Reduction {
            at: sample.at,
            sent,
            before,
            after: sample.window,
            persistent,
        }),
        _ => None,
    };
    samples.iter().filter_map(reduction).collect()
}
