//! What a driver measures of itself: how late packets leave, and how late it comes for them.

use hdrhistogram::Histogram;
use pronghorn_path::Time;

use crate::clock::seconds;
use crate::driver::report::Lateness;
use crate::driver::run_delay::RunDelay;

/// Lateness beyond this counts as this, in nanoseconds.
const LATENESS_LIMIT: u64 = 60_000_000_000;

/// The scheduler is asked again after so many nanoseconds, or after sleep: asking takes about as long
/// as handling a packet.
const ASKED_AGAIN: u64 = 100_000;

/// The other driver is knocked up at most once in so many nanoseconds.
const KNOCKED_AGAIN: u64 = 20_000_000;

/// A driver's delays, of its own making.
pub(crate) struct Timing {
    lateness: Histogram<u32>,
    run_delay: RunDelay,
    intake_wait: Histogram<u32>,
    wake: Histogram<u32>,
    handover: Histogram<u32>,
    /// When the other driver is to be knocked up again.
    knock_from: Time,
    delay_min_ns: Option<u64>,
    /// When the scheduler is to be asked again.
    ask_from: Time,
}

impl Timing {
    /// For the calling thread, which alone may use it.
    pub(crate) fn of_this_thread() -> Timing {
        Timing {
            lateness: histogram(),
            run_delay: RunDelay::of_this_thread(),
            intake_wait: histogram(),
            wake: histogram(),
            handover: histogram(),
            knock_from: Time::ZERO,
            delay_min_ns: None,
            ask_from: Time::ZERO,
        }
    }

    /// Forgets what has been measured.
    pub(crate) fn restart(&mut self) {
        for measured in [
            &mut self.lateness,
            &mut self.intake_wait,
            &mut self.wake,
            &mut self.handover,
        ] {
            measured.reset();
        }
        self.run_delay.take_ns();
        self.delay_min_ns = None;
    }

    /// The driver came for packets at `at`, and there were some; whether it is time to knock on the other's door.
    pub(crate) fn batch_taken(&mut self, at: Time) -> bool {
        if at >= self.ask_from {
            self.intake_wait.saturating_record(self.run_delay.take_ns());
            self.ask_from = Time(at.0.saturating_add(ASKED_AGAIN));
        }
        let knocks = at >= self.knock_from;
        if knocks {
            self.knock_from = Time(at.0.saturating_add(KNOCKED_AGAIN));
        }
        knocks
    }

    /// The driver noticed at `now` that somebody had knocked.
    pub(crate) fn noticed(&mut self, knocked: Time, now: Time) {
        let ago = now.0.saturating_sub(knocked.0);
        self.wake.saturating_record(ago);
    }

    /// The driver goes to sleep.
    pub(crate) fn sleeping(&mut self) {
        self.ask_from = Time::ZERO;
    }

    /// Packets that were due at `dues`, and of which the youngest had entered at `arrived`, leave at `at`.
    pub(crate) fn left(&mut self, at: Time, dues: &[Time], arrived: Time) {
        for alike in dues.chunk_by(|a, b| a == b) {
            let late = at.0.saturating_sub(alike[0].0);
            self.lateness.saturating_record_n(late, alike.len() as u32);
        }
        let delay = at.0.saturating_sub(arrived.0);
        self.delay_min_ns = Some(self.delay_min_ns.map_or(delay, |least| least.min(delay)));
    }

    pub(crate) fn lateness(&self) -> Lateness {
        Lateness::of(&self.lateness)
    }

    pub(crate) fn intake_wait(&self) -> Lateness {
        Lateness::of(&self.intake_wait)
    }

    /// The far host's kernel took from `from` to `to` to take what left.
    pub(crate) fn handed_over(&mut self, from: Time, to: Time) {
        let took = to.0.saturating_sub(from.0);
        self.handover.saturating_record(took);
    }

    pub(crate) fn handover(&self) -> Lateness {
        Lateness::of(&self.handover)
    }

    pub(crate) fn wake(&self) -> Lateness {
        Lateness::of(&self.wake)
    }

    pub(crate) fn delay_min_s(&self) -> Option<f64> {
        self.delay_min_ns.map(seconds)
    }
}

fn histogram() -> Histogram<u32> {
    Histogram::new_with_bounds(1, LATENESS_LIMIT, 3)
        .unwrap_or_else(|error| unreachable!("constant bounds are valid: {error}"))
}
