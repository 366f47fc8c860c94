use pronghorn_path::{Distribution, Jitter, LinkSpec};

use crate::drive::drive;

/// The text of a jitter's distribution, over the least and the greatest spread.
pub fn dist(bytes: &[u8]) {
    for spread_ns in [1, 3_600_000_000_000] {
        let text = String::from_utf8_lossy(bytes).into_owned();
        drive(&LinkSpec {
            delay_ns: 10_000_000,
            jitter: Some(Jitter {
                distribution: Distribution::Table,
                spread_ns,
                table: Some(text),
                ..Jitter::default()
            }),
            ..LinkSpec::default()
        });
    }
}
