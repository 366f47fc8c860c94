//! What became of the packets of one link after they had entered it, by their numbers, in a nameless file: a cell a
//! packet, and holes where there is nothing to tell. Memory does not grow with the capture.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use pronghorn_path::DropCause;

use super::comment::End;
use super::spool::nameless_file;

/// Bytes of a cell: whether the packet was duplicated, how many ends are told, and up to two ends.
const CELL: usize = 32;
const END: usize = 12;
const MOST_ENDS: usize = 2;

/// Cells that are read at a time.
const CHUNK: u64 = 1024;

type Cell = [u8; CELL];

/// The fates of one link's packets.
#[derive(Debug)]
pub(super) struct Fates {
    file: File,
    /// Cells from `first` on, as last read.
    cells: Vec<u8>,
    first: Option<u64>,
}

impl Fates {
    pub(super) fn new(target: &Path, purpose: &str) -> io::Result<Fates> {
        Ok(Fates {
            file: nameless_file(target, purpose)?,
            cells: vec![0; CHUNK as usize * CELL],
            first: None,
        })
    }

    /// The packet came twice.
    pub(super) fn tell_duplicated(&mut self, number: u64) -> io::Result<()> {
        self.change(number, |cell| cell[0] = 1)
    }

    /// The packet, or its copy, ended in the link.
    pub(super) fn tell_end(&mut self, number: u64, end: End) -> io::Result<()> {
        self.change(number, |cell| {
            let place = usize::from(cell[1]);
            if place == MOST_ENDS {
                return;
            }
            cell[1] += 1;
            cell[0] |= u8::from(end.copy);
            let at = 4 + place * END;
            cell[at] = DropCause::ALL
                .iter()
                .position(|cause| *cause == end.cause)
                .unwrap_or(0) as u8;
            cell[at + 1] = u8::from(end.copy);
            cell[at + 2] = u8::from(end.corrupted);
            cell[at + 4..at + 12].copy_from_slice(&end.after_ns.to_le_bytes());
        })
    }

    /// Whether a packet was duplicated, and how its copies ended. Quick where numbers ascend.
    pub(super) fn of(&mut self, number: u64) -> io::Result<(bool, Vec<End>)> {
        let first = number - number % CHUNK;
        if self.first != Some(first) {
            self.cells.fill(0);
            read_as_far_as_it_goes(&self.file, &mut self.cells, first * CELL as u64)?;
            self.first = Some(first);
        }
        let start = (number - first) as usize * CELL;
        let cell = &self.cells[start..start + CELL];
        let ends = (0..usize::from(cell[1]).min(MOST_ENDS)).map(|place| {
            let end = &cell[4 + place * END..][..END];
            let mut after = [0; 8];
            after.copy_from_slice(&end[4..]);
            End {
                cause: DropCause::ALL[usize::from(end[0]) % DropCause::ALL.len()],
                after_ns: u64::from_le_bytes(after),
                copy: end[1] != 0,
                corrupted: end[2] != 0,
            }
        });
        Ok((cell[0] != 0, ends.collect()))
    }

    fn change(&mut self, number: u64, change: impl FnOnce(&mut Cell)) -> io::Result<()> {
        self.first = None;
        let place = number * CELL as u64;
        let mut cell = [0; CELL];
        read_as_far_as_it_goes(&self.file, &mut cell, place)?;
        change(&mut cell);
        self.file.write_all_at(&cell, place)
    }
}

fn read_as_far_as_it_goes(file: &File, into: &mut [u8], place: u64) -> io::Result<()> {
    let mut done = 0;
    while done < into.len() {
        match file.read_at(&mut into[done..], place + done as u64) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(cause: DropCause, copy: bool) -> End {
        End {
            cause,
            after_ns: 123_456_789_012,
            copy,
            corrupted: !copy,
        }
    }

    #[test]
    fn each_packet_has_its_own() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut fates = Fates::new(&folder.path().join("file.pcapng"), "fates")?;
        fates.tell_end(5000, end(DropCause::QueueFull, false))?;
        fates.tell_end(1, end(DropCause::Loss, true))?;
        fates.tell_end(1, end(DropCause::Aqm, false))?;
        fates.tell_duplicated(1023)?;

        assert_eq!(fates.of(0)?, (false, vec![]));
        let both = vec![end(DropCause::Loss, true), end(DropCause::Aqm, false)];
        assert_eq!(fates.of(1)?, (true, both));
        assert_eq!(fates.of(1023)?, (true, vec![]));
        assert_eq!(fates.of(1024)?, (false, vec![]));
        assert_eq!(
            fates.of(5000)?,
            (false, vec![end(DropCause::QueueFull, false)])
        );
        assert_eq!(fates.of(1_000_000)?, (false, vec![]));
        Ok(())
    }

    #[test]
    fn every_cause_comes_back() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut fates = Fates::new(&folder.path().join("file.pcapng"), "fates")?;
        for (number, cause) in (0..).zip(DropCause::ALL) {
            fates.tell_end(number, end(cause, false))?;
        }
        for (number, cause) in (0..).zip(DropCause::ALL) {
            assert_eq!(fates.of(number)?.1[0].cause, cause);
        }
        Ok(())
    }
}
