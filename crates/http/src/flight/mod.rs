//! What our QUIC connections do over time, for the flight recorder: sampled from their stack by the thread that drives
//! them, quinn's here and s2n-quic's in `s2n/flight.rs`.

mod metered;
mod timeouts;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pronghorn_flight::{End, Key, Pace, Reading, Recorder, Sample, Transport, thread_cpu_time};

use crate::QuicCongestionControl;
pub(crate) use metered::{Metered, MeteredFactory};
pub use timeouts::{TimeoutCounting, count_timeouts};

/// Tells a recorder of a connection until that is closed. `local` is this end's address.
///
/// What stacks of TCP tell and quinn doesn't: the variation of the round-trip time, a delivery rate and (but for BBR) a pacing
/// rate; and QUIC sends no packet again. Bytes in flight and acknowledged bytes need a connection whose transport is metered
/// ([`crate::QuicWatch`]), timeouts besides that [`count_timeouts`] was called before the connection was made.
pub async fn record_flight(
    connection: quinn::Connection,
    local: SocketAddr,
    end: End,
    recorder: Arc<Recorder>,
) {
    let watched = Watched {
        connection,
        local,
        acked: Rising::default(),
    };
    record(watched, end, recorder).await;
}

/// A connection of which its stack tells.
pub(crate) trait Observed {
    /// What it tells now.
    fn look(&mut self) -> Seen;
    /// Whether it has ended.
    fn is_closed(&self) -> bool;
    /// Waits for its end.
    async fn closed(&self);
}

/// What a stack tells of a connection at one time.
pub(crate) struct Seen {
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
    /// The stack, as its makers name it.
    pub(crate) program: &'static str,
    pub(crate) control: Option<QuicCongestionControl>,
    /// Bytes of the largest UDP payload.
    pub(crate) mss: Option<u64>,
    /// Black holes of the path's MTU so far.
    pub(crate) black_holes: u64,
    pub(crate) sample: Sample,
}

/// Tells a recorder of a connection until that is closed.
pub(crate) async fn record(mut watched: impl Observed, end: End, recorder: Arc<Recorder>) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let key = Key {
        end,
        transport: Transport::Quic,
        number: NEXT.fetch_add(1, Ordering::Relaxed),
    };
    let mut pace = Pace::new(recorder.interval(), Instant::now());
    loop {
        let before = thread_cpu_time();
        let late = pace.look(Instant::now());
        let seen = watched.look();
        let control = seen.control.map(|control| control.to_string());
        let reading = Reading {
            local: seen.local,
            peer: seen.peer,
            program: seen.program,
            congestion_controller: control.as_deref(),
            mss: seen.mss,
            black_holes: Some(seen.black_holes),
            sample: seen.sample,
        };
        recorder.take(key, Instant::now(), &reading);
        recorder.looked(thread_cpu_time().saturating_sub(before), late);
        if watched.is_closed() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep_until(pace.due().into()) => {}
            () = watched.closed() => {}
        }
    }
}

/// A connection of quinn's.
struct Watched {
    connection: quinn::Connection,
    local: SocketAddr,
    acked: Rising,
}

impl Observed for Watched {
    fn look(&mut self) -> Seen {
        let path = self.connection.stats().path;
        let controller = self.connection.congestion_state();
        let pacing_rate_bit_per_s = controller.metrics().pacing_rate;
        let state = controller.into_any();
        let tally = Metered::tally_of(state.as_ref());
        let acked_bytes = tally.map(|tally| self.acked.total(tally.acked_bytes));
        // Until then quinn's estimator has RFC 9002's initial round trip (§6.2.2), which nobody measured.
        let measured = acked_bytes != Some(0);
        let sample = Sample {
            cwnd_bytes: Some(path.cwnd),
            in_flight_bytes: tally.map(|tally| tally.in_flight_bytes),
            srtt_s: measured.then_some(path.rtt.as_secs_f64()),
            rttvar_s: None,
            min_rtt_s: measured.then_some(path.min_rtt.as_secs_f64()),
            delivery_rate_bit_per_s: None,
            pacing_rate_bit_per_s,
            lost_packets: Some(path.lost_packets),
            retransmits: None,
            timeouts: tally.and_then(|tally| tally.timeouts),
            acked_bytes,
        };
        Seen {
            local: self.local,
            peer: self.connection.remote_address(),
            program: "quinn-proto",
            control: QuicCongestionControl::of_state(state),
            mss: Some(path.current_mtu.into()),
            black_holes: path.black_holes_detected,
            sample,
        }
    }

    fn is_closed(&self) -> bool {
        self.connection.close_reason().is_some()
    }

    async fn closed(&self) {
        self.connection.closed().await;
    }
}

/// A count that goes on where what it is read from begins anew, as on another path.
#[derive(Default)]
struct Rising {
    before: u64,
    last: u64,
}

impl Rising {
    fn total(&mut self, read: u64) -> u64 {
        if read < self.last {
            self.before += self.last;
        }
        self.last = read;
        self.before + read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_goes_on_where_it_is_begun_anew() {
        let mut rising = Rising::default();
        let totals = [0, 5, 9, 2, 3, 0, 4].map(|read| rising.total(read));
        assert_eq!(totals, [0, 5, 9, 11, 12, 12, 16]);
    }
}
