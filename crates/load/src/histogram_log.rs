//! Latencies of each interval in HdrHistogram's log format, version 1.2.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::IntervalLogWriterBuilder;

use crate::error::LoadError;
use crate::progress::Interval;

/// The unit of the log's column of maxima is that of its histograms, nanoseconds, divided by this.
const NANOSECONDS_A_SECOND: f64 = 1e9;

/// A log that is written interval by interval.
pub(crate) struct HistogramLog {
    path: PathBuf,
    file: BufWriter<File>,
    serializer: V2DeflateSerializer,
    has_head: bool,
}

impl HistogramLog {
    /// A new file, in place of one that is there.
    pub(crate) fn create(path: &Path) -> Result<HistogramLog, LoadError> {
        let file = File::create(path).map_err(|source| LoadError::HistogramLog {
            path: path.to_owned(),
            source,
        })?;
        Ok(HistogramLog {
            path: path.to_owned(),
            file: BufWriter::new(file),
            serializer: V2DeflateSerializer::new(),
            has_head: false,
        })
    }

    /// Appends an interval; times in the log count from the load's start.
    pub(crate) fn write(&mut self, interval: &Interval) -> Result<(), LoadError> {
        let path = self.path.clone();
        let failed = |error: &dyn std::fmt::Display| LoadError::HistogramLog {
            path: path.clone(),
            source: std::io::Error::other(error.to_string()),
        };
        let mut lines = Vec::new();
        let start = SystemTime::now() - (interval.began + interval.length);
        let mut builder = IntervalLogWriterBuilder::new();
        builder
            .add_comment("response times of successful requests, in nanoseconds")
            .with_start_time(start)
            .with_base_time(start)
            .with_max_value_divisor(NANOSECONDS_A_SECOND);
        let mut writer = builder
            .begin_log_with(&mut lines, &mut self.serializer)
            .map_err(|error| failed(&error))?;
        writer
            .write_histogram(
                interval.latencies.histogram(),
                interval.began,
                interval.length,
                None,
            )
            .map_err(|error| failed(&format!("{error:?}")))?;
        let is_head = |line: &&[u8]| line.starts_with(b"#");
        let has_head = std::mem::replace(&mut self.has_head, true);
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            if !(has_head && is_head(&line)) {
                self.file.write_all(line).map_err(|error| failed(&error))?;
            }
        }
        let written = self.file.flush();
        written.map_err(|error| failed(&error))
    }
}
