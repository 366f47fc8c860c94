//! Reads from Cargo.lock the versions of the libraries that manifests name.

use std::fmt::Write;
use std::path::Path;

const NAMED: [&str; 10] = [
    "aws-lc-rs",
    "h2",
    "hickory-proto",
    "hyper",
    "quinn",
    "quinn-proto",
    "quinn-udp",
    "rustls",
    "s2n-quic",
    "tokio",
];

fn main() {
    // Where the crate is built, which needn't be where this script was compiled.
    let crate_root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let lock = Path::new(&crate_root).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(&lock).expect("the workspace has a Cargo.lock");
    let mut code = String::from("BTreeMap::from([");
    for package in text.split("[[package]]") {
        let value = |key: &str| {
            let line = package.lines().find(|line| line.starts_with(key))?;
            Some(line.split('"').nth(1)?.to_owned())
        };
        if let (Some(name), Some(version)) = (value("name = "), value("version = ")) {
            if NAMED.contains(&name.as_str()) {
                let _ = write!(code, "({name:?}, {version:?}),");
            }
        }
    }
    code.push_str("])");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("libraries.rs"), code).expect("OUT_DIR is writable");
}
