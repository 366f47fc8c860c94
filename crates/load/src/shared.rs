//! What the workers of a load have in common.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// The workers' common state.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Opened when every connection has gained its session, or needs none: the load's start.
    pub(crate) start: Gate,
    /// Opened when every request of the warm-up is answered: the window's beginning.
    pub(crate) warm: Gate,
    /// Connections that gained a session.
    pub(crate) gained: AtomicU32,
    /// Why the first one of the others didn't.
    pub(crate) not_gained: Mutex<Option<String>>,
    /// Why the list of targets can't be read any more.
    pub(crate) broken: Mutex<Option<std::io::Error>>,
    over: AtomicBool,
    position: Position,
    wakers: Mutex<Vec<Arc<mio::Waker>>>,
}

impl Shared {
    pub(crate) fn new(workers: u32) -> Shared {
        Shared {
            start: Gate::new(workers),
            warm: Gate::new(workers),
            gained: AtomicU32::new(0),
            not_gained: Mutex::new(None),
            broken: Mutex::new(None),
            over: AtomicBool::new(false),
            position: Position::default(),
            wakers: Mutex::default(),
        }
    }

    /// Has a worker woken when something here changes.
    pub(crate) fn add(&self, waker: Arc<mio::Waker>) {
        lock(&self.wakers).push(waker);
    }

    /// The next one of so many targets that a closed loop asks for: all its connections walk the list together.
    pub(crate) fn next_target(&self, targets: usize) -> usize {
        if targets == 1 {
            return 0;
        }
        let position = self.position.0.fetch_add(1, Ordering::Relaxed);
        (position % targets as u64) as usize
    }

    /// Ends the load now.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Whether it is to end now.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// A worker has come to a gate.
    pub(crate) fn arrive(&self, gate: &Gate) {
        if gate.arrive() {
            self.wake();
        }
    }

    fn wake(&self) {
        for waker in lock(&self.wakers).iter() {
            // A loop that can't be woken looks up when its next timer goes off.
            let _ = waker.wake();
        }
    }
}

/// How many requests a closed loop has taken off its list; on a cache line of its own, as all threads write it.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Position(AtomicU64);

/// Opens when every worker has come to it.
#[derive(Debug)]
pub(crate) struct Gate {
    missing: AtomicU32,
    opened: OnceLock<Instant>,
}

impl Gate {
    fn new(workers: u32) -> Gate {
        Gate {
            missing: AtomicU32::new(workers),
            opened: OnceLock::new(),
        }
    }

    /// Whether that opened it.
    fn arrive(&self) -> bool {
        let last = self.missing.fetch_sub(1, Ordering::AcqRel) == 1;
        if last {
            self.opened.get_or_init(Instant::now);
        }
        last
    }

    /// When it was opened, if it was.
    pub(crate) fn opened(&self) -> Option<Instant> {
        self.opened.get().copied()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
