//! Recycled memory for packets, so that a driver allocates nothing in its steady state.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use crate::driver::wire::{DeviceHeader, Superpacket, WireError};

/// The smallest and the largest buffer. The largest holds a device header and the longest IP packet.
const SMALLEST: usize = 2048;
const LARGEST: usize = 1 << 17;
/// Sizes of buffers: each twice the one before.
const SIZES: usize = (LARGEST / SMALLEST).ilog2() as usize + 1;

/// A packet longer than this keeps the buffer into which it was read; a shorter one moves to a
/// buffer of its size, so that small packets that wait don't hold much memory.
const MOVED: usize = 1 << 14;

/// What a device has handed over: device header, packet, and what that is.
pub(crate) struct Buffer {
    bytes: Box<[u8]>,
    len: usize,
    shape: Superpacket,
    home: Weak<Shelves>,
}

impl Buffer {
    /// Device header and packet.
    pub(crate) fn wire(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The packet.
    pub(crate) fn packet(&self) -> &[u8] {
        &self.bytes[DeviceHeader::LEN..self.len]
    }

    /// The packet, to change it without changing its length.
    pub(crate) fn packet_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[DeviceHeader::LEN..self.len]
    }

    pub(crate) fn shape(&self) -> &Superpacket {
        &self.shape
    }
}

/// Free buffers, by size.
struct Shelves([RefCell<Vec<Rc<Buffer>>>; SIZES]);

/// A driver's buffers.
#[derive(Clone)]
pub(crate) struct Pool {
    shelves: Rc<Shelves>,
}

/// Where packets are read.
pub(crate) struct Intake {
    pool: Pool,
    landing: Rc<Buffer>,
}

impl Pool {
    pub(crate) fn new() -> Pool {
        Pool {
            shelves: Rc::new(Shelves(std::array::from_fn(|_| RefCell::default()))),
        }
    }

    /// A buffer that nobody else has, of at least `len` bytes, which is at most [`LARGEST`].
    fn take(&self, len: usize) -> Rc<Buffer> {
        let size = size_of_shelf(len);
        let shelf = &self.shelves.0[size];
        let recycled = shelf.borrow_mut().pop();
        recycled.unwrap_or_else(|| {
            Rc::new(Buffer {
                bytes: vec![0; SMALLEST << size].into_boxed_slice(),
                len: 0,
                shape: Superpacket::default(),
                home: Rc::downgrade(&self.shelves),
            })
        })
    }

    /// One segment of `buffer` as a packet of its own, checksums completed; none where the pool is gone.
    pub(crate) fn copy(buffer: &Buffer, index: u16, congestion: bool) -> Option<Rc<Buffer>> {
        let pool = Pool {
            shelves: buffer.home.upgrade()?,
        };
        let shape = buffer.shape;
        let len = DeviceHeader::LEN + shape.segment_bytes(index);
        let mut copy = pool.take(len);
        let own = Rc::get_mut(&mut copy)?;
        let (device, rest) = own.bytes.split_at_mut(DeviceHeader::LEN);
        device.fill(0);
        shape.segment(buffer.packet(), index, congestion, rest);
        own.len = len;
        own.shape = shape.single(index);
        Some(copy)
    }

    /// Keeps a buffer, whose last owner the caller is, for the next packet.
    pub(crate) fn give_back(buffer: &Rc<Buffer>) {
        if let Some(shelves) = buffer.home.upgrade() {
            let shelf = &shelves.0[size_of_shelf(buffer.bytes.len())];
            shelf.borrow_mut().push(Rc::clone(buffer));
        }
    }
}

impl Intake {
    pub(crate) fn new(pool: &Pool) -> Intake {
        Intake {
            pool: pool.clone(),
            landing: pool.take(LARGEST),
        }
    }

    /// Takes what `read` writes, which says how many bytes of device header and packet that was. Fails as
    /// `read` does; within, says what is wrong with the packet.
    pub(crate) fn receive<E>(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<Result<Rc<Buffer>, WireError>, E> {
        let Some(landing) = Rc::get_mut(&mut self.landing) else {
            unreachable!("a buffer that is being read into has no second owner");
        };
        let len = read(&mut landing.bytes)?.min(LARGEST);
        let (device, packet) = landing.bytes[..len].split_at(DeviceHeader::LEN.min(len));
        let shape = match Superpacket::parse(device, packet) {
            Ok(shape) => shape,
            Err(error) => return Ok(Err(error)),
        };
        if len > MOVED {
            landing.len = len;
            landing.shape = shape;
            let next = self.pool.take(LARGEST);
            return Ok(Ok(std::mem::replace(&mut self.landing, next)));
        }
        let mut buffer = self.pool.take(len);
        if let Some(own) = Rc::get_mut(&mut buffer) {
            own.bytes[..len].copy_from_slice(&landing.bytes[..len]);
            own.len = len;
            own.shape = shape;
        }
        Ok(Ok(buffer))
    }
}

/// The shelf of the smallest buffers that hold `len` bytes.
fn size_of_shelf(len: usize) -> usize {
    let size = len.clamp(SMALLEST, LARGEST).next_power_of_two();
    (size / SMALLEST).ilog2() as usize
}
