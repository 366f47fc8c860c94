//! Files that a person names and that are read again for each request.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::libc::O_NONBLOCK;

/// A regular file, open for reading, and its length in bytes.
///
/// # Errors
/// It can't be opened, or is something else, such as a folder or a FIFO.
pub(crate) fn open(path: &Path) -> io::Result<(File, u64)> {
    // A FIFO opened so doesn't wait for its writer (open(2)).
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(O_NONBLOCK).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        let problem =
            "this is no regular file, and only such a one can be read again; write it to one";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    Ok((file, about.len()))
}

#[cfg(test)]
mod tests {
    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn what_is_no_file_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("fifo");
        mkfifo(&fifo, Mode::S_IRWXU).expect("a FIFO");
        for path in [&fifo, folder.path(), Path::new("/dev/zero")] {
            let refused = open(path).expect_err("it is none").to_string();
            assert!(refused.contains("no regular file"), "{refused}");
        }
        let file = folder.path().join("file");
        std::fs::write(&file, b"/a\n").expect("it is written");
        assert_eq!(open(&file).expect("it is one").1, 3);
    }
}
