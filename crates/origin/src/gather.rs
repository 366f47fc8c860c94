//! Gathers small writes.
//!
//! h2 hands its frames to the stream below one or two at a time. Each would become a TLS record and a system call
//! of its own; so they wait here until they fill the largest record, or until the one who drives the connection has
//! no more to give.

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::records::{RECORD, Records};

/// Slices of one write that are looked at; the rest come again.
const SLICES: usize = 8;

/// A stream that gathers what is written. Its clones are the same stream.
pub(crate) struct Gather<S>(Rc<RefCell<State<S>>>);

impl<S> Clone for Gather<S> {
    fn clone(&self) -> Self {
        Gather(self.0.clone())
    }
}

struct State<S> {
    stream: Records<S>,
    gathered: Vec<u8>,
    /// Whether a flush of the writer's leaves them here.
    holds: bool,
    /// Whether the stream below has not taken all that it was given.
    blocked: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Gather<S> {
    /// A stream that gathers until it is flushed.
    pub(crate) fn new(stream: Records<S>) -> Self {
        Gather(Rc::new(RefCell::new(State {
            stream,
            gathered: Vec::with_capacity(RECORD),
            holds: false,
            blocked: false,
        })))
    }

    /// From now on a flush does nothing: [`Gather::poll_send`] alone does.
    pub(crate) fn hold(&self) {
        self.0.borrow_mut().holds = true;
    }

    /// Whether the last [`Gather::poll_send`] had to wait.
    pub(crate) fn is_blocked(&self) -> bool {
        self.0.borrow().blocked
    }

    /// What the next record takes, in bytes.
    pub(crate) fn room(&self) -> usize {
        self.0.borrow().stream.room()
    }

    /// Hands all that was gathered to the stream below; ready when it is the socket's.
    pub(crate) fn poll_send(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.borrow_mut().poll_send(cx)
    }
}

impl<S: AsyncWrite + Unpin> State<S> {
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = self.poll_drain(cx);
        self.blocked = sent.is_pending();
        sent
    }

    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.gathered.is_empty() {
            ready!(self.poll_pass(cx, &[]))?;
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Passes on what was gathered, and of `slices` what fits a record with it. Returns how many bytes of `slices`
    /// were taken, which may be none.
    fn poll_pass(
        &mut self,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut all = [IoSlice::new(&[]); SLICES + 1];
        all[0] = IoSlice::new(&self.gathered);
        let mut count = 1;
        for slice in slices.iter().take(SLICES) {
            all[count] = IoSlice::new(slice);
            count += 1;
        }
        let stream = Pin::new(&mut self.stream);
        let written = ready!(stream.poll_write_vectored(cx, &all[..count]))?;
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        let of_gathered = written.min(self.gathered.len());
        self.gathered.drain(..of_gathered);
        Poll::Ready(Ok(written - of_gathered))
    }

    fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let offered: usize = slices.iter().map(|slice| slice.len()).sum();
        if self.gathered.len() + offered < RECORD {
            for slice in slices {
                self.gathered.extend_from_slice(slice);
            }
            return Poll::Ready(Ok(offered));
        }
        loop {
            let taken = ready!(self.poll_pass(cx, slices))?;
            if taken > 0 {
                return Poll::Ready(Ok(taken));
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gather<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0.borrow_mut().stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gather<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.0.borrow_mut().poll_write(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.borrow_mut();
        if state.holds {
            return Poll::Ready(Ok(()));
        }
        state.poll_send(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.borrow_mut();
        ready!(state.poll_send(cx))?;
        Pin::new(&mut state.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// A stream that takes so many bytes, and notes what each write brought.
    struct Sink {
        room: usize,
        writes: Rc<RefCell<Vec<Vec<u8>>>>,
    }

    impl AsyncRead for Sink {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    impl AsyncWrite for Sink {
        fn poll_write(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            let mut bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.to_vec()).collect();
            bytes.truncate(self.room);
            if bytes.is_empty() {
                return Poll::Pending;
            }
            self.room -= bytes.len();
            let length = bytes.len();
            self.writes.borrow_mut().push(bytes);
            Poll::Ready(Ok(length))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    struct World {
        gather: Gather<Sink>,
        writes: Rc<RefCell<Vec<Vec<u8>>>>,
    }

    impl World {
        fn new(room: usize) -> World {
            let writes: Rc<RefCell<Vec<_>>> = Rc::default();
            let sink = Sink {
                room,
                writes: writes.clone(),
            };
            World {
                gather: Gather::new(Records::none(sink)),
                writes,
            }
        }

        /// Writes all of these bytes; none if the stream takes no more.
        fn write(&mut self, mut bytes: &[u8]) -> Option<()> {
            while !bytes.is_empty() {
                let mut cx = Context::from_waker(Waker::noop());
                let (first, second) = bytes.split_at(bytes.len() / 2);
                let slices = [IoSlice::new(first), IoSlice::new(second)];
                match Pin::new(&mut self.gather).poll_write_vectored(&mut cx, &slices) {
                    Poll::Ready(taken) => bytes = &bytes[taken.expect("a stream")..],
                    Poll::Pending => return None,
                }
            }
            Some(())
        }

        fn send(&self) -> bool {
            let mut cx = Context::from_waker(Waker::noop());
            self.gather.poll_send(&mut cx).is_ready()
        }

        fn flush(&mut self) -> bool {
            let mut cx = Context::from_waker(Waker::noop());
            Pin::new(&mut self.gather).poll_flush(&mut cx).is_ready()
        }

        fn lengths(&self) -> Vec<usize> {
            self.writes.borrow().iter().map(Vec::len).collect()
        }
    }

    #[test]
    fn small_writes_go_below_as_one() {
        let mut world = World::new(usize::MAX);
        world.gather.hold();
        for byte in 0..10 {
            assert!(world.write(&[byte; 50]).is_some() && world.flush());
        }
        assert!(world.lengths().is_empty());
        assert!(world.send());
        assert_eq!(world.lengths(), [500]);
    }

    #[test]
    fn a_flush_sends_until_it_is_held() {
        let mut world = World::new(usize::MAX);
        assert!(world.write(b"SETTINGS").is_some() && world.flush());
        assert_eq!(world.lengths(), [8]);
        world.gather.hold();
        assert!(world.write(b"HEADERS").is_some() && world.flush());
        assert_eq!(world.lengths(), [8]);
    }

    #[test]
    fn what_exceeds_a_record_fills_records() {
        let mut world = World::new(usize::MAX);
        let all: Vec<u8> = (0..3 * RECORD).map(|place| (place % 251) as u8).collect();
        let (first, second) = all.split_at(700);
        assert!(world.write(first).is_some() && world.write(second).is_some());
        assert_eq!(world.lengths(), [RECORD, RECORD, RECORD]);
        assert!(world.send());
        assert_eq!(world.writes.borrow().concat(), all);
    }

    #[test]
    fn what_the_stream_takes_in_pieces_arrives_whole_and_in_order() {
        let all: Vec<u8> = (0..RECORD + 900).map(|place| (place % 251) as u8).collect();
        let mut world = World::new(100);
        assert!(world.write(&all[..300]).is_some());
        assert!(!world.send() && world.gather.is_blocked());
        assert_eq!(world.write(&all[300..]), None);
        for room in [50, 200, usize::MAX] {
            world.gather.0.borrow_mut().stream.get_mut().room = room;
            let _ = world.send();
        }
        assert!(!world.gather.is_blocked());
        let arrived = world.writes.borrow().concat();
        assert_eq!(arrived, all[..arrived.len()]);
        assert!(world.write(&all[arrived.len()..]).is_some() && world.send());
        assert_eq!(world.writes.borrow().concat(), all);
    }
}
