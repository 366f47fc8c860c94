//! Content counts as it comes, whether or not its response comes to an end.

use std::io::Write;
use std::time::Duration;

use pronghorn_load::FailureKind;
use serde_json::{Value, json};

use crate::server::{Then, frame, h1, h2, start};
use crate::{failed_as, load};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n";

/// Half a download in the window, whose other half never comes.
fn check(protocol: &str, port: u16, content: u64) {
    let more = json!({"stop": {"duration_s": 1.0}, "limit_s": 1.1});
    let report = load(protocol, port, more);
    assert_eq!(failed_as(&report, FailureKind::Cut), 1);
    assert_eq!(report.bytes.payload, content);
    let rate = report.bytes_per_second.payload;
    assert!(
        (rate * report.window_s - content as f64).abs() < 1.0,
        "{rate} B/s"
    );
}

#[test]
fn what_came_of_a_download_over_http_1_counts() {
    let port = start(|stream, _| h1(stream, |_| ([HEAD, &[b'x'; 50_000]].concat(), Then::Goes)));
    check("h1", port, 50_000);
}

#[test]
fn what_came_of_a_download_over_http_2_counts_without_its_padding() {
    let port = start(|stream, _| {
        h2(stream, |id, _| {
            // Padded by four bytes.
            let padded = [&[4][..], &[b'x'; 8000], &[0; 4]].concat();
            let bytes = [
                frame(1, 0x4, id, &[0x88]),
                frame(0, 0x8, id, &padded),
                frame(0, 0, id, &[b'x'; 16_000]),
            ];
            (bytes.concat(), Then::Goes)
        })
    });
    check("h2", port, 24_000);
}

#[test]
fn what_came_before_the_window_does_not_count() {
    let port = start(|stream, _| {
        let mut content = stream.try_clone().expect("a descriptor");
        h1(stream, move |_| {
            let first = [HEAD, &[b'x'; 20_000]].concat();
            content.write_all(&first).expect("it is read");
            std::thread::sleep(Duration::from_millis(1000));
            (vec![b'x'; 30_000], Then::Goes)
        });
    });
    let more = json!({
        "warm_up": {"duration_s": 0.5}, "stop": {"duration_s": 1.0}, "limit_s": 1.6,
    });
    let report = load("h1", port, more);
    assert_eq!(report.bytes.payload, 30_000);
    assert_eq!(report.requests.sent, 0, "it was the warm-up's");
}

#[test]
fn progress_tells_of_content_as_it_comes() {
    let port = start(|stream, _| h1(stream, |_| ([HEAD, &[b'x'; 50_000]].concat(), Then::Goes)));
    let spec: Value = json!({
        "targets": [{"url": format!("http://127.0.0.1:{port}/")}],
        "protocol": "h1", "congestion_control": {}, "stop": {"duration_s": 0.8}, "limit_s": 0.9, "progress_s": 0.5,
    });
    let spec = serde_json::from_value(spec).expect("a specification");
    let load = pronghorn_load::Load::new(&spec).expect("it can be");
    let mut told = Vec::new();
    load.run(|progress| told.push((progress.elapsed_s, progress.payload_per_second)))
        .expect("it runs");
    let mut before = 0.0;
    let mut sum = 0.0;
    for (elapsed, rate) in told {
        sum += rate * (elapsed - before);
        before = elapsed;
    }
    assert!((sum - 50_000.0).abs() < 1.0, "{sum} bytes");
}
