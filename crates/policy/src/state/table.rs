//! The block of memory: head, entries, buckets. It holds indices and no addresses, so processes may see it at different ones.

use core::fmt;
use core::net::IpAddr;

use bytemuck::{cast_slice_mut, try_cast_slice_mut, try_from_bytes_mut};

use super::entry::{Entry, FREE, NONE};
use super::head::Head;
use crate::key::{self, Keys};

/// Fewer entries make no table.
const CAPACITY_LEAST: usize = 16;
/// What an entry needs, with its bucket.
pub(crate) const EACH: usize = size_of::<Entry>() + size_of::<u32>();

/// The keys and all that is known of them, in a block of memory that belongs to the caller.
///
/// Every operation touches a bounded number of entries and the memory never grows: a new key displaces the one that was used longest ago.
/// An operation that a process died in is found by the next one, which mends the links or, where that is of no use, empties the table.
pub struct Table<'m> {
    pub(crate) head: &'m mut Head,
    pub(crate) entries: &'m mut [Entry],
    pub(crate) buckets: &'m mut [u32],
}

/// Why a block of memory is no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableError {
    /// So many bytes are too few.
    TooSmall {
        /// Given.
        bytes: usize,
        /// The least that makes a table.
        least: usize,
    },
    /// There is none of this ABI and size.
    NoTable,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::TooSmall { bytes, least } => {
                write!(
                    f,
                    "{bytes} bytes are too few for a table: it needs at least {least}"
                )
            }
            TableError::NoTable => write!(f, "the memory holds no table of this ABI and size"),
        }
    }
}

impl core::error::Error for TableError {}

impl<'m> Table<'m> {
    /// Makes an empty table of all of `memory`. The secret keys all hashes: draw it at random, once.
    ///
    /// Errors: the memory is too small.
    pub fn init(memory: &'m mut [u64], secret: [u8; 16]) -> Result<Table<'m>, TableError> {
        let bytes = size_of_val(memory);
        let too_small = TableError::TooSmall {
            bytes,
            least: size_of::<Head>() + CAPACITY_LEAST * EACH,
        };
        let capacity = Table::capacity(bytes);
        if capacity == 0 {
            return Err(too_small);
        }
        let mut table = split(memory, capacity).ok_or(too_small)?;
        *table.head = Head::new(bytes, capacity as u32, secret);
        table.empty();
        Ok(table)
    }

    /// The table that `memory` holds already.
    ///
    /// Errors: it holds none of this ABI and size.
    pub fn open(memory: &'m mut [u64]) -> Result<Table<'m>, TableError> {
        let bytes = size_of_val(memory);
        let table = Table::open_sealed(memory)?;
        if table.head.bytes() == Some(bytes) {
            Ok(table)
        } else {
            Err(TableError::NoTable)
        }
    }

    /// The same, where the caller has asked the head for its bytes, of which `memory` has as many.
    pub(crate) fn open_sealed(memory: &'m mut [u64]) -> Result<Table<'m>, TableError> {
        let capacity = Table::capacity(size_of_val(memory));
        let table = split(memory, capacity).ok_or(TableError::NoTable)?;
        if capacity == 0 || table.head.capacity as usize != capacity {
            return Err(TableError::NoTable);
        }
        Ok(table)
    }

    /// Keys and parents that fit into so many bytes; 0: too few bytes for a table.
    pub fn capacity(bytes: usize) -> usize {
        let fit = (bytes / 8 * 8).saturating_sub(size_of::<Head>()) / EACH;
        if fit < CAPACITY_LEAST {
            0
        } else {
            fit.min(NONE as usize - 1)
        }
    }

    /// The keys of a client. An IPv4-mapped address counts as IPv4. Bits are of the family that the address counts as; 0, or
    /// more than it has, stands for the default: /24 in /16, or /56 in /40.
    pub fn keys_of(&self, address: IpAddr, own_bits: u8, parent_bits: u8) -> Keys {
        key::keys_of(&self.head.secret, address, own_bits, parent_bits)
    }

    /// Forgets all keys.
    pub(crate) fn empty(&mut self) {
        self.buckets.fill(NONE);
        let mut free = NONE;
        for (index, entry) in self.entries.iter_mut().enumerate().rev() {
            entry.kind = FREE;
            entry.next = free;
            free = index as u32;
        }
        let head = &mut *self.head;
        (head.newest, head.oldest, head.free) = (NONE, NONE, free);
        (head.keys, head.parents, head.keys_on, head.keys_blocked) = (0, 0, 0, 0);
    }
}

fn split(memory: &mut [u64], capacity: usize) -> Option<Table<'_>> {
    let bytes: &mut [u8] = cast_slice_mut(memory);
    let (head, rest) = bytes.split_at_mut_checked(size_of::<Head>())?;
    let (entries, rest) = rest.split_at_mut_checked(capacity.checked_mul(size_of::<Entry>())?)?;
    let (buckets, _) = rest.split_at_mut_checked(capacity.checked_mul(size_of::<u32>())?)?;
    Some(Table {
        head: try_from_bytes_mut(head).ok()?,
        entries: try_cast_slice_mut(entries).ok()?,
        buckets: try_cast_slice_mut(buckets).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_two_megabytes_hold_a_hundred_thousand_keys_and_their_parents() {
        // 2 % for what hands the memory out; a fifth of the keys has a parent of its own.
        assert!(Table::capacity(32 << 20) * 49 / 50 >= 120_000);
    }

    #[test]
    fn too_few_bytes_are_refused_with_what_is_needed() {
        let error = Table::init(&mut [0; 100], [0; 16]).err().expect("refused");
        let least = size_of::<Head>() + CAPACITY_LEAST * EACH;
        assert_eq!(error, TableError::TooSmall { bytes: 800, least });
        let mut memory = std::vec![0u64; least.div_ceil(8)];
        assert!(Table::init(&mut memory, [0; 16]).is_ok());
    }

    #[test]
    fn a_table_is_found_again_in_memory_of_its_size_alone() {
        let mut memory = std::vec![0u64; 4096];
        assert!(Table::open(&mut memory).is_err());
        Table::init(&mut memory, [1; 16]).expect("large enough");
        assert!(Table::open(&mut memory).is_ok());
        assert!(Table::open(&mut memory[..4000]).is_err());
        memory[5] ^= 1; // the secret's second half
        assert!(Table::open(&mut memory).is_err());
    }
}
