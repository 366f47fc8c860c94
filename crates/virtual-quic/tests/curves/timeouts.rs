//! What happens to a window when acknowledgements stay away.

use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_virtual_quic::{Cause, Sample};

use crate::harness::{CONTROLLERS, LOSS_BASED, reductions, run};
use crate::patterns::{self, OUTAGE_AT_MS};

/// A receiver of quinn's waits for so long with an acknowledgement (RFC 9000, section 18.2, the default).
const MAX_ACK_DELAY: Duration = Duration::from_millis(25);

/// The longest time without a datagram of the server's: the samples before and at its end.
fn longest_silence(samples: &[Sample]) -> (&Sample, &Sample) {
    let sent: Vec<&Sample> = samples
        .iter()
        .filter(|sample| matches!(sample.cause, Cause::Sent { .. }))
        .collect();
    sent.windows(2)
        .map(|pair| (pair[0], pair[1]))
        .max_by_key(|(before, after)| after.at - before.at)
        .expect("datagrams")
}

/// RFC 9002, section 6.2.1: the probe timeout is the smoothed round trip, four times its variation and the receiver's
/// delay; section 6.2.4: one or two datagrams; section 7.5: they don't wait for the window, which stays as it is.
#[test]
fn a_window_that_is_lost_whole_is_probed_for() {
    let begin = Duration::from_millis(OUTAGE_AT_MS);
    for controller in LOSS_BASED {
        let record = run(controller, &patterns::outage_of_a_window());
        let (before, probe) = longest_silence(&record.samples);
        assert!(before.at > begin, "{controller}");
        let silence = probe.at - before.at;
        let round_trip = before.rtt.expect("an estimate");
        assert!(
            silence >= round_trip + MAX_ACK_DELAY,
            "{controller}: {silence:?}"
        );
        let Cause::Sent { bytes } = probe.cause else {
            panic!("a datagram");
        };
        assert!(bytes <= 2 * 1452, "{controller}: {bytes}");
        assert_eq!(probe.window, before.window);
        let after = reductions(&record.samples)
            .into_iter()
            .filter(|reduction| reduction.at > begin)
            .collect::<Vec<_>>();
        assert_eq!(after.len(), 1, "{controller}: {after:?}");
        assert!(!after[0].persistent && after[0].at > probe.at);
    }
}

/// RFC 9002, section 7.6.2.
#[test]
fn persistent_congestion_leaves_the_least_window() {
    for controller in LOSS_BASED {
        let record = run(controller, &patterns::outage_of_a_second());
        let collapse = reductions(&record.samples)
            .into_iter()
            .find(|reduction| reduction.persistent)
            .expect("persistent congestion");
        assert_eq!(collapse.after, 2 * 1452, "{controller}");
    }
}

/// RFC 9002, section 7.2: two datagrams. quinn's BBR keeps four.
#[test]
fn no_window_falls_below_its_least() {
    for controller in CONTROLLERS {
        let least = match controller {
            QuicCongestionControl::Bbr => 4 * 1200,
            _ => 2 * 1200,
        };
        for pattern in patterns::all() {
            let record = run(controller, &pattern);
            let lowest = record.samples.iter().map(|sample| sample.window).min();
            assert!(
                lowest >= Some(least),
                "{controller}, {}: {lowest:?}",
                pattern.name
            );
        }
    }
}
