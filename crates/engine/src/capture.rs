//! A capture that is under way: its packets, and the TLS secrets of what runs on the hosts.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pronghorn_bench::{Capture, CaptureError, Taps};
use pronghorn_http::SecretLog;
use pronghorn_path::PathSpec;
use serde_json::{Value, json};

/// The variable by which programs are told to write their TLS secrets into a file.
pub(crate) const VARIABLE: &str = "SSLKEYLOGFILE";

/// A capture, and where its secrets come from.
pub(crate) struct Recording {
    file: PathBuf,
    path: PathSpec,
    capture: Capture,
    own: Arc<SecretLog>,
    programs: KeyFiles,
}

impl Recording {
    /// Begins; the taps are for the bench.
    pub(crate) fn start(
        file: &Path,
        path: &PathSpec,
        seed: u64,
    ) -> Result<(Recording, Taps), CaptureError> {
        let (capture, taps) = capture(file, path, seed)?;
        let recording = Recording {
            file: file.to_owned(),
            path: path.clone(),
            capture,
            own: Arc::default(),
            programs: KeyFiles::beside(file),
        };
        Ok((recording, taps))
    }

    /// Forgets the packets captured so far, not the secrets, and begins anew; the taps are for the bench.
    pub(crate) fn restart(&mut self, seed: u64) -> Result<Taps, CaptureError> {
        let (capture, taps) = capture(&self.file, &self.path, seed)?;
        self.capture = capture;
        Ok(taps)
    }

    /// Where our own client and origin leave their secrets.
    pub(crate) fn secrets(&self) -> Arc<SecretLog> {
        Arc::clone(&self.own)
    }

    /// The variable and the value that tell a further program where to leave its secrets. Where its environment, or
    /// ours, already names a file, that stays, and what is added to it counts.
    pub(crate) fn instruct(&mut self, named: Option<&OsStr>) -> io::Result<(OsString, OsString)> {
        let named = named.map(OsStr::to_owned).or_else(|| env::var_os(VARIABLE));
        let file = self.programs.next(named.map(PathBuf::from))?;
        Ok((VARIABLE.into(), file.into()))
    }

    /// What has been captured so far.
    pub(crate) fn report(&self) -> Value {
        json!(self.capture.report(&self.key_log()))
    }

    /// Writes the file, once the bench is closed; a `fault` is told in the report.
    pub(crate) fn finish(self) -> Value {
        let (key_log, so_far) = (self.key_log(), self.report());
        match self.capture.finish(&key_log) {
            Ok(report) => json!(report),
            Err(error) => {
                let mut report = so_far;
                report["fault"] = error.to_string().into();
                report
            }
        }
    }

    fn key_log(&self) -> String {
        self.own.text() + &self.programs.read()
    }
}

fn capture(file: &Path, path: &PathSpec, seed: u64) -> Result<(Capture, Taps), CaptureError> {
    let about = json!({ "path": path, "seed": seed }).to_string();
    Capture::start(file, path, &about)
}

/// The files into which programs write their secrets; new ones are in a folder that goes with this.
struct KeyFiles {
    /// What the folder is named after.
    capture: PathBuf,
    /// Once there is one.
    folder: Option<PathBuf>,
    /// Each with its length when it was found.
    files: Vec<(PathBuf, u64)>,
}

impl KeyFiles {
    fn beside(capture: &Path) -> KeyFiles {
        KeyFiles {
            capture: capture.to_owned(),
            folder: None,
            files: Vec::new(),
        }
    }

    /// The folder, which nobody else has made: `CAPTURE.keys`, or the like with a number.
    fn folder(&mut self) -> io::Result<&Path> {
        if self.folder.is_none() {
            let mut number = 0;
            let made = loop {
                let mut name = self.capture.as_os_str().to_owned();
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
