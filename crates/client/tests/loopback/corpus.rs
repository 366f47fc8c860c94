//! The corpus of small pages in `tests/pages`, held against the requests that a real Chromium makes for each. What scripts
//! ask for is none of this loader's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use http::Method;
use pronghorn_http::Protocol;

use crate::scripted::{Answer, load_with};

/// Pages that are held against it end to end: two whose own host's name is settled when the site is built, and one that
/// shows a frame which a layout alone finds to be near.
const ELSEWHERE: [&str; 3] = ["lazy", "own-host", "shop"];

/// What Chromium asks for and this loader doesn't, and the other way round.
type Differences = (BTreeSet<String>, BTreeSet<String>);

fn answers(folder: &Path, toml: &toml::Table) -> Vec<(String, Answer)> {
    let words = |key: &str| -> Vec<String> {
        let list = toml.get(key).and_then(toml::Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(|word| word.as_str().map(str::to_owned))
            .collect()
    };
    let mut files: BTreeMap<String, Vec<u8>> = words("made")
        .into_iter()
        .map(|name| (name, b"made".to_vec()))
        .collect();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path
                .strip_prefix(folder)
                .expect("below")
                .to_str()
                .expect("text")
                .to_owned();
            files.insert(name, fs::read(path).expect("a file"));
        }
    }
    let encoding = toml.get("encoding").and_then(toml::Value::as_str);
    let mut answers = Vec::new();
    for (name, body) in files {
        let bare = name.split('?').next().unwrap_or(&name);
        let kind = match bare.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "html" => "text/html",
            "css" => "text/css",
            "js" | "mjs" => "text/javascript",
            "json" => "application/json",
            "svg" => "image/svg+xml",
            _ => "application/octet-stream",
        };
        let text = String::from_utf8_lossy(&body).into_owned();
        let body = match encoding.filter(|_| matches!(kind, "text/html" | "text/css")) {
            Some("utf-16") => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Some("windows-1252") => text
                .chars()
                .map(|c| if c == '€' { 0x80 } else { c as u8 })
                .collect(),
            _ => body,
        };
        let body = match encoding {
            Some("utf-16")
                if matches!(kind, "text/html" | "text/css") && !body.starts_with(b"\xff\xfe") =>
            {
                [b"\xff\xfe", &body[..]].concat()
            }
            _ => body,
        };
        let path = if name == "index.html" {
            "/".to_owned()
        } else {
            format!("/{name}")
        };
        let path = url::Url::parse("https://x.test/")
            .expect("a URL")
            .join(&path)
            .expect("a URL");
        let path = path[url::Position::BeforePath..].to_owned();
        answers.push((path, Answer::new(200, &[("content-type", kind)], body)));
    }
    answers
}

#[test]
fn the_corpus_of_pages_asks_for_what_chromium_asks_for() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pages");
    let mut differing: BTreeMap<String, Differences> = BTreeMap::new();
    for entry in fs::read_dir(&corpus).expect("the corpus") {
        let file = entry.expect("an entry").path();
        if file.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = file
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if ELSEWHERE.contains(&name.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("text");
        let toml: toml::Table = text.parse().expect("TOML");
        let scripted = toml
            .get("scripted")
            .and_then(toml::Value::as_array)
            .cloned()
            .unwrap_or_default();
        let scripted: BTreeSet<&str> = scripted.iter().filter_map(toml::Value::as_str).collect();
        let bare = |path: &str| path.split('?').next().unwrap_or(path).to_owned();
        let expected: BTreeSet<String> = toml["requests"]
            .as_table()
            .expect("a table")
            .keys()
            .filter(|path| !scripted.contains(path.as_str()))
            .map(|path| bare(path))
            .collect();
        let answers = answers(&file.with_extension(""), &toml);
        // A query that no file's name holds doesn't choose one.
        let answers: Vec<(&str, Answer)> = answers
            .iter()
            .map(|(path, answer)| (path.as_str(), answer.clone()))
            .collect();
        let loaded = load_with(Protocol::H2, &answers, &["/*"], Method::GET);
        let asked: BTreeSet<String> = loaded
            .page
            .resources
            .iter()
            .map(|one| bare(&one.path))
            .collect();
        // What is named as left out is a difference that the record tells.
        let left = loaded.page.left_out.iter().map(|one| {
            let url = url::Url::parse(&one.url).expect("a URL");
            url.path().to_owned()
        });
        let told: BTreeSet<String> = asked.iter().cloned().chain(left).collect();
        let missing: BTreeSet<String> = expected.difference(&told).cloned().collect();
        let more: BTreeSet<String> = asked.difference(&expected).cloned().collect();
        if !missing.is_empty() || !more.is_empty() {
            differing.insert(name, (missing, more));
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
}
