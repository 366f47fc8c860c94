//! Wakes a driver's thread, and measures how long that takes.
//!
//! A packet's delay begins when the driver has read it, and a driver that sleeps reads it only once it is awake: on a
//! machine at rest some tens of microseconds later, which the kernel keeps no account of. So each of a path's two drivers knocks
//! on the other's door now and then while packets come. The kernel wakes a thread alike for a knock and for a packet.

use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::sys::eventfd::{EfdFlags, EventFd};
use pronghorn_path::Time;

/// The bell of one driver.
#[derive(Debug)]
pub(crate) struct Doorbell {
    descriptor: EventFd,
    /// When somebody knocked whom the driver hasn't noticed yet; 0: nobody.
    knocked: AtomicU64,
}

impl Doorbell {
    pub(crate) fn new() -> Result<Doorbell, Errno> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        Ok(Doorbell {
            descriptor: EventFd::from_value_and_flags(0, flags)?,
            knocked: AtomicU64::new(0),
        })
    }

    /// Wakes the driver.
    pub(crate) fn ring(&self) {
        let _ = self.descriptor.write(1);
    }

    /// Wakes the driver to learn how long it takes; nothing where a knock before is still unnoticed.
    pub(crate) fn knock(&self, now: Time) {
        let free = self
            .knocked
            .compare_exchange(0, now.0, Ordering::Relaxed, Ordering::Relaxed);
        if free.is_ok() {
            self.ring();
        }
    }

    /// When somebody knocked whom the driver hasn't noticed before.
    pub(crate) fn notice(&self) -> Option<Time> {
        // Looked at in every turn of the driver: a plain load where nobody has knocked.
        if self.knocked.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let at = self.knocked.swap(0, Ordering::Relaxed);
        (at != 0).then_some(Time(at))
    }

    /// What becomes readable when it rings.
    pub(crate) fn descriptor(&self) -> &EventFd {
        &self.descriptor
    }

    /// Silences it.
    pub(crate) fn silence(&self) {
        let _ = self.descriptor.read();
    }
}
