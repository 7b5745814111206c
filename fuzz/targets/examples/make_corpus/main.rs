//! Makes the corpora of the fuzz targets from games, a tournament and an agent on a real host:
//!
//! ```text
//! cargo run -p parlor-fuzz-targets --example make_corpus
//! ```
//!
//! It writes files whose names begin with `made_`, and removes earlier ones. Files with other names were found by the
//! fuzzer and stay. Tables get new ids each time, so run it when stored forms or messages have changed.

mod club;
mod messages;
mod stored;
mod texts;

use std::path::{Path, PathBuf};

use club::Club;

/// Maximum size of a file: larger ones make the fuzzer slow. They are left out.
const MAX_FILE_BYTES: usize = 24 << 10;
/// Beginning of the names of files that are made here.
const MADE: &str = "made_";

/// The folder of all corpora.
pub(crate) struct Corpus(PathBuf);

impl Corpus {
    /// Opens the folder, without the files of an earlier run.
    fn open() -> Corpus {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the fuzzer");
        let corpus = Corpus(fuzz.join("corpus"));
        for target in parlor_fuzz_targets::TARGETS {
            let folder = corpus.0.join(target.name);
            std::fs::create_dir_all(&folder).expect("a folder");
            for file in std::fs::read_dir(&folder).expect("a folder") {
                let path = file.expect("a file").path();
                let name = path.file_name().and_then(|name| name.to_str());
                if name.is_some_and(|name| name.starts_with(MADE)) {
                    std::fs::remove_file(&path).expect("a file that can be removed");
                }
            }
        }
        corpus
    }

    /// Writes a file of a target.
    pub(crate) fn add(&self, target: &str, name: &str, bytes: &[u8]) {
        if bytes.len() > MAX_FILE_BYTES {
            println!("{target}/{name}: {} bytes are too many, left out", bytes.len());
            return;
        }
        let path = self.0.join(target).join(format!("{MADE}{name}"));
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Writes a file that begins with a selector.
    pub(crate) fn add_selected(&self, target: &str, name: &str, selector: u8, bytes: &[u8]) {
        self.add(target, name, &[&[selector], bytes].concat());
    }
}

#[tokio::main]
async fn main() {
    let corpus = Corpus::open();
    let club = Club::open().await;
    let games = club.play_games().await;
    let tournament = club.play_tournament().await;
    club.connect_agent().await;
    messages::add_requests(&corpus, &games, &tournament);
    messages::add_stream_items(&corpus, &games);
    messages::add_records(&corpus, &games);
    texts::add_tokens(&corpus, &games);
    texts::add_tournament_files(&corpus);
    texts::add_settings_files(&corpus);
    texts::add_connections(&corpus);
    stored::add(&corpus, &club, &games).await;
    club.close().await;
}
