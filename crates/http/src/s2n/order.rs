//! The order in which a server's responses are sent over s2n-quic, which has no priorities of streams: it takes a packet
//! of each stream in turn.
//!
//! So a response hands over its bytes only when it is its turn. What s2n-quic was given and hasn't sent yet is kept small:
//! up to [`AHEAD`], as what the kernel holds unsent of HTTP/2. Beyond that, only the first response in order gets as much as
//! the congestion window lets go now: the stack must never find the window open and nothing to send while responses wait, or
//! it would take the application for the bottleneck and hold the window back. What was sent, and what the peer's stream
//! windows allow, is read off the frames that the stack reports.

use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};

/// Bytes that may be handed over and not sent yet, whatever the order.
const AHEAD: u64 = 16 * 1024;

/// The most bytes that are handed over at a time, so that equal responses share.
const PIECE: u64 = 4 * 1024;

/// Streams with their turns. Positions and bytes are a stream's own, from 0.
#[derive(Debug, Default)]
pub(super) struct Order {
    streams: BTreeMap<u64, Place>,
    /// Bytes that the peer allows on a stream at first.
    first_limit: u64,
    /// Bytes that the congestion window lets go now.
    room: u64,
    turns: u64,
    /// The connection has ended.
    ended: bool,
}

#[derive(Debug)]
struct Place {
    priority: i32,
    written: u64,
    sent: u64,
    limit: u64,
    /// Of whoever is to be asked for more.
    waiting: Option<Waker>,
    /// When it was last given a turn.
    turn: u64,
    /// Nothing more will be written.
    done: bool,
}

impl Place {
    fn unsent(&self) -> u64 {
        self.written.min(self.limit).saturating_sub(self.sent)
    }
}

impl Order {
    /// The peer's window of every stream that is to come.
    pub(super) fn begin_with(&mut self, limit: u64) {
        self.first_limit = limit;
    }

    /// Takes a stream in, unless the connection has ended. The largest priority is first; equal ones share.
    pub(super) fn enter(&mut self, stream: u64, priority: i32) {
        if self.ended {
            return;
        }
        let place = Place {
            priority,
            written: 0,
            sent: 0,
            limit: self.first_limit,
            waiting: None,
            turn: 0,
            done: false,
        };
        self.streams.insert(stream, place);
    }

    /// Nothing more will be written on a stream; it counts until all is sent.
    pub(super) fn done(&mut self, stream: u64) {
        if let Some(place) = self.streams.get_mut(&stream) {
            place.done = true;
            place.waiting = None;
            let all = place.sent >= place.written;
            if all {
                self.streams.remove(&stream);
            }
        }
        self.wake_next();
    }

    /// Nothing more will be sent on a stream.
    pub(super) fn gone(&mut self, stream: u64) {
        if let Some(place) = self.streams.remove(&stream) {
            if let Some(waiting) = place.waiting {
                waiting.wake();
            }
        }
        self.wake_next();
    }

    /// The connection has ended: takes all streams out, those that are to come as well.
    pub(super) fn end(&mut self) {
        self.ended = true;
        for place in std::mem::take(&mut self.streams).into_values() {
            if let Some(waiting) = place.waiting {
                waiting.wake();
            }
        }
    }

    /// A stream's bytes were sent up to `end`, perhaps not for the first time.
    pub(super) fn sent(&mut self, stream: u64, end: u64) {
        if let Some(place) = self.streams.get_mut(&stream) {
            place.sent = place.sent.max(end);
            let all = place.done && place.sent >= place.written;
            if all {
                self.streams.remove(&stream);
            }
            self.wake_next();
        }
    }

    /// The peer allows a stream's bytes up to `limit`.
    pub(super) fn allow(&mut self, stream: u64, limit: u64) {
        if let Some(place) = self.streams.get_mut(&stream) {
            place.limit = place.limit.max(limit);
            self.wake_next();
        }
    }

    /// The congestion window lets so many bytes go now.
    pub(super) fn make_room(&mut self, room: u64) {
        self.room = room;
        self.wake_next();
    }

    /// How many of a stream's next `wanted` bytes to hand over; they count as handed over. A stream that was taken out has
    /// no turn to wait for: what it writes, the stack refuses.
    pub(super) fn poll_turn(
        &mut self,
        stream: u64,
        wanted: u64,
        cx: &mut Context<'_>,
    ) -> Poll<u64> {
        match self.streams.get_mut(&stream) {
            Some(place) => place.waiting = Some(cx.waker().clone()),
            None => return Poll::Ready(wanted),
        }
        match self.next() {
            Some((first, most)) if first == stream => {
                self.turns += 1;
                let turn = self.turns;
                let Some(place) = self.streams.get_mut(&stream) else {
                    return Poll::Ready(wanted);
                };
                let given = most.min(wanted);
                place.waiting = None;
                place.written += given;
                place.turn = turn;
                Poll::Ready(given)
            }
            _ => {
                self.wake_next();
                Poll::Pending
            }
        }
    }

