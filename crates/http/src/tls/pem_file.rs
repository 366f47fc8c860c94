//! A PEM file that a person names, read to a bound: `/dev/zero` has no end, and a FIFO may have no writer.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

use super::TlsError;

/// Bytes of the longest file: a system's whole set of authorities has less than one million.
const MOST_BYTES: u64 = 16 << 20;

/// The content of a regular file of at most 16 MiB.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    content(path).map_err(|source| TlsError::File {
        path: path.to_owned(),
        source,
    })
}

fn content(path: &Path) -> io::Result<Vec<u8>> {
    // A FIFO opened so doesn't wait for its writer (open(2)).
    let file: File = OpenOptions::new()
        .read(true)
        .custom_flags(OFlag::O_NONBLOCK.bits())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(invalid("this is no regular file".to_owned()));
    }
    let mut content = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MOST_BYTES {
        return Err(invalid(format!(
            "larger than {} MiB, the most that a PEM file may have",
            MOST_BYTES >> 20
        )));
    }
    Ok(content)
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &Path) -> String {
        read(path).expect_err("this is refused").to_string()
    }

    #[test]
    fn nothing_but_a_file_of_a_bounded_size_is_read() {
        let folder = std::env::temp_dir().join(format!("pronghorn-pem-{}", std::process::id()));
        std::fs::create_dir(&folder).expect("a folder");
        let file = folder.join("ca.pem");
        std::fs::write(&file, "a").expect("a file");
        assert_eq!(read(&file).expect("its content"), b"a");
        File::create(&file)
            .and_then(|file| file.set_len(1 << 40))
            .expect("a sparse file");
        assert!(said(&file).ends_with("larger than 16 MiB, the most that a PEM file may have"));
        assert!(said(&folder).ends_with("this is no regular file"));
        assert!(said(Path::new("/dev/zero")).ends_with("this is no regular file"));
        assert!(said(&folder.join("none")).contains("No such file"));
        let fifo = folder.join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).expect("a FIFO");
        assert!(said(&fifo).ends_with("this is no regular file"));
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
}
