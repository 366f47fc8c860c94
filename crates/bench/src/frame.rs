//! Packets in recycled buffers, so that a driver allocates nothing in its steady state. A buffer
//! begins with the header that the device wants before each packet.

use std::cell::RefCell;
use std::rc::Rc;

use pronghorn_path::Packet;

use crate::checksum::{self, HEADER};

/// Bytes a buffer holds: header and an IP packet of the device's MTU fit.
const CAPACITY: usize = 2048;

type Buffer = Box<[u8; CAPACITY]>;

/// Buffers of one driver that are free for the next packet.
#[derive(Clone, Default)]
pub(crate) struct Pool(Rc<RefCell<Vec<Buffer>>>);

impl Pool {
    /// An empty frame.
    pub(crate) fn frame(&self) -> Frame {
        let buffer = self
            .0
            .borrow_mut()
            .pop()
            .unwrap_or_else(|| Box::new([0; CAPACITY]));
        Frame {
            buffer: Some(buffer),
            length: 0,
            pool: self.clone(),
        }
    }
}

/// One packet in a buffer, which goes back to its pool when the frame is dropped.
pub(crate) struct Frame {
    /// Taken only while dropping.
    buffer: Option<Buffer>,
    length: usize,
    pool: Pool,
}

impl Frame {
    /// Fills the frame by a reader, which says how many bytes of header and packet it has written,
    /// and does what the header asks for.
    pub(crate) fn fill<E>(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        if let Some(buffer) = &mut self.buffer {
            self.length = read(&mut buffer[..])?.min(CAPACITY).saturating_sub(HEADER);
            let (header, packet) = buffer.split_at_mut(HEADER);
            let mut asked = [0; HEADER];
            asked.swap_with_slice(header);
            checksum::complete(asked, &mut packet[..self.length]);
        }
        Ok(())
    }

    /// The packet.
    pub(crate) fn packet(&self) -> &[u8] {
        self.wire().get(HEADER..).unwrap_or_default()
    }

    /// The packet after a header that asks for nothing.
    pub(crate) fn wire(&self) -> &[u8] {
        self.buffer
            .as_ref()
            .map_or(&[], |buffer| &buffer[..HEADER + self.length])
    }

    /// Whether the version field says IPv4 (RFC 791, section 3.1).
    pub(crate) fn is_ipv4(&self) -> bool {
        self.packet().first().is_some_and(|first| first >> 4 == 4)
    }
}

impl Packet for Frame {
    fn len(&self) -> usize {
        self.length
    }

    fn flip_bit(&mut self, bit: usize) {
        let packet = HEADER..HEADER + self.length;
        if let Some(byte) = self
            .buffer
            .as_mut()
            .and_then(|b| b[packet].get_mut(bit / 8))
        {
            *byte ^= 1 << (bit % 8);
        }
    }

    fn duplicate(&self) -> Self {
        let mut copy = self.pool.frame();
        if let Some(buffer) = &mut copy.buffer {
            buffer[..HEADER + self.length].copy_from_slice(self.wire());
        }
        copy.length = self.length;
        copy
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.pool.0.borrow_mut().push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(pool: &Pool, content: &[u8]) -> Frame {
        let mut frame = pool.frame();
        let filled: Result<(), ()> = frame.fill(|buffer| {
            buffer[..HEADER].fill(0);
            buffer[HEADER..][..content.len()].copy_from_slice(content);
            Ok(HEADER + content.len())
        });
        assert_eq!(filled, Ok(()));
        frame
    }

    #[test]
    fn a_dropped_frame_is_the_next_one() {
        let pool = Pool::default();
        let first = frame(&pool, b"first");
        let copy = first.duplicate();
        assert_eq!(copy.packet(), b"first");
        drop((first, copy));
        assert_eq!(pool.0.borrow().len(), 2);
        assert_eq!(frame(&pool, b"x").packet(), b"x");
        assert_eq!(pool.0.borrow().len(), 2);
    }

    #[test]
    fn a_flipped_bit_is_the_only_change() {
        let pool = Pool::default();
        let mut flipped = frame(&pool, &[0x45, 0, 0]);
        assert!(flipped.is_ipv4());
        flipped.flip_bit(5);
        assert_eq!(flipped.packet(), [0x65, 0, 0]);
        assert!(!flipped.is_ipv4());
        assert_eq!(flipped.wire()[..HEADER], [0; HEADER]);
        flipped.flip_bit(24);
        assert_eq!(flipped.packet(), [0x65, 0, 0]);
    }
}