    /// Who is first of those that wait and may be sent from, and how many bytes it may hand over; none where nobody may.
    fn next(&self) -> Option<(u64, u64)> {
        let candidates = self
            .streams
            .iter()
            .filter(|(_, place)| place.waiting.is_some() && place.written < place.limit);
        let (stream, place) =
            candidates.min_by_key(|(_, place)| (std::cmp::Reverse(place.priority), place.turn))?;
        let unsent: u64 = self.streams.values().map(Place::unsent).sum();
        let behind = self
            .streams
            .values()
            .any(|other| other.priority > place.priority && other.unsent() > 0);
        let bound = if behind { AHEAD } else { AHEAD + self.room };
        let most = bound.saturating_sub(unsent).min(PIECE);
        (most > 0).then_some((*stream, most.min(place.limit - place.written)))
    }

    fn wake_next(&mut self) {
        if let Some((stream, _)) = self.next() {
            if let Some(waiting) = self.streams.get(&stream).and_then(|p| p.waiting.as_ref()) {
                waiting.wake_by_ref();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    use super::*;

    /// Has each stream write as long as it may, as its task does, until none may any more; gives the bytes in the order in
    /// which they were handed over.
    fn write(order: &mut Order, streams: &[u64]) -> Vec<(u64, u64)> {
        let mut cx = Context::from_waker(Waker::noop());
        let mut handed: Vec<(u64, u64)> = Vec::new();
        loop {
            let before = handed.len();
            for &stream in streams {
                while let Poll::Ready(bytes) = order.poll_turn(stream, 1 << 20, &mut cx) {
                    handed.push((stream, bytes));
                }
            }
            if handed.len() == before {
                return handed;
            }
        }
    }

    fn totals(handed: &[(u64, u64)], streams: &[u64]) -> Vec<u64> {
        let of = |stream| handed.iter().filter(move |(one, _)| *one == stream);
        streams
            .iter()
            .map(|&stream| of(stream).map(|(_, bytes)| bytes).sum())
            .collect()
    }

    fn order(streams: &[(u64, i32)]) -> Order {
        let mut order = Order::default();
        order.begin_with(1 << 30);
        for &(stream, priority) in streams {
            order.enter(stream, priority);
        }
        order
    }

    #[test]
    fn the_first_fills_the_window_and_the_next_waits() {
        let mut order = order(&[(0, 1), (4, 2)]);
        order.make_room(100_000);
        let handed = write(&mut order, &[4, 0]);
        assert_eq!(totals(&handed, &[0, 4]), [0, AHEAD + 100_000]);
    }

    #[test]
    fn the_next_gets_little_before_the_first_is_sent() {
        let mut order = order(&[(0, 1), (4, 2)]);
        order.make_room(100_000);
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(order.poll_turn(4, 1000, &mut cx), Poll::Ready(1000));
        order.done(4);
        let handed = write(&mut order, &[0]);
        assert_eq!(totals(&handed, &[0]), [AHEAD - 1000]);
        order.sent(4, 1000);
        let handed = write(&mut order, &[0]);
        assert_eq!(totals(&handed, &[0]), [100_000 + 1000]);
    }

    #[test]
    fn equal_ones_share() {
        let mut order = order(&[(0, 1), (4, 1)]);
        // From here on both wait.
        write(&mut order, &[0, 4]);
        order.sent(0, AHEAD);
        order.make_room(10 * PIECE);
        let handed = write(&mut order, &[0, 4]);
        let [first, second] = totals(&handed, &[0, 4])[..] else {
            panic!("there are two");
        };
        assert_eq!(first + second, AHEAD + 10 * PIECE);
        assert!(first.abs_diff(second) <= PIECE);
    }

    #[test]
    fn a_stream_that_the_peer_holds_up_holds_nobody_up() {
        let mut order = order(&[(4, 1)]);
        order.begin_with(1000);
        order.enter(0, 2);
        order.make_room(8000);
        let handed = write(&mut order, &[0, 4]);
        assert_eq!(totals(&handed, &[0]), [1000]);
        order.sent(0, 1000);
        let handed = write(&mut order, &[0, 4]);
        assert_eq!(totals(&handed, &[0])[0], 0);
        assert!(totals(&handed, &[4])[0] > 0);
        order.allow(0, 2000);
        order.sent(4, AHEAD + 8000);
        assert_eq!(totals(&write(&mut order, &[0]), &[0]), [1000]);
    }

    #[test]
    fn who_is_gone_is_not_waited_for() {
        let mut order = order(&[(0, 1), (4, 2)]);
        order.make_room(8000);
        write(&mut order, &[4]);
        assert!(write(&mut order, &[0]).is_empty());
        order.gone(4);
        assert_eq!(totals(&write(&mut order, &[0]), &[0]), [AHEAD + 8000]);
    }

    #[derive(Default)]
    struct Woken(AtomicU32);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn at_the_connections_end_all_that_wait_are_woken_and_nobody_waits_any_more() {
        let mut order = order(&[(0, 1), (4, 2)]);
        write(&mut order, &[4, 0]);
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(woken.clone());
        let mut cx = Context::from_waker(&waker);
        for stream in [0, 4] {
            assert_eq!(order.poll_turn(stream, 1000, &mut cx), Poll::Pending);
        }
        order.end();
        assert_eq!(woken.0.load(Ordering::Relaxed), 2);
        order.enter(8, 3);
        for stream in [0, 4, 8] {
            assert_eq!(order.poll_turn(stream, 1000, &mut cx), Poll::Ready(1000));
        }
    }
}
