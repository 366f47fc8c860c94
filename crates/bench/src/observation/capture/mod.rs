//! Packet capture: both ends of the path in one pcapng file, TLS secrets inside, with a comment on each packet to
//! which the path did something.
//!
//! | step | file |
//! |---|---|
//! | a link's driver thread tells of each packet, and never waits | `../link_tap.rs`, `../mailbox.rs` |
//! | a thread spools them, a file a stream, without names | `writer.rs`, `spool.rs`, `fates.rs` |
//! | at the end the secrets are known, and all is put in order of time | `assemble.rs` |
//! | what a packet's comment says | `comment.rs` |
//! | pcapng | `block.rs` |
//!
//! A packet stands at the sending end when it enters the link, also one that the link drops, and at the
//! receiving end when it leaves. Secrets must precede the packets that they decrypt, hence the spools.

mod assemble;
mod block;
mod comment;
mod fates;
mod spool;
mod writer;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};

use pronghorn_path::{Direction, Family, PathSpec};
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use crate::clock;
use crate::driver::tap::Taps;
use crate::observation::link_tap::{LinkTap, Missed};
use crate::observation::mailbox::mailbox;
use assemble::Surroundings;
use writer::Spools;

/// Why a capture could not be had.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// The file, or what is spooled beside it, can't be written.
    #[error("cannot write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A device, a pipe or a folder has the file's name.
    #[error("{} is no regular file, and a capture would take its place", .0.display())]
    NoFile(PathBuf),
    /// No thread could be had to write it.
    #[error("cannot start the thread that writes a capture: {0}")]
    Thread(#[source] io::Error),
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CaptureReport {
    /// Records of packets. A packet that was delivered has two.
    pub packets: u64,
    /// Records and comments that are missing because the writer could not keep up.
    pub lost_records: u64,
    /// Lines of TLS secrets.
    pub secrets: u64,
}

/// A capture that goes on until it is finished. Dropped unfinished, it leaves no file.
#[derive(Debug)]
pub struct Capture {
    file: PathBuf,
    about: String,
    stop: Arc<AtomicBool>,
    records: Arc<AtomicU64>,
    down: Arc<Missed>,
    up: Arc<Missed>,
    start_ns: u64,
    family: Family,
    epoch_ns: u64,
    writer: Option<JoinHandle<io::Result<Spools>>>,
}

impl Capture {
    /// Begins a capture of `path` into `file`, which comes to be when it is finished, and gives the taps that feed
    /// it. `about` is what the file's comment says of its making.
    ///
    /// # Errors
    /// The file's folder can't be written, something else than a file has the name, or no thread can be had.
    pub fn start(
        file: &Path,
        path: &PathSpec,
        about: &str,
    ) -> Result<(Capture, Taps), CaptureError> {
        if fs::metadata(file).is_ok_and(|known| !known.is_file()) {
            return Err(CaptureError::NoFile(file.to_owned()));
        }
        let spools = Spools::new(file, path).map_err(|source| CaptureError::Write {
            file: file.to_owned(),
            source,
        })?;
        let stop = Arc::<AtomicBool>::default();
        let records = Arc::<AtomicU64>::default();
        let (down, up) = (Arc::<Missed>::default(), Arc::<Missed>::default());
        let tap = |direction, missed: &Arc<Missed>| {
            let (sender, receiver) = mailbox();
            let tap = LinkTap::new(path, direction, sender, Arc::clone(missed));
            (Box::new(tap), receiver)
        };
        let (down_tap, down_mail) = tap(Direction::Down, &down);
        let (up_tap, up_mail) = tap(Direction::Up, &up);
        let taps = Taps {
            down: down_tap,
            up: up_tap,
        };
        let (told, counted) = (Arc::clone(&stop), Arc::clone(&records));
        let writer = Builder::new()
            .name("capture".into())
            .spawn(move || spools.fill(&down_mail, &up_mail, &told, &counted))
            .map_err(CaptureError::Thread)?;
        let start_ns = clock::now().0;
        let capture = Capture {
            file: file.to_owned(),
            about: about.to_owned(),
            stop,
            records,
            down,
            up,
            start_ns,
            family: path.family,
            epoch_ns: clock::real_ahead_ns(),
            writer: Some(writer),
        };
        Ok((capture, taps))
    }

    /// What has been captured so far, with the secrets of `key_log` (see [`Capture::finish`]).
    #[must_use]
    pub fn report(&self, key_log: &str) -> CaptureReport {
        CaptureReport {
            packets: self.records.load(Ordering::Relaxed),
            lost_records: self.down.total() + self.up.total(),
            secrets: tidy(key_log).lines().count() as u64,
        }
    }

    /// Ends the capture and writes its file; close the bench before, for what its links tell after this is lost.
    /// `key_log`: TLS secrets in the format of `SSLKEYLOGFILE`; of equal lines one is kept.
    ///
    /// # Errors
    /// The file can't be written; nothing of it is left then.
    pub fn finish(mut self, key_log: &str) -> Result<CaptureReport, CaptureError> {
        let spools = self
            .end()
            .unwrap_or_else(|| Err(io::Error::other("its writer has died")));
        let key_log = tidy(key_log);
        let report = self.report(&key_log);
        spools
            .and_then(|spools| self.write(spools, &key_log, report))
            .map(|()| report)
            .map_err(|source| CaptureError::Write {
                file: self.file.clone(),
                source,
            })
    }

    fn write(&self, spools: Spools, key_log: &str, report: CaptureReport) -> io::Result<()> {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let comment = format!(
            "Both ends of an emulated path: a packet stands at the sending end when it enters the link, and at the \
             receiving end when it leaves.\n{}\nrecords lost by the capture: {}",
            self.about, report.lost_records,
        );
        let around = Surroundings {
            application: concat!("pronghorn ", env!("CARGO_PKG_VERSION")),
            comment: &comment,
            key_log,
            family: self.family,
            epoch_ns: self.epoch_ns,
            start_ns: self.start_ns,
            end_ns: clock::now().0,
            lost: [
                count(&self.up.entered) + count(&self.down.left),
                count(&self.down.entered) + count(&self.up.left),
            ],
        };
        let mut partial = self.file.clone().into_os_string();
        partial.push(".partial");
        let written = own_file(Path::new(&partial)).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 18, file);
            assemble::write(&mut out, spools, &around)?;
            out.flush()
        });
        written
            .and_then(|()| fs::rename(&partial, &self.file))
            .inspect_err(|_| drop(fs::remove_file(&partial)))
    }

    /// Ends the writer; `None` where it has panicked or was ended before.
    fn end(&mut self) -> Option<io::Result<Spools>> {
        self.stop.store(true, Ordering::Release);
        self.writer.take()?.join().ok()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        drop(self.end());
    }
}

/// A new file, which its owner alone can read: there will be TLS secrets in it. One that stood there goes.
fn own_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Each line once, in order, without comments and blanks.
fn tidy(key_log: &str) -> String {
    let mut seen = std::collections::HashSet::new();
    let mut tidied = String::new();
    for line in key_log.lines().map(str::trim) {
        if !line.is_empty() && !line.starts_with('#') && seen.insert(line) {
            tidied.push_str(line);
            tidied.push('\n');
        }
    }
    tidied
}

#[cfg(test)]
mod tests;
