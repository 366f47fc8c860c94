//! What is recorded of a path while a bench is open: a capture, arrivals, the secrets that decrypt both.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pronghorn_bench::{Capture, CaptureError, Level, Taps};
use pronghorn_http::SecretLog;
use pronghorn_path::PathSpec;
use serde_json::json;

use crate::answers::{ArrivalsReport, Captured};
use crate::arrivals::Arriving;
use crate::refusal::Refusal;
use crate::secrets::Secrets;

/// The files that are asked for.
#[derive(Clone, Copy)]
pub(crate) struct Files<'a> {
    pub(crate) capture: Option<&'a Path>,
    pub(crate) arrivals: Option<&'a Path>,
}

/// A recording that is under way.
pub(crate) struct Recording {
    path: PathSpec,
    level: Level,
    capture: Option<Capturing>,
    arrivals: Option<Arriving>,
    secrets: Secrets,
}

struct Capturing {
    file: PathBuf,
    capture: Capture,
}

/// What became of the files of a recording; none for what wasn't asked for.
pub(crate) struct Told {
    pub(crate) capture: Option<Captured>,
    pub(crate) arrivals: Option<ArrivalsReport>,
}

impl Recording {
    /// Begins, where a file is asked for; the taps are for the bench.
    pub(crate) fn start(
        files: Files<'_>,
        path: &PathSpec,
        seed: u64,
        level: Level,
    ) -> Result<Option<(Recording, Taps)>, Refusal> {
        if files.capture.or(files.arrivals).is_none() {
            return Ok(None);
        }
        let mut recording = Recording {
            path: path.clone(),
            level,
            capture: None,
            arrivals: None,
            secrets: Secrets::none_yet(),
        };
        let taps = recording.begin(files, seed)?;
        Ok(taps.map(|taps| (recording, taps)))
    }

    /// Forgets the packets recorded so far, not the secrets, and begins anew; the taps are for the bench.
    pub(crate) fn restart(&mut self, seed: u64) -> Result<Option<Taps>, Refusal> {
        let capture = self
            .capture
            .as_ref()
            .map(|capturing| capturing.file.clone());
        let arrivals = self
            .arrivals
            .as_ref()
            .map(|arriving| arriving.file().to_owned());
        let files = Files {
            capture: capture.as_deref(),
            arrivals: arrivals.as_deref(),
        };
        self.begin(files, seed)
    }

    fn begin(&mut self, files: Files<'_>, seed: u64) -> Result<Option<Taps>, Refusal> {
        let mut all = None;
        if let Some(file) = files.capture {
            let (capture, taps) = capture(file, &self.path, seed)?;
            let file = file.to_owned();
            self.capture = Some(Capturing { file, capture });
            all = Some(taps);
        }
        if let Some(file) = files.arrivals {
            let (arriving, taps) = Arriving::start(file, &self.path, self.level)?;
            self.arrivals = Some(arriving);
            all = Some(match all {
                Some(others) => taps.and(others),
                None => taps,
            });
        }
        Ok(all)
    }

    /// Where our own client and origin leave their secrets.
    pub(crate) fn secrets(&self) -> Arc<SecretLog> {
        self.secrets.own()
    }

    /// What tells a further program where to leave its secrets, see [`Secrets::instruct`].
    pub(crate) fn instruct(&mut self, named: Option<OsString>) -> io::Result<(OsString, OsString)> {
        self.secrets.instruct(named)
    }

    /// What has been captured so far.
    pub(crate) fn captured(&self) -> Option<Captured> {
        let capturing = self.capture.as_ref()?;
        Some(capturing.capture.report(&self.secrets.key_log()).into())
    }

    /// Writes what has arrived so far; `None` where nobody asked for it.
    pub(crate) fn write_arrivals(&self) -> Option<ArrivalsReport> {
        let arriving = self.arrivals.as_ref()?;
        Some(arriving.write(&self.secrets.key_log()))
    }

    /// Writes the files, once the bench is closed; a `fault` is told in their reports.
    pub(crate) fn finish(self) -> Told {
        let arrivals = self.write_arrivals();
        let key_log = self.secrets.key_log();
        let finish = |capturing: Capturing| {
            let so_far = capturing.capture.report(&key_log);
            match capturing.capture.finish(&key_log) {
                Ok(report) => report.into(),
                Err(error) => Captured {
                    report: so_far,
                    fault: Some(error.to_string()),
                },
            }
        };
        let capture = self.capture.map(finish);
        Told { capture, arrivals }
    }
}

fn capture(file: &Path, path: &PathSpec, seed: u64) -> Result<(Capture, Taps), CaptureError> {
    let about = json!({ "path": path, "seed": seed }).to_string();
    Capture::start(file, path, &about)
}
