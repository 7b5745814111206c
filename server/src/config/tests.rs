//! The settings from each source, what is refused and how it is told, and the example file.

mod example;
mod refused;
mod sources;

use std::{ffi::OsString, path::PathBuf};

use clap::Parser;
use tempfile::TempDir;

use super::*;

/// A file, an environment and a command line.
struct Given {
    folder: TempDir,
    sources: Sources,
}

impl Given {
    fn new(file: &str, environment: &[(&str, &str)], flags: &[&str]) -> Given {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("parlor.toml");
        std::fs::write(&path, file).unwrap();
        let line = ["parlor-server", "--config", path.to_str().unwrap()];
        let line = line.iter().chain(flags);
        let environment =
            environment.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let sources =
            Sources { environment: environment.collect(), flags: Cli::try_parse_from(line).unwrap().flags };
        Given { folder, sources }
    }

    fn load(&self) -> Result<Settings, SettingsError> {
        Settings::load(&self.sources)
    }

    /// What is wrong with it, with the folder of the file left out.
    fn refused(&self) -> String {
        let error = self.load().unwrap_err().to_string();
        let folder = format!("{}/", self.folder.path().display());
        error.replace(&folder, "")
    }
}

fn loaded(file: &str, environment: &[(&str, &str)], flags: &[&str]) -> Settings {
    Given::new(file, environment, flags).load().unwrap()
}

fn path(text: &str) -> Option<PathBuf> {
    Some(PathBuf::from(text))
}
