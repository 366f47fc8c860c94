//! Content of requests: sent whole, counted where it arrived, and told of where the server didn't wait for it.

use std::io::{Read, Write};
use std::net::TcpStream;

use pronghorn_load::FailureKind;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::server::{STATUS_200, Then, frame, h1, h1_response, h2, h2_response, start};
use crate::{failed_as, load};

/// Bytes of content: more than are read from a file at a time, and than HTTP/2's first window.
const CONTENT: usize = 200_000;

fn content() -> Vec<u8> {
    (0..CONTENT).map(|at| (at % 251) as u8).collect()
}

/// Reads so many bytes, or as many as come.
fn take(stream: &mut TcpStream, come: &mut Vec<u8>, length: usize) -> bool {
    let mut piece = [0; 65_536];
    while come.len() < length {
        match stream.read(&mut piece) {
            Ok(taken) if taken > 0 => come.extend_from_slice(&piece[..taken]),
            _ => return false,
        }
    }
    true
}

/// Answers each request once its content has come, with 200 where it is what it should be.
fn h1_upload(mut stream: TcpStream) {
    let mut come = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = come.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            let more = come.len() + 1;
            if !take(&mut stream, &mut come, more) {
                return;
            }
        };
        if !take(&mut stream, &mut come, head + CONTENT) {
            return;
        }
        let is_right = come[head..head + CONTENT] == content();
        come.drain(..head + CONTENT);
        let answer = h1_response(if is_right { 200 } else { 500 });
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

/// Likewise over HTTP/2, giving windows back as the content comes.
fn h2_upload(mut stream: TcpStream) {
    let mut come: std::collections::HashMap<u32, Vec<u8>> = std::collections::HashMap::new();
    let mut preface = [0; 24];
    if stream.read_exact(&mut preface).is_err() || stream.write_all(&frame(4, 0, 0, &[])).is_err() {
        return;
    }
    let mut head = [0; 9];
    while stream.read_exact(&mut head).is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let mut payload = vec![0; length as usize];
        if stream.read_exact(&mut payload).is_err() {
            return;
        }
        if head[3] != 0 {
            continue;
        }
        let received = come.entry(id).or_default();
        received.extend(&payload);
        let mut answer = frame(8, 0, 0, &length.to_be_bytes());
        answer.extend(frame(8, 0, id, &length.to_be_bytes()));
        if head[4] & 1 != 0 {
            let status = if *received == content() {
                STATUS_200
            } else {
                14
            };
            answer.extend(h2_response(id, status));
        }
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

fn file_of(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("it is written");
    file
}

fn target(port: u16, body: &NamedTempFile) -> Value {
    json!({"url": format!("http://127.0.0.1:{port}/"), "method": "POST", "body_file": body.path()})
}

#[test]
fn a_file_of_any_size_is_sent_whole_and_counts_once_for_each_success() {
    let body = file_of(&content());
    for (protocol, port) in [
        ("h1", start(|stream, _| h1_upload(stream))),
        ("h2", start(|stream, _| h2_upload(stream))),
    ] {
        let more = json!({"targets": [target(port, &body)], "streams": 3, "stop": {"requests": 9}});
        let report = load(protocol, port, more);
        assert_eq!(
            report.requests.succeeded, 9,
            "{protocol}: {:?}",
            report.failures
        );
        assert_eq!(report.bytes.uploaded, 9 * CONTENT as u64, "{protocol}");
        let rate = report.bytes_per_second.uploaded * report.window_s;
        assert!((rate - report.bytes.uploaded as f64).abs() < 1.0);
    }
}

#[test]
fn an_upload_that_is_answered_before_it_was_sent_is_no_success() {
    // Of holes: it is beyond whatever the sockets take.
    let body = NamedTempFile::new().expect("a file");
    body.as_file().set_len(1 << 30).expect("it has holes");
    let servers = [
        (
            "h1",
            start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes))),
        ),
        (
            "h2",
            start(|stream, _| h2(stream, |id, _| (h2_response(id, STATUS_200), Then::Goes))),
        ),
    ];
    for (protocol, port) in servers {
        let more = json!({"targets": [target(port, &body)], "stop": {"requests": 2}});
        let report = load(protocol, port, more);
        assert_eq!(
            failed_as(&report, FailureKind::Early),
            2,
            "{protocol}: {:?}",
            report.requests
        );
        assert_eq!(report.requests.statuses[&200], 2, "{protocol}");
        assert_eq!(report.bytes.uploaded, 0, "{protocol}");
    }
}

#[test]
fn a_file_that_becomes_shorter_is_this_hosts_fault() {
    let body = NamedTempFile::new().expect("a file");
    body.as_file().set_len(1 << 30).expect("it has holes");
    let (begun, is_begun) = std::sync::mpsc::channel();
    let port = start(move |mut stream, _| {
        let mut come = Vec::new();
        take(&mut stream, &mut come, 1);
        let _ = begun.send(());
        while take(&mut stream, &mut come, 1) {
            come.clear();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    });
    let file = body.reopen().expect("it is there");
    std::thread::spawn(move || {
        is_begun.recv().expect("a connection");
        file.set_len(1 << 20).expect("it is cut");
    });
    let more = json!({"targets": [target(port, &body)], "stop": {"requests": 1}});
    let report = load("h1", port, more);
    let detail = &report.failures[0].detail;
    assert!(detail.contains("a body's file can't be read"), "{detail}");
}
