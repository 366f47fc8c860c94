//! Signals: what the terminal sends, the command gets from it directly; what others send to us, it
//! gets from us.

use std::thread;

use nix::sys::signal::SigSet;
use pronghorn_bench::{FORWARDED_SIGNALS, Process};

/// Lets every signal through, whatever the parent held back.
pub(crate) fn allow_all() {
    let _ = SigSet::empty().thread_set_mask();
}

/// The signals that are held back in every thread, and wait to be passed on.
pub(crate) struct Signals(SigSet);

impl Signals {
    /// To be called before any thread is started.
    pub(crate) fn hold_back() -> Signals {
        let held = SigSet::from_iter(FORWARDED_SIGNALS);
        let _ = held.thread_block();
        Signals(held)
    }

    /// A signal that waits, which is then taken.
    pub(crate) fn struck(&self) -> Option<i32> {
        self.take(true).map(|(number, _)| number)
    }

    /// From now on, gives the command what isn't the terminal's, which it gets itself.
    pub(crate) fn pass_on_to(self, command: Process) {
        // Where no thread can be had, the command still gets what the terminal sends.
        let _ = thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                loop {
                    match self.take(false) {
                        Some((number, code)) if code != libc::SI_KERNEL => {
                            let _ = command.signal(number);
                        }
                        _ => {}
                    }
                }
            });
    }

    /// The next signal and its code (`sigaction(2)`); `at_once`: none where none waits.
    fn take(&self, at_once: bool) -> Option<(i32, i32)> {
        let zero = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let timeout = if at_once {
            &raw const zero
        } else {
            std::ptr::null()
        };
        // SAFETY: all three outlive the call; an all-zero siginfo is valid.
        unsafe {
            let mut told: libc::siginfo_t = std::mem::zeroed();
            let number = libc::sigtimedwait(self.0.as_ref(), &raw mut told, timeout);
            (number > 0).then_some((number, told.si_code))
        }
    }
}
