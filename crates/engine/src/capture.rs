//! A capture that is under way: its packets, and the TLS secrets of what runs on the hosts.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pronghorn_bench::{Capture, Taps};
use pronghorn_http::SecretLog;
use pronghorn_path::PathSpec;
use serde_json::{Value, json};

use crate::answer::Fault;

/// The variable by which programs are told to write their TLS secrets into a file.
const KEY_LOG_VARIABLE: &str = "SSLKEYLOGFILE";

/// A capture, and where its secrets come from.
pub(crate) struct Recording {
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
    ) -> Result<(Recording, Taps), Fault> {
        let about = json!({ "path": path, "seed": seed }).to_string();
        let (capture, taps) = Capture::start(file, path, &about).map_err(Fault::input)?;
        let recording = Recording {
            capture,
            own: Arc::default(),
            programs: KeyFiles::beside(file),
        };
        Ok((recording, taps))
    }

    /// Where our own client and origin leave their secrets.
    pub(crate) fn secrets(&self) -> Arc<SecretLog> {
        Arc::clone(&self.own)
    }

    /// Tells a program, by its environment, where to leave its secrets.
    pub(crate) fn instruct(
        &mut self,
        environment: &mut BTreeMap<String, String>,
    ) -> Result<(), Fault> {
        let named = environment.get(KEY_LOG_VARIABLE).map(PathBuf::from);
        let file = self.programs.next(named).map_err(Fault::input)?;
        environment.insert(KEY_LOG_VARIABLE.to_owned(), file);
        Ok(())
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

/// The files into which programs write their secrets, in a folder that goes with this.
struct KeyFiles {
    folder: PathBuf,
    files: Vec<PathBuf>,
}

impl KeyFiles {
    fn beside(capture: &Path) -> KeyFiles {
        let mut folder = capture.as_os_str().to_owned();
        folder.push(".keys");
        KeyFiles {
            folder: folder.into(),
            files: Vec::new(),
        }
    }

    /// The file of a further program: the one `named`, or a new one.
    fn next(&mut self, named: Option<PathBuf>) -> Result<String, String> {
        let file = match named {
            Some(file) => file,
            None => {
                self.make_folder()
                    .map_err(|error| format!("cannot make {}: {error}", self.folder.display()))?;
                self.folder.join(format!("{}.log", self.files.len()))
            }
        };
        let text = file.to_str().map(str::to_owned);
        let text = text.ok_or_else(|| format!("{}: not UTF-8", file.display()))?;
        self.files.push(file);
        Ok(text)
    }

    fn make_folder(&self) -> std::io::Result<()> {
        DirBuilder::new()
            .mode(0o700)
            .recursive(true)
            .create(&self.folder)
    }

    /// What the programs have written; a program that knows nothing of this has no file.
    fn read(&self) -> String {
        let texts = self.files.iter().filter_map(|file| fs::read(file).ok());
        texts
            .map(|text| String::from_utf8_lossy(&text).into_owned() + "\n")
            .collect()
    }
}

impl Drop for KeyFiles {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
