//! The same transfer again.

use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_path::Cross;
use pronghorn_virtual_quic::{Transfer, TransferError};

use crate::harness::{CONTROLLERS, run};
use crate::patterns;

/// quinn's BBR draws the first phase of its gain cycle from the system's randomness. It must not show: the phase sets a
/// pacing rate that quinn computes and doesn't heed.
#[test]
fn a_transfer_repeated_is_the_same_in_every_event() {
    for controller in CONTROLLERS {
        for pattern in [patterns::no_loss(), patterns::random_losses()] {
            let first = format!("{:?}", run(controller, &pattern));
            for _ in 0..2 {
                let again = format!("{:?}", run(controller, &pattern));
                assert!(first == again, "{controller}, {}", pattern.name);
            }
        }
    }
}

#[test]
fn the_seed_settles_what_is_lost() {
    let pattern = patterns::random_losses();
    let at = |seed| {
        let controller = QuicCongestionControl::NewReno.factory();
        let mut transfer = Transfer::new(controller, pattern.path(), pattern.bytes);
        transfer.seed = seed;
        transfer.run().expect("a transfer").last_byte
    };
    assert_ne!(at(1), at(2));
}

#[test]
fn what_needs_hosts_is_refused() {
    let mut path = patterns::no_loss().path();
    path.cross = Some(Cross {
        flows: 1,
        tcp_congestion_control: "cubic".to_owned(),
        direction: pronghorn_path::Direction::Down,
        warmup_ns: 0,
    });
    let refused = Transfer::new(QuicCongestionControl::Cubic.factory(), path, 1).run();
    assert!(matches!(
        refused,
        Err(TransferError::NeedsHosts("cross traffic"))
    ));
}

#[test]
fn a_transfer_that_takes_longer_than_its_limit_has_no_record() {
    let pattern = patterns::no_loss();
    let controller = QuicCongestionControl::Cubic.factory();
    let mut transfer = Transfer::new(controller, pattern.path(), pattern.bytes);
    transfer.limit = Duration::from_secs(1);
    match transfer.run() {
        Err(TransferError::Unfinished { received, .. }) => {
            assert!(received > 0 && received < pattern.bytes);
        }
        other => panic!("{other:?}"),
    }
}
