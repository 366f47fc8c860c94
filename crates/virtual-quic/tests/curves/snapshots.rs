//! Every controller's window over every pattern, as it is kept in `snapshots/CONTROLLER/PATTERN.txt`.
//!
//! quinn's CUBIC takes cube roots, for which Rust asks the platform's libm. Windows are whole bytes and change by whole
//! datagrams, so that another libm's last digit hardly ever shows; where it does, a snapshot is right on one platform only.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pronghorn_http::QuicCongestionControl;
use pronghorn_virtual_quic::{Point, Record, thinned};

use crate::harness::{CONTROLLERS, reductions, run};
use crate::patterns;

/// Set to 1, it has the snapshots written anew.
const RENEW: &str = "PRONGHORN_RENEW_SNAPSHOTS";

#[test]
fn cubic_s_windows_are_those_kept() {
    check(QuicCongestionControl::Cubic);
}

#[test]
fn newreno_s_windows_are_those_kept() {
    check(QuicCongestionControl::NewReno);
}

#[test]
fn bbr_s_windows_are_those_kept() {
    check(QuicCongestionControl::Bbr);
}

#[test]
fn every_snapshot_has_its_pattern() {
    let names: BTreeSet<String> = patterns::all()
        .iter()
        .map(|pattern| format!("{}.txt", pattern.name))
        .collect();
    for controller in CONTROLLERS {
        let folder = folder(controller);
        let kept: BTreeSet<String> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        assert_eq!(kept, names, "{}", folder.display());
    }
}

fn check(controller: QuicCongestionControl) {
    let mut differing = String::new();
    for pattern in patterns::all() {
        let found = render(&run(controller, &pattern));
        let path = folder(controller).join(format!("{}.txt", pattern.name));
        if std::env::var_os(RENEW).is_some_and(|value| value == "1") {
            write(&path, &found);
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        if kept != found {
            let _ = writeln!(
                differing,
                "{}\n{}",
                path.display(),
                difference(&kept, &found)
            );
        }
    }
    assert!(
        differing.is_empty(),
        "{RENEW}=1 writes these anew, where the change is wanted:\n{differing}"
    );
}

fn folder(controller: QuicCongestionControl) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/curves/snapshots")
        .join(controller.to_string())
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a folder");
    std::fs::create_dir_all(folder).expect("the folder");
    std::fs::write(path, text).expect("the snapshot");
}

fn render(record: &Record) -> String {
    let mut text = format!(
        "{} bytes, the last at {} ms\n\
         packets lost: {}, by the queue: {}; windows reduced: {}\n\n\
         {:>9} {:>9}\n",
        record.bytes,
        ms(record.last_byte),
        record.server.path.lost_packets,
        record.down.queue_dropped,
        reductions(&record.samples).len(),
        "ms",
        "bytes",
    );
    for Point { at, window } in thinned(&record.samples) {
        let _ = writeln!(text, "{:>9} {window:>9}", ms(at));
    }
    text
}

/// Milliseconds, cut off after a tenth.
fn ms(time: Duration) -> String {
    let tenths = time.as_micros() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The first lines that differ, with those before.
fn difference(kept: &str, found: &str) -> String {
    const AROUND: usize = 3;
    let same = kept
        .lines()
        .zip(found.lines())
        .take_while(|(one, other)| one == other)
        .count();
    let mut text = String::new();
    for (name, lines) in [("kept", kept), ("found", found)] {
        let _ = writeln!(text, "  {name}, from line {}:", same + 1);
        for line in lines.lines().skip(same).take(AROUND) {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}
