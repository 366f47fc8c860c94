//! Which targets are asked for, and how they are written.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use pronghorn_load::{Load, LoadSpec};
use serde_json::{Value, json};

use crate::load;
use crate::server::{Then, h1, h1_response, start};

/// A stream that notes what is read.
struct Noted<S> {
    stream: S,
    notes: Arc<Mutex<Vec<u8>>>,
    read: Vec<u8>,
}

impl<S: Read> Read for Noted<S> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let length = self.stream.read(piece)?;
        self.read.extend_from_slice(&piece[..length]);
        Ok(length)
    }
}

impl<S: Write> Write for Noted<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl<S> Drop for Noted<S> {
    fn drop(&mut self) {
        self.notes
            .lock()
            .expect("nobody panics")
            .append(&mut self.read);
    }
}

/// How often a load of these paths asks for each of what comes, once all its connections have ended.
fn asked(paths: &[String], mut more: Value) -> BTreeMap<String, usize> {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let seen = notes.clone();
    let (ended, all) = std::sync::mpsc::channel();
    let port = start(move |stream, _| {
        let noted = Noted {
            stream,
            notes: seen.clone(),
            read: Vec::new(),
        };
        h1(noted, |_| (h1_response(200), Then::Goes));
        let _ = ended.send(());
    });
    let targets = paths
        .iter()
        .map(|path| json!({"url": format!("http://127.0.0.1:{port}{path}")}));
    more["targets"] = targets.collect();
    let report = load("h1", port, more);
    for _ in 0..report.connections.attempted {
        all.recv().expect("every connection ends");
    }
    let notes = notes.lock().expect("nobody panics");
    let text = String::from_utf8_lossy(&notes);
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["GET", path, "HTTP/1.1"] = words[..] {
            *found.entry(path.to_owned()).or_default() += 1;
        }
    }
    found
}

#[test]
fn a_closed_loop_s_connections_walk_the_list_together() {
    let paths: Vec<String> = (0..100).map(|number| format!("/{number}")).collect();
    for threads in [1, 2] {
        let more = json!({"connections": 8, "threads": threads, "stop": {"requests": 100}});
        let found = asked(&paths, more);
        assert_eq!(found.len(), 100, "{threads} threads: {found:?}");
        assert!(found.values().all(|times| *times == 1), "{found:?}");
    }
}

#[test]
fn what_is_sent_is_what_was_written() {
    let paths = ["/x?", "/a/../x", "/./%7e/%2E%2e", "//x", "/x?a=[1]|~", "?q"];
    let paths: Vec<String> = paths.map(str::to_owned).into();
    let found = asked(&paths, json!({"stop": {"requests": 6}}));
    let mut expected = paths;
    expected[5] = "/?q".to_owned();
    expected.sort();
    assert_eq!(found.into_keys().collect::<Vec<_>>(), expected);
}

#[test]
fn te_trailers_belongs_to_http_2_and_3() {
    let begins = |protocol: &str, value: &str| {
        let spec = json!({
            "targets": [{"url": "https://127.0.0.1/", "headers": [["te", value]]}],
            "protocol": protocol,
            "tls": {"insecure": true},
            "congestion_control": {},
            "stop": {"requests": 1},
        });
        let spec: LoadSpec = serde_json::from_value(spec).expect("a specification");
        Load::new(&spec).is_ok()
    };
    assert!(begins("h2", "trailers") && begins("h3", "trailers"));
    assert!(!begins("h1", "trailers") && !begins("h2", "gzip") && !begins("h3", "gzip"));
}
