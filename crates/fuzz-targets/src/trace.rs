use pronghorn_path::{LinkSpec, Trace};

use crate::drive::drive;

/// The text of a trace of Mahimahi's, once and repeated.
pub fn trace(bytes: &[u8]) {
    for repeat in [false, true] {
        let text = String::from_utf8_lossy(bytes).into_owned();
        drive(&LinkSpec {
            trace: Some(Trace { text, repeat }),
            ..LinkSpec::default()
        });
    }
}
