//! Every target survives what is stored for it in `fuzz/corpus/`, the folder of its name.

use std::fs;
use std::path::Path;

use pronghorn_fuzz_targets::TARGETS;

#[test]
fn every_stored_input_passes_its_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (name, target) in TARGETS {
        let folder = corpus.join(name);
        let inputs = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("a folder can be listed").path());
        let mut replayed = 0;
        for input in inputs {
            eprintln!("{}", input.display()); // shown where the target panics
            target(&fs::read(&input).expect("an input can be read"));
            replayed += 1;
        }
        assert!(replayed > 0, "{} holds no input", folder.display());
    }
}

#[test]
fn every_target_has_a_program_for_the_fuzzer() {
    let manifest = include_str!("../../../fuzz/Cargo.toml");
    for (name, _) in TARGETS {
        let path = format!("path = \"fuzz_targets/{name}.rs\"");
        assert!(manifest.contains(&path), "fuzz/Cargo.toml lacks {name}");
    }
}
