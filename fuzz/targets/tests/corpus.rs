//! Every file of the corpora, as a plain test: what the fuzzer found once is never found again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use parlor_fuzz_targets::{FuzzTarget, TARGETS};

/// Maximum size of a corpus file. Small files keep the fuzzer quick.
const MAX_FILE_BYTES: usize = 64 << 10;

/// Panics in any thread or task. Those in a task of the server are not passed on.
static PANICS: AtomicU32 = AtomicU32::new(0);

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the fuzzer").to_owned()
}

/// The files of a folder in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder entry").path()).collect();
    files.sort();
    files
}

/// Runs the corpus of a target. Returns the number of its files and of their bytes.
fn run_corpus(target: FuzzTarget) -> (usize, usize) {
    let files = files(&fuzz_folder().join("corpus").join(target.name));
    assert!(!files.is_empty(), "the corpus of {} is empty", target.name);
    let mut bytes = 0;
    for file in &files {
        let input = std::fs::read(file).expect("a corpus file");
        assert!(input.len() <= MAX_FILE_BYTES, "{} is too large", file.display());
        bytes += input.len();
        let run = std::panic::catch_unwind(|| (target.run)(&input));
        let panics = PANICS.swap(0, Ordering::Relaxed);
        assert!(run.is_ok() && panics == 0, "{} panics", file.display());
    }
    (files.len(), bytes)
}

#[test]
fn corpus_of_every_target_runs() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        default_hook(info);
    }));
    let mut all = 0;
    for target in TARGETS {
        let (files, bytes) = run_corpus(*target);
        println!("{}: {files} files, {bytes} bytes", target.name);
        all += files;
    }
    println!("{} targets, {all} files", TARGETS.len());
}
