//! Transfers whose losses are known beforehand.

use pronghorn_path::{LinkSpec, Loss, Outage, PathSpec, Queue, Window};

pub(crate) const RATE_BIT_PER_S: u64 = 50_000_000;
pub(crate) const ROUND_TRIP_MS: u64 = 40;
/// What the path holds in a round trip without a queue.
pub(crate) const BDP_BYTES: u64 = RATE_BIT_PER_S / 8 * ROUND_TRIP_MS / 1000;
/// When the outages begin: all controllers have left slow start, and none is done.
pub(crate) const OUTAGE_AT_MS: u64 = 600;

const MS: u64 = 1_000_000;
/// A packet of the server's that each of the controllers sends in slow start, below one BDP.
const IN_SLOW_START: u64 = 100;

/// A response's length, and what becomes of the packets that carry it.
pub(crate) struct Pattern {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    down: LinkSpec,
}

impl Pattern {
    pub(crate) fn path(&self) -> PathSpec {
        PathSpec {
            down: self.down.clone(),
            up: link(),
            ..PathSpec::default()
        }
    }
}

/// Every pattern.
pub(crate) fn all() -> [Pattern; 7] {
    [
        no_loss(),
        one_loss_in_slow_start(),
        one_loss_in_congestion_avoidance(),
        three_losses_in_one_window(),
        outage_of_a_window(),
        outage_of_a_second(),
        random_losses(),
    ]
}

/// Nothing is lost but what the queue drops, whose length is one BDP.
pub(crate) fn no_loss() -> Pattern {
    pattern("no-loss", 20_000_000, link())
}

pub(crate) fn one_loss_in_slow_start() -> Pattern {
    pattern(
        "one-loss-in-slow-start",
        5_000_000,
        losing(vec![IN_SLOW_START]),
    )
}

/// One loss to end slow start, and one much later.
pub(crate) fn one_loss_in_congestion_avoidance() -> Pattern {
    pattern(
        "one-loss-in-congestion-avoidance",
        5_000_000,
        losing(vec![IN_SLOW_START, 1500]),
    )
}

/// One loss to end slow start, and three much later, a few packets apart.
pub(crate) fn three_losses_in_one_window() -> Pattern {
    pattern(
        "three-losses-in-one-window",
        5_000_000,
        losing(vec![IN_SLOW_START, 1500, 1505, 1510]),
    )
}

/// One loss to end slow start, and an outage in which a whole window is lost, its last packet included: nobody is left
/// to acknowledge anything, and the sender has to probe.
pub(crate) fn outage_of_a_window() -> Pattern {
    let down = LinkSpec {
        outage: Some(outage(100)),
        ..losing(vec![IN_SLOW_START])
    };
    pattern("outage-of-a-window", 5_000_000, down)
}

/// An outage in which several probes are lost as well.
pub(crate) fn outage_of_a_second() -> Pattern {
    let down = LinkSpec {
        outage: Some(outage(1000)),
        ..losing(vec![IN_SLOW_START])
    };
    pattern("outage-of-a-second", 5_000_000, down)
}

pub(crate) fn random_losses() -> Pattern {
    let down = LinkSpec {
        loss: Some(Loss::independent(0.005)),
        ..link()
    };
    pattern("random-losses", 2_500_000, down)
}

fn pattern(name: &'static str, bytes: u64, down: LinkSpec) -> Pattern {
    Pattern { name, bytes, down }
}

fn link() -> LinkSpec {
    LinkSpec {
        delay_ns: ROUND_TRIP_MS / 2 * MS,
        rate_bit_per_s: Some(RATE_BIT_PER_S),
        queue: Some(Queue::Bytes(BDP_BYTES)),
        ..LinkSpec::default()
    }
}

/// A link that loses these packets.
fn losing(numbers: Vec<u64>) -> LinkSpec {
    LinkSpec {
        loss: Some(Loss::Packets { numbers }),
        ..link()
    }
}

fn outage(for_ms: u64) -> Outage {
    Outage::Scheduled {
        windows: vec![Window {
            at_ns: OUTAGE_AT_MS * MS,
            for_ns: for_ms * MS,
        }],
        repeat_ns: None,
    }
}
