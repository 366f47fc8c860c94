//! The TLS secrets of what runs on the hosts, for what is recorded of the path.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pronghorn_http::SecretLog;

/// The variable by which programs are told to write their TLS secrets into a file.
pub(crate) const VARIABLE: &str = "SSLKEYLOGFILE";

/// Where the secrets of all that runs on the hosts are left.
pub(crate) struct Secrets {
    own: Arc<SecretLog>,
    programs: KeyFiles,
}

impl Secrets {
    /// None so far; files of programs are in a folder beside `recording`.
    pub(crate) fn beside(recording: &Path) -> Secrets {
        Secrets {
            own: Arc::default(),
            programs: KeyFiles::beside(recording),
        }
    }

    /// Where our own client and origin leave theirs.
    pub(crate) fn own(&self) -> Arc<SecretLog> {
        Arc::clone(&self.own)
    }

    /// The variable and the value that tell a further program where to leave its secrets. Where its environment, or
    /// ours, already names a file, that stays, and what is added to it counts.
    pub(crate) fn instruct(&mut self, named: Option<&OsStr>) -> io::Result<(OsString, OsString)> {
        let named = named.map(OsStr::to_owned).or_else(|| env::var_os(VARIABLE));
        let file = self.programs.next(named.map(PathBuf::from))?;
        Ok((VARIABLE.into(), file.into()))
    }

    /// All lines so far.
    pub(crate) fn key_log(&self) -> String {
        self.own.text() + &self.programs.read()
    }
}

/// The files into which programs write their secrets; new ones are in a folder that goes with this.
struct KeyFiles {
    /// What the folder is named after.
    recording: PathBuf,
    /// Once there is one.
    folder: Option<PathBuf>,
    /// Each with its length when it was found.
    files: Vec<(PathBuf, u64)>,
}

impl KeyFiles {
    fn beside(recording: &Path) -> KeyFiles {
        KeyFiles {
            recording: recording.to_owned(),
            folder: None,
            files: Vec::new(),
        }
    }

    /// The folder, which nobody else has made: `RECORDING.keys`, or the like with a number.
    fn folder(&mut self) -> io::Result<&Path> {
        if self.folder.is_none() {
            let mut number = 0;
            let made = loop {
                let mut name = self.recording.as_os_str().to_owned();
                name.push(".keys");
                if number > 0 {
                    name.push(number.to_string());
                }
                match DirBuilder::new().mode(0o700).create(&name) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                    Err(error) => return Err(error),
                    Ok(()) => break fs::canonicalize(&name)?,
                }
            };
            self.folder = Some(made);
        }
        Ok(self.folder.as_deref().unwrap_or(Path::new("")))
    }

    /// The file of a further program: the one `named`, or a new one.
    fn next(&mut self, named: Option<PathBuf>) -> io::Result<PathBuf> {
        let (file, length) = match named {
            Some(file) => {
                let length = fs::metadata(&file).map_or(0, |known| known.len());
                (file, length)
            }
            None => {
                let name = format!("{}.log", self.files.len());
                (self.folder()?.join(name), 0)
            }
        };
        if self.files.iter().all(|(known, _)| *known != file) {
            self.files.push((file.clone(), length));
        }
        Ok(file)
    }

    /// What the programs have written; one that knows nothing of this has no file.
    fn read(&self) -> String {
        let text = |(file, length): &(PathBuf, u64)| -> io::Result<String> {
            let mut file = File::open(file)?;
            file.seek(SeekFrom::Start(*length))?;
            let mut text = Vec::new();
            file.read_to_end(&mut text)?;
            Ok(String::from_utf8_lossy(&text).into_owned() + "\n")
        };
        self.files
            .iter()
            .filter_map(|file| text(file).ok())
            .collect()
    }
}

impl Drop for KeyFiles {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_there_is_left_as_it_was() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let capture = folder.path().join("x.pcapng");
        let theirs = folder.path().join("x.pcapng.keys");
        fs::create_dir(&theirs)?;
        fs::write(theirs.join("0.log"), "theirs\n")?;
        let mut files = KeyFiles::beside(&capture);
        let ours = files.next(None)?;
        fs::write(&ours, "ours\n")?;
        assert_eq!(files.read(), "ours\n\n");
        drop(files);
        assert!(!ours.exists());
        assert_eq!(fs::read_to_string(theirs.join("0.log"))?, "theirs\n");
        Ok(())
    }

    #[test]
    fn of_a_file_that_was_there_only_what_is_added_counts() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (old, capture) = (folder.path().join("old"), folder.path().join("x.pcapng"));
        fs::write(&old, "before\n")?;
        let mut files = KeyFiles::beside(&capture);
        assert_eq!(files.next(Some(old.clone()))?, old);
        assert_eq!(files.next(Some(old.clone()))?, old);
        let new = files.next(None)?;
        fs::write(&old, "before\nafter\n")?;
        fs::write(&new, "new\n")?;
        let text = files.read();
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>(),
            ["after", "new"]
        );
        drop(files);
        assert!(old.exists() && !new.exists());
        Ok(())
    }
}
