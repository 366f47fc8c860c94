//! Records of one stream of packets, kept in a nameless file until they are put in order with those of others.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A file beside `target` which no name leads to, so that nothing stays behind however the process ends.
///
/// # Errors
/// The folder can't be written.
pub(super) fn nameless_file(target: &Path, purpose: &str) -> io::Result<File> {
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".{purpose}.{}.partial", std::process::id()));
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&name)?;
    fs::remove_file(&name)?;
    Ok(file)
}

/// A packet as it was seen at one end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Its number in its link.
    pub(super) number: u64,
    /// When, in nanoseconds of `CLOCK_MONOTONIC`.
    pub(super) at_ns: u64,
    pub(super) comment: String,
    pub(super) packet: Vec<u8>,
}

/// A spool to which records are added.
#[derive(Debug)]
pub(super) struct Spool(BufWriter<File>);

impl Spool {
    pub(super) fn new(target: &Path, purpose: &str) -> io::Result<Spool> {
        nameless_file(target, purpose).map(|file| Spool(BufWriter::with_capacity(1 << 16, file)))
    }

    pub(super) fn add(
        &mut self,
        number: u64,
        at_ns: u64,
        comment: &str,
        packet: &[u8],
    ) -> io::Result<()> {
        self.0.write_all(&number.to_le_bytes())?;
        self.0.write_all(&at_ns.to_le_bytes())?;
        for part in [comment.as_bytes(), packet] {
            // IP packets and comments are shorter than 64 KiB.
            self.0.write_all(&(part.len() as u32).to_le_bytes())?;
            self.0.write_all(part)?;
        }
        Ok(())
    }

    /// The records from the first one on.
    pub(super) fn read_back(self) -> io::Result<SpoolReader> {
        let mut file = self
            .0
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(SpoolReader(BufReader::with_capacity(1 << 16, file)))
    }
}

/// The records of a spool, in the order in which they were added.
#[derive(Debug)]
pub(super) struct SpoolReader(BufReader<File>);

impl SpoolReader {
    /// Puts the next record in the place of `record`; false where there is none.
    pub(super) fn next(&mut self, record: &mut Record) -> io::Result<bool> {
        if self.0.fill_buf()?.is_empty() {
            return Ok(false);
        }
        record.number = u64::from_le_bytes(self.array()?);
        record.at_ns = u64::from_le_bytes(self.array()?);
        let mut comment = std::mem::take(&mut record.comment).into_bytes();
        self.part(&mut comment)?;
        record.comment = String::from_utf8(comment).map_err(io::Error::other)?;
        self.part(&mut record.packet)?;
        Ok(true)
    }

    fn part(&mut self, into: &mut Vec<u8>) -> io::Result<()> {
        into.resize(u32::from_le_bytes(self.array()?) as usize, 0);
        self.0.read_exact(into)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).map(|()| bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_in_comes_out_and_no_file_is_to_be_seen() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut spool = Spool::new(&folder.path().join("file.pcapng"), "test")?;
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        spool.add(3, 30, "queued", &[1, 2, 3])?;
        spool.add(4, 40, "", &[])?;
        let mut reader = spool.read_back()?;
        let mut record = Record::default();
        assert!(reader.next(&mut record)?);
        let first = Record {
            number: 3,
            at_ns: 30,
            comment: "queued".into(),
            packet: vec![1, 2, 3],
        };
        assert_eq!(record, first);
        assert!(reader.next(&mut record)?);
        assert_eq!((record.number, record.packet.len()), (4, 0));
        assert!(!reader.next(&mut record)?);
        Ok(())
    }
}
