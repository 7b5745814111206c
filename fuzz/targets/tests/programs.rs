//! Each target has a corpus and a program. Apart from the test `corpus`, which counts the panics of its process.

use std::collections::BTreeSet;
use std::path::Path;

use parlor_fuzz_targets::TARGETS;

/// The names of the files in a folder, without their extensions.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder entry").path());
    paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect()
}

#[test]
fn every_target_has_a_corpus_and_a_program() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the fuzzer");
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(names(&fuzz.join("corpus")), targets);
    assert_eq!(names(&fuzz.join("fuzz_targets")), targets);
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).expect("the manifest");
    for target in TARGETS {
        let program = std::fs::read_to_string(fuzz.join(format!("fuzz_targets/{}.rs", target.name)));
        assert!(program.expect("a program").contains(&format!("run(\"{}\"", target.name)));
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{} is built", target.name);
    }
}
