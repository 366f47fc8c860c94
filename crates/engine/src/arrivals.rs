//! What arrived over a path, decrypted: from the recorded packets to the file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use pronghorn_bench::{Delivery, Level, Outcome, Passage, Passages, Taps};
use pronghorn_dissect::{Arrivals, Fate, Packet, dissect};
use pronghorn_path::PathSpec;

use crate::answers::ArrivalsReport;
use crate::refusal::Refusal;

/// A recording of packets, and the file that is made of it.
pub(crate) struct Arriving {
    file: PathBuf,
    passages: Passages,
}

impl Arriving {
    /// Begins; the taps are for the bench. Fails where the file can't be written.
    pub(crate) fn start(
        file: &Path,
        path: &PathSpec,
        level: Level,
    ) -> Result<(Arriving, Taps), Refusal> {
        let cannot = |error: io::Error| format!("cannot write {}: {error}", file.display());
        let partial = partial(file);
        File::create(&partial).map_err(cannot)?;
        fs::remove_file(&partial).map_err(cannot)?;
        let (passages, taps) = Passages::start(path, level)?;
        let file = file.to_owned();
        Ok((Arriving { file, passages }, taps))
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Dissects what has been recorded so far and writes the file; tells how much that was, what it took, and a `fault`
    /// where the file couldn't be written.
    pub(crate) fn write(&self, key_log: &str) -> ArrivalsReport {
        let began = Instant::now();
        let recorded = self.passages.so_far();
        let passages = recorded.passages();
        let packets: Vec<Packet<'_>> = passages.iter().map(packet).collect();
        let arrivals = dissect(&packets, key_log, recorded.start.0, recorded.missing);
        let fault = write(&self.file, &arrivals).err();
        ArrivalsReport {
            packets: packets.len(),
            connections: arrivals.connections.len(),
            missing_records: arrivals.missing_records,
            seconds: began.elapsed().as_secs_f64(),
            fault: fault.map(|error| format!("cannot write {}: {error}", self.file.display())),
        }
    }
}

fn packet<'a>(passage: &Passage<'a>) -> Packet<'a> {
    let (mut arrived_ns, mut queued_ns) = (None, 0);
    let mut fate = match passage.outcome {
        Outcome::Left {
            at,
            queued_ns: queued,
            corrupted,
            delivery,
        } => {
            queued_ns = queued;
            match (corrupted, delivery) {
                (true, _) => Some(Fate::Corrupted),
                (false, Delivery::Taken) => {
                    arrived_ns = Some(at.0);
                    None
                }
                (false, _) => Some(Fate::NotDelivered),
            }
        }
        Outcome::Dropped(cause) => Some(Fate::Dropped(cause)),
        Outcome::Unknown => Some(Fate::InFlight),
    };
    if passage.copy {
        fate = Some(Fate::Duplicate);
    }
    Packet {
        direction: passage.direction,
        sent_ns: passage.sent.0,
        arrived_ns,
        queued_ns,
        fate,
        bytes: passage.bytes,
    }
}

fn write(file: &Path, arrivals: &Arrivals) -> io::Result<()> {
    let partial = partial(file);
    let written = File::create(&partial).and_then(|out| {
        let mut out = GzEncoder::new(out, Compression::fast());
        let mut buffered = BufWriter::with_capacity(1 << 16, &mut out);
        serde_json::to_writer(&mut buffered, arrivals)?;
        buffered.flush()?;
        drop(buffered);
        out.finish().map(drop)
    });
    written
        .and_then(|()| fs::rename(&partial, file))
        .inspect_err(|_| drop(fs::remove_file(&partial)))
}

fn partial(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}
