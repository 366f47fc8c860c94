//! A qlog of each QUIC connection and end, as quinn writes it, in files of their own.
//!
//! quinn's are of qlog 0.3 (draft-ietf-quic-qlog-main-schema-02) as JSON text sequences (RFC 7464), the newest that qvis reads.
//! They have four events: `transport:packet_sent` and `transport:packet_received` (packet number, type and, of what is sent,
//! length; no frames), `recovery:metrics_updated` (windows, bytes in flight, round-trip times and PTOs in a row, whatever of
//! these has changed) and `recovery:packet_lost`. What quinn writes otherwise than the draft has it is mended here: whose end it
//! was, which it doesn't say, and the list of original URIs, which the draft's definition wants; the group of events, which changes with
//! the server's connection ID, so that a reader would see two connections, and the trigger of losses, which says `reordering_threshold` also
//! where it was time that told: both go; round-trip times, which it has in seconds where qlog has milliseconds; and a packet's whole
//! length, which it has in its header, where qlog's `length` is that of the header's field, which not all packets have: it goes to
//! `raw`, and from a lost packet, which has none in the draft. Events are put in the order of their times.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use pronghorn_flight::{End, monotonic_s};
use quinn::{QlogConfig, QlogStream};
use serde_json::{Value, json};

/// A folder into which connections write their qlogs: `client-0.sqlog`, `server-0.sqlog`, and so on by number.
#[derive(Debug)]
pub struct QlogFolder {
    folder: PathBuf,
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    files: usize,
    fault: Option<String>,
}

impl QlogFolder {
    /// The folder is made where it isn't there; fails where it can't be.
    pub fn new(folder: &Path) -> io::Result<Arc<QlogFolder>> {
        fs::create_dir_all(folder)?;
        Ok(Arc::new(QlogFolder {
            folder: folder.to_owned(),
            written: Mutex::default(),
        }))
    }

    /// How many files were begun. Each is whole once its connection and whoever holds it have gone.
    #[must_use]
    pub fn files(&self) -> usize {
        self.written().files
    }

    /// Why a file could not be written, where that happened.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.written().fault.clone()
    }

    /// Where a further connection is to write; none, and a fault, where there can't be a file.
    pub(crate) fn stream(self: &Arc<Self>, end: End) -> Option<QlogStream> {
        let file = match self.next_file(end) {
            Ok(file) => file,
            Err(error) => {
                self.failed(&error);
                return None;
            }
        };
        let start = Instant::now();
        let mut config = QlogConfig::default();
        config.start_time(start).writer(Box::new(Records {
            file: BufWriter::new(file),
            waiting: BTreeMap::new(),
            events: 0,
            record: Vec::new(),
            header: Some(Header { end, start }),
            folder: Arc::clone(self),
        }));
        config.into_stream()
    }

    fn next_file(&self, end: End) -> io::Result<File> {
        let end = name(end);
        let mut number = 0;
        loop {
            let path = self.folder.join(format!("{end}-{number}.sqlog"));
            match OpenOptions::new().write(true).create_new(true).open(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
                Ok(file) => {
                    self.written().files += 1;
                    return Ok(file);
                }
            }
        }
    }

    fn failed(&self, error: &io::Error) {
        let fault = || format!("{}: {error}", self.folder.display());
        self.written().fault.get_or_insert_with(fault);
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name(end: End) -> &'static str {
    match end {
        End::Client => "client",
        End::Server => "server",
    }
}

/// What the first record is to say.
struct Header {
    end: End,
    start: Instant,
}

/// How many events wait for earlier ones: quinn tells of a packet when it reads it, by the time at which it came, and may
/// have sent others meanwhile.
const WAITING: usize = 4096;

/// A file that takes records from quinn in pieces.
struct Records {
    file: BufWriter<File>,
    /// Events by their times, in milliseconds as the bits of a number that isn't negative, and by their order.
    waiting: BTreeMap<(u64, u64), Vec<u8>>,
    events: u64,
    /// What has come of the record so far.
    record: Vec<u8>,
    /// Until it is written.
    header: Option<Header>,
    folder: Arc<QlogFolder>,
}

