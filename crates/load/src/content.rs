//! What a request sends beside its head: bytes in memory, or a file that is read while it is sent.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::regular_file;

/// How much is taken at a time, in bytes: what is taken waits in memory for the socket, on each connection.
pub(crate) const PIECE: usize = 64 * 1024;

/// A request's content, or what is left of it.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Memory(Bytes),
    File { file: Arc<File>, at: u64, end: u64 },
}

impl Default for Content {
    fn default() -> Self {
        Content::Memory(Bytes::new())
    }
}

impl Content {
    /// A file's content, as long as the file is now.
    ///
    /// # Errors
    /// What [`regular_file::open`] finds.
    pub(crate) fn of_file(path: &Path) -> io::Result<Content> {
        let (file, end) = regular_file::open(path)?;
        Ok(Content::File {
            file: Arc::new(file),
            at: 0,
            end,
        })
    }

    /// Bytes that are left.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Content::Memory(bytes) => bytes.len() as u64,
            Content::File { at, end, .. } => end - at,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes so many bytes at most off the front.
    ///
    /// # Errors
    /// The file can't be read, or has become shorter.
    pub(crate) fn take(&mut self, most: usize) -> io::Result<Bytes> {
        match self {
            Content::Memory(bytes) => Ok(bytes.split_to(most.min(bytes.len()))),
            Content::File { file, at, end } => {
                let left = usize::try_from(*end - *at).unwrap_or(usize::MAX);
                let mut piece = vec![0; most.min(left)];
                file.read_exact_at(&mut piece, *at)?;
                *at += piece.len() as u64;
                Ok(piece.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_taken_piece_by_piece_as_memory_is() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(b"hello world").expect("it is written");
        let of_file = Content::of_file(file.path()).expect("it is one");
        let in_memory = Content::Memory(Bytes::from_static(b"hello world"));
        for mut content in [of_file, in_memory] {
            let mut taken = Vec::new();
            for left in [11, 7, 3, 0] {
                assert_eq!((content.len(), content.is_empty()), (left, left == 0));
                taken.extend(content.take(4).expect("it is there"));
            }
            assert_eq!(taken, b"hello world");
        }
    }

    #[test]
    fn a_file_that_became_shorter_is_an_error() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(b"hello").expect("it is written");
        let mut content = Content::of_file(file.path()).expect("it is one");
        file.as_file().set_len(3).expect("it is cut");
        assert!(content.take(5).is_err());
    }
}
