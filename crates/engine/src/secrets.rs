//! The TLS secrets of what runs on the hosts, for what is recorded of the path.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pronghorn_http::SecretLog;

/// The variable by which programs are told to write their TLS secrets into a file.
pub(crate) const VARIABLE: &str = "SSLKEYLOGFILE";

/// Where the secrets of all that runs on the hosts are left.
pub(crate) struct Secrets {
    own: Arc<SecretLog>,
    programs: KeyFiles,
}

impl Secrets {
    /// None so far.
    pub(crate) fn none_yet() -> Secrets {
        Secrets {
            own: Arc::default(),
            programs: KeyFiles::new(pronghorn_bench::private_folder),
        }
    }

    /// Where our own client and origin leave theirs.
    pub(crate) fn own(&self) -> Arc<SecretLog> {
        Arc::clone(&self.own)
    }

    /// The variable and the value that tell a further program where to leave its secrets. Where its environment
    /// names a file already, that stays, and what is added to it counts.
    pub(crate) fn instruct(&mut self, named: Option<OsString>) -> io::Result<(OsString, OsString)> {
        let file = self.programs.next(named.map(PathBuf::from))?;
        Ok((VARIABLE.into(), file.into()))
    }

    /// All lines so far.
    pub(crate) fn key_log(&self) -> String {
        self.own.text() + &self.programs.read()
    }
}

/// The file that our own environment names for secrets.
pub(crate) fn named_by_ours() -> Option<OsString> {
    env::var_os(VARIABLE)
}

/// The files into which programs write their secrets; new ones are in a folder that goes with this.
struct KeyFiles {
    /// Where the folder is made.
    within: fn() -> io::Result<&'static Path>,
    /// Once there is one.
    folder: Option<PathBuf>,
    /// Each with its length when it was found.
    files: Vec<(PathBuf, u64)>,
}

/// Tells the folders of one engine apart.
static FOLDERS: AtomicU64 = AtomicU64::new(0);

impl KeyFiles {
    fn new(within: fn() -> io::Result<&'static Path>) -> KeyFiles {
        KeyFiles {
            within,
            folder: None,
            files: Vec::new(),
        }
    }

    fn folder(&mut self) -> io::Result<&Path> {
        if self.folder.is_none() {
            let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
            let made = (self.within)()?.join(format!("keys-{number}"));
            DirBuilder::new().mode(0o700).create(&made)?;
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
    use std::os::unix::fs::PermissionsExt;
    use std::sync::OnceLock;

    use tempfile::TempDir;

    use super::*;

    fn temporary() -> io::Result<&'static Path> {
        static FOLDER: OnceLock<TempDir> = OnceLock::new();
        Ok(FOLDER
            .get_or_init(|| tempfile::tempdir().expect("a folder"))
            .path())
    }

    #[test]
    fn new_files_are_the_owners_alone_and_go_with_them() -> io::Result<()> {
        let mut files = KeyFiles::new(temporary);
        let ours = files.next(None)?;
        fs::write(&ours, "ours\n")?;
        assert_eq!(files.read(), "ours\n\n");
        let folder = ours.parent().expect("its folder").to_owned();
        assert_eq!(fs::metadata(&folder)?.permissions().mode() & 0o777, 0o700);
        drop(files);
        assert!(!folder.exists());
        Ok(())
    }

    #[test]
    fn of_a_file_that_was_there_only_what_is_added_counts() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let old = folder.path().join("old");
        fs::write(&old, "before\n")?;
        let mut files = KeyFiles::new(temporary);
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
