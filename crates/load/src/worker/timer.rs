//! A timer that wakes an event loop to the nanosecond; epoll's own has milliseconds.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::{Duration, Instant};

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

/// A timer whose descriptor becomes readable when its time has come; watched edge-triggered, it need not be read.
pub(super) struct Timer {
    descriptor: TimerFd,
    /// When it goes off, unless it already has.
    armed: Option<Instant>,
}

impl Timer {
    pub(super) fn new() -> io::Result<Timer> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        Ok(Timer {
            descriptor: TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?,
            armed: None,
        })
    }

    pub(super) fn descriptor(&self) -> RawFd {
        self.descriptor.as_fd().as_raw_fd()
    }

    /// Makes sure that it goes off by then; it may go off earlier as well. `deadline` is later than `now`.
    pub(super) fn arm(&mut self, deadline: Instant, now: Instant) -> io::Result<()> {
        if self
            .armed
            .is_some_and(|armed| armed > now && armed <= deadline)
        {
            return Ok(());
        }
        let wait = deadline
            .saturating_duration_since(now)
            .max(Duration::from_nanos(1));
        self.descriptor.set(
            Expiration::OneShot(TimeSpec::from_duration(wait)),
            TimerSetTimeFlags::empty(),
        )?;
        self.armed = Some(deadline);
        Ok(())
    }
}
