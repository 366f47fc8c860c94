use pronghorn_path::{Aqm, Jitter, LinkSpec, Loss, Queue, Schedule};

use crate::drive::drive;

/// The text of a schedule, once and repeated, over a link that has nothing and over one that has much to change.
pub fn schedule(bytes: &[u8]) {
    for repeat_ns in [None, Some(10_000_000_000)] {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let schedule = Some(Schedule { text, repeat_ns });
        drive(&LinkSpec {
            schedule: schedule.clone(),
            ..LinkSpec::default()
        });
        drive(&LinkSpec { schedule, ..full() });
    }
}

fn full() -> LinkSpec {
    LinkSpec {
        delay_ns: 20_000_000,
        jitter: Some(Jitter {
            spread_ns: 5_000_000,
            ..Jitter::default()
        }),
        loss: Some(Loss::independent(0.1)),
        duplicate: 0.1,
        corrupt: 0.1,
        rate_bit_per_s: Some(10_000_000),
        queue: Some(Queue::TimeNs(50_000_000)),
        aqm: Some(Aqm::Codel {
            target_ns: 5_000_000,
            interval_ns: 100_000_000,
            ecn: true,
        }),
        ..LinkSpec::default()
    }
}
