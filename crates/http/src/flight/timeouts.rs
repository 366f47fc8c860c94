//! Probe timeouts (RFC 9002 §6.2), which quinn counts and tells nobody but its log.
//!
//! It says "PTO fired" to whoever subscribes to `tracing`, in a span of the connection that it drives. A subscriber of the
//! thread's own hears these two and turns all else down when it is first asked, so that quinn's other messages are never made.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::Dispatch;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest, Subscriber};
use tracing::{Event, Metadata};

thread_local! {
    /// The span of the connection that is being driven, where that is told.
    static DRIVEN: Cell<Option<u64>> = const { Cell::new(None) };
    /// Timeouts by the spans of their connections, of those that had any.
    static COUNTED: RefCell<HashMap<u64, u64>> = RefCell::default();
}

/// Probe timeouts of this thread's connections are counted as long as this lives.
#[derive(Debug)]
pub struct TimeoutCounting {
    _subscribed: DefaultGuard,
    /// The guard belongs to its thread.
    _of_this_thread: PhantomData<Rc<()>>,
}

/// Counts the probe timeouts of the connections that the calling thread makes from now on.
#[must_use]
pub fn count_timeouts() -> TimeoutCounting {
    // Where there is one subscriber only, tracing asks that of whichever thread first comes by a message whether anybody wants
    // it, and keeps the answer for all threads. A thread without a subscriber would take the message from those with one.
    static ANOTHER: OnceLock<Dispatch> = OnceLock::new();
    ANOTHER.get_or_init(|| Dispatch::new(Counter));
    TimeoutCounting {
        _subscribed: tracing::subscriber::set_default(Counter),
        _of_this_thread: PhantomData,
    }
}

/// Those of the connection that this thread is driving; none where they aren't counted.
pub(crate) fn of_current_connection() -> Option<u64> {
    let span = DRIVEN.get()?;
    COUNTED.with_borrow(|counted| Some(counted.get(&span).copied().unwrap_or(0)))
}

struct Counter;

impl Subscriber for Counter {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        drives_a_connection(metadata) || may_tell_of_a_timeout(metadata)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Id::from_u64(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(false);
        event.record(&mut message);
        if let (Message(true), Some(span)) = (message, DRIVEN.get()) {
            COUNTED.with_borrow_mut(|counted| *counted.entry(span).or_default() += 1);
        }
    }

    fn enter(&self, span: &Id) {
        DRIVEN.set(Some(span.into_u64()));
    }

    fn exit(&self, _: &Id) {
        DRIVEN.set(None);
    }

    fn try_close(&self, span: Id) -> bool {
        COUNTED.with_borrow_mut(|counted| counted.remove(&span.into_u64()));
        true
    }
}

/// quinn's span of a connection's driver.
fn drives_a_connection(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.name() == "drive" && metadata.target() == "quinn::connection"
}

/// quinn-proto's message of a timeout, or another one with the same fields.
fn may_tell_of_a_timeout(metadata: &Metadata<'_>) -> bool {
    let has = |name: &str| metadata.fields().field(name).is_some();
    metadata.is_event()
        && metadata.target() == "quinn_proto::connection"
        && has("in_flight")
        && has("count")
}

/// Whether an event's message is that of a timeout.
struct Message(bool);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}") == "PTO fired";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(span: &tracing::Span, timeouts: usize) -> Option<u64> {
        let _driven = span.enter();
        for count in 0..timeouts {
            tracing::trace!(
                target: "quinn_proto::connection",
                in_flight = 1200,
                count,
                "PTO fired"
            );
            tracing::trace!(
                target: "quinn_proto::connection",
                in_flight = 1200,
                count,
                "another message"
            );
        }
        tracing::trace!(target: "quinn_proto::connection", "PTO fired");
        of_current_connection()
    }

    fn span() -> tracing::Span {
        tracing::debug_span!(target: "quinn::connection", "drive", id = 0)
    }

    #[test]
    fn each_connections_timeouts_are_its_own() {
        let counting = count_timeouts();
        let (first, second) = (span(), span());
        assert_eq!(drive(&first, 2), Some(2));
        assert_eq!(drive(&second, 0), Some(0));
        assert_eq!(drive(&second, 1), Some(1));
        assert_eq!(drive(&first, 1), Some(3));
        assert_eq!(of_current_connection(), None, "none is being driven");
        drop(counting);
    }

    #[test]
    fn uncounted_connections_have_none() {
        assert_eq!(drive(&span(), 1), None);
    }

    #[test]
    fn a_thread_that_counts_nothing_takes_nothing_away() {
        fn message(count: usize) {
            tracing::trace!(target: "quinn_proto::connection", in_flight = 1200, count, "PTO fired");
        }
        let _counting = count_timeouts();
        std::thread::spawn(|| message(0)).join().unwrap();
        let span = span();
        let _driven = span.enter();
        message(1);
        assert_eq!(of_current_connection(), Some(1));
    }
}