impl Records {
    fn write_record(&mut self) -> io::Result<()> {
        let record = std::mem::take(&mut self.record);
        match self.header.take() {
            Some(header) => self.file.write_all(&headed(&record, &header)?)?,
            None => {
                let place = (time_of(&record).to_bits(), self.events);
                self.events += 1;
                self.waiting.insert(place, mended(&record).into_owned());
                self.write_events(WAITING)?;
            }
        }
        // Its memory serves the next one.
        self.record = record;
        self.record.clear();
        Ok(())
    }
}

impl Records {
    /// Writes the earliest events until no more than so many are left.
    fn write_events(&mut self, left: usize) -> io::Result<()> {
        while self.waiting.len() > left {
            if let Some((_, event)) = self.waiting.pop_first() {
                self.file.write_all(&event)?;
            }
        }
        Ok(())
    }
}

impl Write for Records {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.record.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.write_record()
                    .inspect_err(|error| self.folder.failed(error))?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file
            .flush()
            .inspect_err(|error| self.folder.failed(error))
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        let written = self.write_events(0).and_then(|()| self.file.flush());
        if let Err(error) = written {
            self.folder.failed(&error);
        }
    }
}

const SEPARATOR: u8 = 0x1e;

/// The first record, in which stand besides whose end it is and when its times began: since the epoch, and on the clock that
/// flights have.
fn headed(record: &[u8], header: &Header) -> io::Result<Vec<u8>> {
    let text = record.strip_prefix(&[SEPARATOR]).unwrap_or(record);
    let mut file: Value = serde_json::from_slice(text)?;
    let ago = header.start.elapsed();
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let began = since_epoch.unwrap_or_default().saturating_sub(ago);
    file["title"] = json!("Pronghorn");
    let trace = &mut file["trace"];
    trace["vantage_point"] = json!({ "name": "pronghorn, quinn", "type": name(header.end) });
    trace["common_fields"] = json!({
        "protocol_type": ["QUIC", "HTTP3"],
        "time_format": "relative",
        "reference_time": began.as_secs_f64() * 1e3,
    });
    trace["configuration"]["clock_base_monotonic_s"] = json!(monotonic_s(header.start));
    trace["configuration"]["original_uris"] = json!([]);
    let mut written = vec![SEPARATOR];
    serde_json::to_writer(&mut written, &file)?;
    written.push(b'\n');
    Ok(written)
}

/// The time of an event in milliseconds; 0 of a record that has none.
fn time_of(record: &[u8]) -> f64 {
    let text = std::str::from_utf8(record).unwrap_or_default();
    let after = text.split_once("\"time\":").map(|(_, after)| after);
    let number = after.and_then(|after| after.split([',', '}']).next());
    number
        .and_then(|number| number.parse().ok())
        .filter(|time: &f64| *time > 0.0)
        .unwrap_or(0.0)
}

/// An event as the draft has it.
fn mended(record: &[u8]) -> Cow<'_, [u8]> {
    let Ok(text) = std::str::from_utf8(record) else {
        return Cow::Borrowed(record);
    };
    let ungrouped = without_text(text, "group_id");
    let mended = if ungrouped.contains("\"recovery:metrics_updated\"") {
        RTTS.iter().fold(ungrouped, |object, name| {
            Cow::Owned(in_milliseconds(object, name))
        })
    } else if ungrouped.contains("\"recovery:packet_lost\"") {
        Cow::Owned(with_header_length(
            &without_text(&ungrouped, "trigger"),
            |_| String::new(),
        ))
    } else {
        let raw = |length: &str| format!(",\"raw\":{{\"length\":{length}}}");
        Cow::Owned(with_header_length(&ungrouped, raw))
    };
    Cow::Owned(mended.into_owned().into_bytes())
}

/// Members of `recovery:metrics_updated` that quinn has in seconds.
const RTTS: [&str; 4] = ["min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance"];

