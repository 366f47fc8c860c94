//! Whole captures, fed by hand.

use pronghorn_path::{DropCause, Marks, Time};

use super::*;
use crate::driver::tap::{Delivery, Dropping, Leaving};

const KEYS: &str =
    "# made by hand\nCLIENT_RANDOM aa bb\n\nCLIENT_RANDOM aa bb\r\nCLIENT_RANDOM cc dd\n";

fn leaving(number: u64, at: u64) -> Leaving {
    Leaving {
        number,
        at: Time(at),
        arrived: Time(0),
        reached: Time(at),
        due: Time(at),
        marks: Marks::default(),
        delivery: Delivery::Taken,
    }
}

/// The blocks' types, and where each begins.
fn blocks(file: &[u8]) -> Vec<(u32, usize)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < file.len() {
        found.push((word(at), at));
        at += word(at + 4) as usize;
    }
    assert_eq!(at, file.len());
    found
}

fn contains(file: &[u8], text: &str) -> bool {
    file.windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[test]
fn what_is_no_file_is_never_replaced() {
    let device = Path::new("/dev/null");
    let refused = Capture::start(device, &PathSpec::default(), "");
    assert!(matches!(refused, Err(CaptureError::NoFile(_))));
}

#[test]
fn secrets_stand_before_packets_and_packets_in_order_of_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("path.pcapng");
    let path = PathSpec::default();
    let (capture, mut taps) = Capture::start(&file, &path, "seed 7").expect("a capture");
    taps.up.entered(0, Time(10), &[0x45, 1]);
    taps.down.entered(0, Time(15), &[0x45, 2]);
    taps.up.left(&leaving(0, 20), &[0x45, 1]);
    taps.up.entered(1, Time(18), &[0x45, 3]);
    let lost = Dropping {
        number: 1,
        arrived: Time(18),
        at: Time(18),
        cause: DropCause::Loss,
        marks: Marks::default(),
    };
    taps.up.dropped(&lost, &[0x45, 3]);
    drop(taps);
    let report = capture.finish(KEYS).expect("a file");

    let expected = CaptureReport {
        packets: 4,
        lost_records: 0,
        secrets: 2,
    };
    assert_eq!(report, expected);
    let bytes = fs::read(&file).expect("the file");
    let found = blocks(&bytes);
    let types: Vec<u32> = found.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(types, [0x0a0d_0d0a, 1, 1, 10, 6, 6, 6, 6, 5, 5]);
    let packets: Vec<(u8, u8)> = found[4..8]
        .iter()
        .map(|(_, at)| (bytes[at + 8], bytes[at + 29]))
        .collect();
    assert_eq!(
        packets,
        [(0, 1), (1, 2), (0, 3), (1, 1)],
        "interface and second byte"
    );
    for text in [
        "seed 7",
        "records lost by the capture: 0",
        "dropped: loss",
        "CLIENT_RANDOM cc dd\n",
    ] {
        assert!(contains(&bytes, text), "{text}");
    }
    let names: Vec<_> = fs::read_dir(folder.path())
        .expect("the folder")
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    assert_eq!(names, ["path.pcapng"]);
}

#[test]
fn without_secrets_there_is_no_block_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("path.pcapng");
    let (capture, taps) = Capture::start(&file, &PathSpec::default(), "").expect("a capture");
    drop(taps);
    assert_eq!(capture.finish("").expect("a file").secrets, 0);
    let types: Vec<u32> = blocks(&fs::read(&file).expect("the file"))
        .iter()
        .map(|(kind, _)| *kind)
        .collect();
    assert_eq!(types, [0x0a0d_0d0a, 1, 1, 5, 5]);
}

#[test]
fn a_capture_ends_though_its_taps_are_still_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("path.pcapng");
    let (capture, mut taps) = Capture::start(&file, &PathSpec::default(), "").expect("a capture");
    taps.up.entered(0, Time(10), &[0x45]);
    assert_eq!(capture.finish("").expect("a file").packets, 1);
    taps.up.entered(1, Time(11), &[0x45]);
}

#[test]
fn an_unfinished_capture_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (capture, _taps) =
        Capture::start(&folder.path().join("x"), &PathSpec::default(), "").expect("a capture");
    drop(capture);
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

#[test]
fn a_folder_that_is_not_there_is_told_at_the_start() {
    let error = Capture::start(Path::new("/nowhere/x.pcapng"), &PathSpec::default(), "")
        .expect_err("no such folder");
    assert!(
        error
            .to_string()
            .starts_with("cannot write /nowhere/x.pcapng: "),
        "{error}"
    );
}
