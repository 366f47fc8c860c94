//! Where early data ends among the bytes of a connection.
//!
//! A request is early if its head's last byte is. A protocol's implementation reads what it can get
//! before it tells of any request; so nothing from beyond the boundary is read until it has told of
//! all those before it.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;

/// How far a connection's stream was read, shared by the stream and by who serves its requests.
#[derive(Debug, Clone)]
pub(crate) struct Boundary(Rc<Cell<Place>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing but early data was read.
    Before,
    /// All of it was read, and the reader wants more.
    Reached,
    /// What is read is no early data.
    Beyond,
}

impl Boundary {
    /// The boundary of a connection whose handshake is done: everything lies beyond.
    pub(crate) fn none() -> Boundary {
        Boundary(Rc::new(Cell::new(Place::Beyond)))
    }

    /// The boundary of a connection whose early data was accepted.
    pub(crate) fn ahead() -> Boundary {
        Boundary(Rc::new(Cell::new(Place::Before)))
    }

    /// Whether a request that the protocol's implementation tells of now came as early data.
    pub(crate) fn is_ahead(&self) -> bool {
        self.0.get() != Place::Beyond
    }

    /// For the stream, before it gives bytes that aren't early: whether it has to wait with them.
    pub(crate) fn reach(&self) -> bool {
        let holds = self.is_ahead();
        if holds {
            self.0.set(Place::Reached);
        }
        holds
    }

    /// Runs what serves the connection. Where it waits at the boundary it has told of all that came
    /// before, so it is let beyond.
    pub(crate) async fn serve<F: Future>(&self, serving: F) -> F::Output {
        let mut serving = pin!(serving);
        poll_fn(|cx| {
            loop {
                let polled = serving.as_mut().poll(cx);
                if polled.is_ready() || self.0.get() != Place::Reached {
                    return polled;
                }
                self.0.set(Place::Beyond);
            }
        })
        .await
    }
}