/// An object with a number of seconds made milliseconds, to the nanosecond.
fn in_milliseconds(object: Cow<'_, str>, name: &str) -> String {
    let member = format!("\"{name}\":");
    let found = object.find(&member).and_then(|start| {
        let value = start + member.len();
        let end = value + object.get(value..)?.find([',', '}'])?;
        let seconds: f64 = object.get(value..end)?.parse().ok()?;
        let milliseconds = (seconds * 1e9).round() / 1e6;
        Some(format!(
            "{}{milliseconds}{}",
            object.get(..value)?,
            object.get(end..)?
        ))
    });
    found.unwrap_or_else(|| object.into_owned())
}

/// An object whose header has no length, with what is made of that behind the header. The length is the
/// header's last member.
fn with_header_length(object: &str, make: impl FnOnce(&str) -> String) -> String {
    const MEMBER: &str = ",\"length\":";
    let found = object.find(MEMBER).and_then(|start| {
        let value = start + MEMBER.len();
        let end = value + object.get(value..)?.find('}')?;
        let length = object.get(value..end)?;
        length.parse::<u64>().ok()?;
        Some((object.get(..start)?, length, object.get(end + 1..)?))
    });
    match found {
        None => object.to_owned(),
        Some((before, length, after)) => format!("{before}}}{}{after}", make(length)),
    }
}

