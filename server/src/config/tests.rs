//! Settings of each source, errors, and the example file.

mod errors;
mod example;
mod sources;

use std::{ffi::OsString, path::PathBuf};

use clap::Parser;
use tempfile::TempDir;

use super::*;

/// A file, an environment and a command line.
struct TestSources {
    folder: TempDir,
    sources: Sources,
}

impl TestSources {
    fn new(file: &str, environment: &[(&str, &str)], flags: &[&str]) -> TestSources {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("parlor.toml");
        std::fs::write(&path, file).unwrap();
        let line = ["parlor-server", "--config", path.to_str().unwrap()];
        let line = line.iter().chain(flags);
        let environment =
            environment.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let sources =
            Sources { environment: environment.collect(), flags: Cli::try_parse_from(line).unwrap().flags };
        TestSources { folder, sources }
    }

    fn load(&self) -> Result<Settings, SettingsError> {
        Settings::load(&self.sources)
    }

    /// The error of loading, without the folder of the file.
    fn load_error(&self) -> String {
        let error = self.load().unwrap_err().to_string();
        let folder = format!("{}/", self.folder.path().display());
        error.replace(&folder, "")
    }
}

fn load(file: &str, environment: &[(&str, &str)], flags: &[&str]) -> Settings {
    TestSources::new(file, environment, flags).load().unwrap()
}

fn path(text: &str) -> Option<PathBuf> {
    Some(PathBuf::from(text))
}
