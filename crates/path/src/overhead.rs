//! How many bytes a packet takes on the wire: netem's `rate RATE OVERHEAD CELLSIZE CELLOVERHEAD`.
//!
//! The arithmetic is that of `packet_time_ns` in `net/sched/sch_netem.c`: the packet's overhead is
//! added, the sum fills whole cells, each with an overhead of its own.

use crate::spec::Overhead;

/// From a packet's length to its length on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framing {
    overhead: Option<Overhead>,
    header_bytes: u64,
}

impl Framing {
    /// `header_bytes` are added to each packet before anything else.
    pub(crate) fn new(overhead: Option<Overhead>, header_bytes: u64) -> Framing {
        Framing {
            overhead,
            header_bytes,
        }
    }

    /// Bytes on the wire of a packet of `len` bytes; with an overhead, at least one.
    pub(crate) fn wire_bytes(self, len: usize) -> u64 {
        let len = (len as u64).saturating_add(self.header_bytes);
        let Some(overhead) = self.overhead else {
            return len;
        };
        let framed = len
            .saturating_add_signed(i64::from(overhead.packet_bytes))
            .max(1);
        match overhead.cell_bytes.map(u64::from) {
            None => framed,
            Some(cell) => framed
                .div_ceil(cell.max(1))
                .saturating_mul(cell.saturating_add(u64::from(overhead.cell_overhead_bytes))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire_bytes(packet_bytes: i32, cell: Option<(u32, u32)>, len: usize) -> u64 {
        let overhead = Overhead {
            packet_bytes,
            cell_bytes: cell.map(|(bytes, _)| bytes),
            cell_overhead_bytes: cell.map_or(0, |(_, overhead)| overhead),
        };
        Framing::new(Some(overhead), 0).wire_bytes(len)
    }

    #[test]
    fn nothing_asked_for_is_nothing_added() {
        assert_eq!(Framing::new(None, 0).wire_bytes(1500), 1500);
        assert_eq!(Framing::new(None, 0).wire_bytes(0), 0);
    }

    #[test]
    fn a_packets_overhead_is_added_or_taken_away() {
        assert_eq!(wire_bytes(38, None, 1500), 1538);
        assert_eq!(wire_bytes(-14, None, 1514), 1500);
        assert_eq!(wire_bytes(-2000, None, 1500), 1, "never nothing");
    }

    #[test]
    fn atm_takes_whole_cells_of_53_bytes() {
        let atm = Some((48, 5));
        assert_eq!(wire_bytes(0, atm, 48), 53);
        assert_eq!(wire_bytes(0, atm, 49), 106);
        assert_eq!(
            wire_bytes(8, atm, 1500),
            32 * 53,
            "1508 bytes fill 31.4 cells"
        );
    }

    #[test]
    fn absurd_lengths_saturate() {
        assert_eq!(wire_bytes(65_535, Some((1, 65_535)), usize::MAX), u64::MAX);
    }
}