/// An object without its first member of this name, whose value is a text without escapes.
fn without_text<'a>(object: &'a str, name: &str) -> Cow<'a, str> {
    let member = format!("\"{name}\":\"");
    let found = object.find(&member).and_then(|start| {
        let value = start + member.len();
        let end = value + object.get(value..)?.find('"')? + 1;
        Some((object.get(..start)?, object.get(end..)?))
    });
    match found {
        None => Cow::Borrowed(object),
        Some((before, after)) => match after.strip_prefix(',') {
            Some(after) => Cow::Owned([before, after].concat()),
            None => Cow::Owned([before.strip_suffix(',').unwrap_or(before), after].concat()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(folder: &Path, file: &str) -> Vec<Value> {
        let text = fs::read(folder.join(file)).expect("the file is there");
        let records = text.split(|byte| *byte == SEPARATOR).skip(1);
        let parsed = records.map(|record| serde_json::from_slice(record).expect("JSON"));
        parsed.collect()
    }

    fn writer(folder: &Arc<QlogFolder>, end: End) -> Records {
        Records {
            file: BufWriter::new(folder.next_file(end).expect("a file")),
            waiting: BTreeMap::new(),
            events: 0,
            record: Vec::new(),
            header: Some(Header {
                end,
                start: Instant::now(),
            }),
            folder: Arc::clone(folder),
        }
    }

    const HEADER: &str = r#"{"qlog_version":"0.3","qlog_format":"JSON-SEQ","trace":{"vantage_point":{"type":"unknown"},"configuration":{"time_offset":0.0}}}"#;
    const LOST: &str = r#"{"time":1.5,"name":"recovery:packet_lost","data":{"header":{"packet_type":"1RTT","packet_number":7,"length":1200},"trigger":"reordering_threshold"},"group_id":"0a1b"}"#;

    #[test]
    fn events_are_written_in_the_order_of_their_times() {
        let place =
            std::env::temp_dir().join(format!("pronghorn-qlog-order-{}", std::process::id()));
        let folder = QlogFolder::new(&place).expect("a folder");
        let mut records = writer(&folder, End::Client);
        let mut text = format!("\u{1e}{HEADER}\n");
        for (time, name) in [
            ("2.5", "b"),
            ("10.0", "d"),
            ("9.75", "c"),
            ("0.0", "a"),
            ("10.0", "e"),
        ] {
            text += &format!("\u{1e}{{\"time\":{time},\"name\":\"{name}\"}}\n");
        }
        records.write_all(text.as_bytes()).expect("there is room");
        drop(records);
        let names = read(&place, "client-0.sqlog");
        let names = names.iter().filter_map(|record| record["name"].as_str());
        assert_eq!(names.collect::<String>(), "abcde");
        fs::remove_dir_all(&place).expect("it is ours");
    }

    #[test]
    fn a_member_goes_wherever_it_stands() {
        for (object, rest) in [
            (r#"{"x":"y","a":1}"#, r#"{"a":1}"#),
            (r#"{"a":1,"x":"y"}"#, r#"{"a":1}"#),
            (r#"{"a":1,"x":"y","b":2}"#, r#"{"a":1,"b":2}"#),
            (r#"{"x":""}"#, "{}"),
            (r#"{"a":"x"}"#, r#"{"a":"x"}"#),
        ] {
            assert_eq!(without_text(object, "x"), rest);
        }
    }

    #[test]
    fn what_quinn_has_otherwise_than_the_draft_is_mended() {
        for (written, meant) in [
            (
                r#"{"time":0.5,"name":"transport:packet_sent","data":{"header":{"packet_type":"1RTT","packet_number":7,"length":1200}},"group_id":"0a"}"#,
                r#"{"time":0.5,"name":"transport:packet_sent","data":{"header":{"packet_type":"1RTT","packet_number":7},"raw":{"length":1200}}}"#,
            ),
            (
                r#"{"time":0.5,"name":"transport:packet_received","data":{"header":{"packet_type":"1RTT","packet_number":7}},"group_id":"0a"}"#,
                r#"{"time":0.5,"name":"transport:packet_received","data":{"header":{"packet_type":"1RTT","packet_number":7}}}"#,
            ),
            (
                r#"{"time":0.5,"name":"recovery:packet_lost","data":{"header":{"packet_type":"1RTT","packet_number":7,"length":1200},"trigger":"reordering_threshold"}}"#,
                r#"{"time":0.5,"name":"recovery:packet_lost","data":{"header":{"packet_type":"1RTT","packet_number":7}}}"#,
            ),
            (
                r#"{"time":0.5,"name":"recovery:metrics_updated","data":{"min_rtt":0.04,"smoothed_rtt":0.0412345,"latest_rtt":3.1e-5,"rtt_variance":0.02,"pto_count":0,"congestion_window":12000}}"#,
                r#"{"time":0.5,"name":"recovery:metrics_updated","data":{"min_rtt":40,"smoothed_rtt":41.2345,"latest_rtt":0.031,"rtt_variance":20,"pto_count":0,"congestion_window":12000}}"#,
            ),
            (
                r#"{"time":0.5,"name":"recovery:metrics_updated","data":{"rtt_variance":0.02}}"#,
                r#"{"time":0.5,"name":"recovery:metrics_updated","data":{"rtt_variance":20}}"#,
            ),
        ] {
            let mended = mended(written.as_bytes()).into_owned();
            assert_eq!(String::from_utf8(mended).as_deref(), Ok(meant));
        }
    }

    #[test]
    fn records_come_in_pieces_and_say_whose_they_are_and_neither_group_nor_trigger() {
        let place = std::env::temp_dir().join(format!("pronghorn-qlog-{}", std::process::id()));
        let folder = QlogFolder::new(&place).expect("a folder");
        for end in [End::Client, End::Server, End::Server] {
            let mut records = writer(&folder, end);
            let whole = format!("\u{1e}{HEADER}\n\u{1e}{LOST}\n");
            for piece in whole.as_bytes().chunks(7) {
                records.write_all(piece).expect("there is room");
            }
        }
        assert_eq!((folder.files(), folder.fault()), (3, None));
        for (file, end) in [
            ("client-0.sqlog", "client"),
            ("server-0.sqlog", "server"),
            ("server-1.sqlog", "server"),
        ] {
            let records = read(&place, file);
            assert_eq!(records.len(), 2);
            let trace = &records[0]["trace"];
            assert_eq!(records[0]["qlog_version"], "0.3");
            assert_eq!(trace["vantage_point"]["type"], end);
            assert_eq!(trace["configuration"]["time_offset"], 0.0);
            assert!(trace["configuration"]["clock_base_monotonic_s"].is_f64());
            let since_epoch_ms = trace["common_fields"]["reference_time"].as_f64();
            assert!(since_epoch_ms > Some(1.6e12));
            assert_eq!(records[1]["data"]["header"]["packet_number"], 7);
            assert!(records[1]["data"].get("trigger").is_none());
            assert!(records[1].get("group_id").is_none());
        }
        fs::remove_dir_all(&place).expect("it is ours");
        assert!(folder.stream(End::Client).is_none(), "there is no folder");
        assert!(folder.fault().is_some_and(|fault| fault.contains("qlog")));
    }
}
