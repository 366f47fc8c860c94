//! What a file of targets may say.

use std::io::Write;

use serde_json::json;
use tempfile::NamedTempFile;

use super::*;
use crate::plan::places::uris;
use crate::spec::LoadSpec;

const URL: &str = "https://origin.test/";

fn file_of(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("it is written");
    file
}

fn targets(
    protocol: &str,
    file: Option<&Path>,
    targets: serde_json::Value,
) -> Result<Targets, LoadError> {
    let spec = json!({
        "targets": targets, "protocol": protocol, "congestion_control": {}, "stop": {"requests": 1},
    });
    let spec: LoadSpec = serde_json::from_value(spec).expect("a specification");
    let (uris, server) = uris(&spec)?;
    match file {
        None => Targets::ready(&spec.targets, &uris, spec.protocol),
        Some(file) => Targets::of_file(file, &spec.targets[0], &uris[0], server, spec.protocol),
    }
}

#[test]
fn lines_of_a_file_are_sent_as_the_same_targets_in_the_specification_are() {
    let lines = [
        json!({"url": format!("{URL}a?b")}),
        json!({"url": format!("{URL}c"), "method": "POST", "headers": [["x", "y"]], "body": "aGVsbG8="}),
        json!({"url": format!("{URL}d"), "weight": 2}),
    ];
    let file = file_of(&format!("/a?b\n{}\n{}", lines[1], lines[2]));
    for protocol in ["h1", "h2", "h3"] {
        let written = targets(protocol, None, json!(lines)).expect("targets");
        let read = targets(protocol, Some(file.path()), json!([{"url": URL}])).expect("targets");
        assert_eq!((written.cycle(), read.cycle()), (4, 4));
        for place in 0..4 {
            let (one, other) = (
                written.get(place).expect("one"),
                read.get(place).expect("one"),
            );
            assert_eq!(one.encoded, other.encoded, "{protocol}, {place}");
            assert_eq!(
                (one.content.len(), one.head_bytes),
                (other.content.len(), other.head_bytes)
            );
        }
    }
}

#[test]
fn the_first_target_says_what_a_path_alone_does_not() {
    let first = json!([{"url": URL, "method": "PUT", "headers": [["x", "y"]], "body": "aGVsbG8="}]);
    let read = targets("h1", Some(file_of("/a\n").path()), first).expect("targets");
    let request = read.get(0).expect("one");
    let head = String::from_utf8_lossy(&request.encoded);
    assert!(
        head.starts_with("PUT /a HTTP/1.1\r\n") && head.contains("\r\nx: y\r\n"),
        "{head}"
    );
    assert_eq!(request.content.len(), 5);
}

#[test]
fn a_wrong_line_is_told_of_before_anything_is_sent() {
    for (text, said) in [
        ("", "target_file: it has no line"),
        ("/a\n\n", "target_file, line 2: ``"),
        ("/a\n/b c\n", "target_file, line 2: `/b c`"),
        (
            "{\"url\": \"https://elsewhere.test/\"}",
            "target_file, line 1: https://elsewhere.test:443 is another",
        ),
        (
            "{\"url\": \"https://origin.test/\", \"weight\": 0}",
            "target_file, line 1.weight: 0; allowed is 1 or more",
        ),
        (
            "{\"url\": \"https://origin.test/\", \"method\": \"CONNECT\"}",
            "target_file, line 1.method: ",
        ),
    ] {
        let found = targets("h2", Some(file_of(text).path()), json!([{"url": URL}]));
        let found = found.expect_err("it is wrong").to_string();
        assert!(found.starts_with(said), "{found}");
    }
    for (path, said) in [("/nowhere", "No such file"), ("/", "no regular file")] {
        let found = targets("h2", Some(Path::new(path)), json!([{"url": URL}]));
        let found = found.expect_err("it is no list").to_string();
        assert!(
            found.starts_with(&format!("{path}: ")) && found.contains(said),
            "{found}"
        );
    }
    let weightless = json!([{"url": URL}, {"url": URL, "weight": 0}]);
    let found = targets("h2", None, weightless).expect_err("it is wrong");
    assert_eq!(
        found.to_string(),
        "targets[1].weight: 0; allowed is 1 or more, or leave the target out"
    );
}

#[test]
fn a_line_is_read_to_a_bound() {
    let file = NamedTempFile::new().expect("a file");
    // One line of holes, longer than the machine has memory.
    file.as_file().set_len(1 << 38).expect("it has holes");
    let found = targets("h2", Some(file.path()), json!([{"url": URL}]));
    assert_eq!(
        found.expect_err("it is too long").to_string(),
        "target_file, line 1: it is longer than 33554432 bytes; name long bodies by `body_file`"
    );
}

#[test]
fn a_million_lines_take_eight_bytes_each() {
    let text: String = (0..1_000_000)
        .map(|number| format!("/shop/item/{number}?a=b\n"))
        .collect();
    let read = targets("h3", Some(file_of(&text).path()), json!([{"url": URL}])).expect("targets");
    assert_eq!(read.cycle(), 1_000_000);
    let Source::Lines(lines) = &read.source else {
        panic!("they are read from a file");
    };
    assert!(lines.bounds.capacity() <= 1_100_000);
    assert!(matches!(read.order, Order::EachOnce(_)));
    assert!(read.get(999_999).is_ok());
}
