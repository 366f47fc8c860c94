//! What a loss does to a window.

use pronghorn_http::QuicCongestionControl;

use crate::harness::{LOSS_BASED, Reduction, reductions, run};
use crate::patterns::{self, Pattern};

fn lossy() -> [Pattern; 4] {
    [
        patterns::one_loss_in_slow_start(),
        patterns::one_loss_in_congestion_avoidance(),
        patterns::three_losses_in_one_window(),
        patterns::random_losses(),
    ]
}

fn assert_keeps(share: f64, controller: QuicCongestionControl) {
    for pattern in lossy() {
        let reductions = reductions(&run(controller, &pattern).samples);
        assert!(!reductions.is_empty(), "{}", pattern.name);
        for Reduction { before, after, .. } in reductions {
            let kept = before as f64 * share;
            assert!(
                (after as f64 - kept).abs() <= 1.0,
                "{}: {before} to {after}",
                pattern.name
            );
        }
    }
}

/// RFC 9438, section 4.6.
#[test]
fn cubic_keeps_seven_tenths_of_a_window_that_lost() {
    assert_keeps(0.7, QuicCongestionControl::Cubic);
}

/// RFC 9002, section 7.3.2.
#[test]
fn newreno_keeps_half_of_a_window_that_lost() {
    assert_keeps(0.5, QuicCongestionControl::NewReno);
}

/// RFC 9002, section 7.3.2: the window is reduced again only for a packet that was sent after the last reduction.
#[test]
fn losses_of_one_window_reduce_it_once() {
    let pattern = patterns::three_losses_in_one_window();
    for controller in LOSS_BASED {
        let record = run(controller, &pattern);
        assert_eq!(record.down.lost, 4);
        assert_eq!(record.server.path.lost_packets, 4);
        let reductions = reductions(&record.samples);
        assert_eq!(reductions.len(), 2, "{controller}: {reductions:?}");
        assert!(reductions[1].sent > reductions[0].at);
    }
}

/// quinn's BBR limits what is under way while it recovers, but the packets that were lost don't change its window
/// before the next acknowledgement does.
#[test]
fn bbr_reduces_nothing_for_a_loss() {
    for pattern in lossy() {
        let record = run(QuicCongestionControl::Bbr, &pattern);
        assert!(record.server.path.lost_packets > 0);
        assert!(reductions(&record.samples).is_empty(), "{}", pattern.name);
    }
}
