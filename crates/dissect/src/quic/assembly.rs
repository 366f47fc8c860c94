//! The beginning of a stream, put together from what packets carry of it.

use std::collections::BTreeMap;

/// Bytes from a stream's first on, as far as they are kept.
#[derive(Debug, Default, Clone)]
pub(super) struct Assembly {
    /// Without a gap.
    pub(super) bytes: Vec<u8>,
    waiting: BTreeMap<u64, Vec<u8>>,
    most: usize,
}

impl Assembly {
    /// Keeps so many bytes at most.
    pub(super) fn new(most: usize) -> Assembly {
        Assembly {
            most,
            ..Assembly::default()
        }
    }

    pub(super) fn add(&mut self, offset: u64, bytes: &[u8]) {
        let have = self.bytes.len() as u64;
        let room = (self.most as u64)
            .saturating_sub(offset)
            .min(bytes.len() as u64) as usize;
        if room == 0 || offset + room as u64 <= have {
            return;
        }
        let bytes = &bytes[..room];
        if offset > have {
            let longer = self
                .waiting
                .get(&offset)
                .is_none_or(|known| known.len() < bytes.len());
            if longer {
                self.waiting.insert(offset, bytes.to_vec());
            }
            return;
        }
        self.bytes
            .extend_from_slice(&bytes[(have - offset) as usize..]);
        while let Some((start, next)) = self.waiting.pop_first() {
            let have = self.bytes.len() as u64;
            if start > have {
                self.waiting.insert(start, next);
                return;
            }
            let known = (have - start) as usize;
            self.bytes
                .extend_from_slice(next.get(known..).unwrap_or(&[]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_any_order_make_the_beginning() {
        let mut assembly = Assembly::new(9);
        assembly.add(6, b"ghijkl");
        assembly.add(2, b"cd");
        assembly.add(3, b"def");
        assert_eq!(assembly.bytes, b"");
        assembly.add(0, b"abc");
        assert_eq!(assembly.bytes, b"abcdefghi");
    }
}
