//! The sizes of TLS records.
//!
//! A client can read nothing of a record before all of it has arrived. A connection's first flight holds some
//! 14 kB: of a record of 16 kB the rest comes a round trip later, and with it the response's head. So the first
//! records hold what one TCP segment carries, later ones more, as Cloudflare's and Go's servers have it; after a
//! pause, in which the congestion window may fall back, it begins anew.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Plaintext that a TLS record holds at most (RFC 8446 §5.1), in bytes.
pub(crate) const RECORD: usize = 16 * 1024;

/// Plaintext of the first records: with TLS 1.3's 22 bytes, TCP's and IP's headers and their options it fits a
/// packet of 1500 bytes.
const ONE_SEGMENT: usize = 1369;
/// Plaintext of the next ones, for three segments.
const THREE_SEGMENTS: usize = 4229;
/// Records of a size before the next larger one.
const OF_A_SIZE: u32 = 40;
/// A pause after which the first size is taken again.
const PAUSE: Duration = Duration::from_secs(1);

/// Slices of one write that are looked at; the rest come again.
const SLICES: usize = 10;

/// A stream that takes at most a record's worth at a time.
pub(crate) struct Records<S> {
    stream: S,
    /// Records since the beginning, or the last pause; none where the stream has no records.
    written: Option<u32>,
    last: Option<Instant>,
}

impl<S> Records<S> {
    /// The records of TLS above `stream`.
    pub(crate) fn of_tls(stream: S) -> Self {
        Records {
            stream,
            written: Some(0),
            last: None,
        }
    }

    /// A stream in the clear: whatever is written goes at once.
    pub(crate) fn none(stream: S) -> Self {
        Records {
            stream,
            written: None,
            last: None,
        }
    }

    /// What the next record takes, in bytes.
    pub(crate) fn room(&self) -> usize {
        self.room_at(Instant::now())
    }

    #[cfg(test)]
    pub(crate) fn get_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    fn room_at(&self, now: Instant) -> usize {
        let Some(written) = self.written else {
            return RECORD;
        };
        let written = if self.has_paused(now) { 0 } else { written };
        match written / OF_A_SIZE {
            0 => ONE_SEGMENT,
            1 => THREE_SEGMENTS,
            _ => RECORD,
        }
    }

    fn has_paused(&self, now: Instant) -> bool {
        self.last
            .is_some_and(|last| now.saturating_duration_since(last) >= PAUSE)
    }

    fn count(&mut self, now: Instant) {
        let has_paused = self.has_paused(now);
        if let Some(written) = &mut self.written {
            *written = if has_paused {
                1
            } else {
                written.saturating_add(1)
            };
            self.last = Some(now);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Records<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Records<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let now = Instant::now();
        let mut room = self.room_at(now);
        let mut record = [IoSlice::new(&[]); SLICES];
        let mut count = 0;
        for slice in slices.iter().filter(|slice| !slice.is_empty()).take(SLICES) {
            let length = slice.len().min(room);
            record[count] = IoSlice::new(&slice[..length]);
            count += 1;
            room -= length;
        }
        let stream = Pin::new(&mut self.stream);
        let written = ready!(stream.poll_write_vectored(cx, &record[..count]))?;
        self.count(now);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the records that so many bytes become, written as one, all at one moment.
    fn sizes(records: &mut Records<()>, mut bytes: usize, now: Instant) -> Vec<usize> {
        let mut found = Vec::new();
        while bytes > 0 {
            let length = bytes.min(records.room_at(now));
            records.count(now);
            bytes -= length;
            found.push(length);
        }
        found
    }

    #[test]
    fn a_connections_first_records_are_a_segment_each_and_grow() {
        let mut records = Records::of_tls(());
        let found = sizes(&mut records, 400_000, Instant::now());
        assert_eq!(found[..40], [ONE_SEGMENT; 40]);
        assert_eq!(found[40..80], [THREE_SEGMENTS; 40]);
        assert!(
            found[80..found.len() - 1]
                .iter()
                .all(|&size| size == RECORD)
        );
    }

    #[test]
    fn no_record_reaches_from_the_first_flight_into_the_second_by_more_than_a_segment() {
        let mut records = Records::of_tls(());
        let found = sizes(&mut records, 15_000, Instant::now());
        let mut sealed = 0;
        let whole = found.iter().take_while(|&size| {
            sealed += size + 22;
            sealed <= 14_480
        });
        assert!(whole.sum::<usize>() > 14_480 - 2 * 1460);
    }

    #[test]
    fn after_a_pause_they_begin_anew() {
        let mut records = Records::of_tls(());
        let now = Instant::now();
        sizes(&mut records, 400_000, now);
        let soon = now + PAUSE / 2;
        assert_eq!(sizes(&mut records, 20_000, soon)[0], RECORD);
        assert_eq!(sizes(&mut records, 20_000, soon + PAUSE)[0], ONE_SEGMENT);
    }

    #[test]
    fn without_tls_a_write_is_not_cut() {
        let mut records = Records::none(());
        assert_eq!(sizes(&mut records, RECORD, Instant::now()), [RECORD]);
    }
}
