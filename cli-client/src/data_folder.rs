//! The client's data folder: small JSON files that only the user can read.
//!
//! The folder is `$PARLOR_CLIENT_DATA`, else `$XDG_DATA_HOME/parlor`, else `~/.local/share/parlor`. It is created with mode
//! 0700, and its files with mode 0600. A file is replaced as a whole, so that a reader never sees half of it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::{Environment, read_limited};
use crate::errors::Failure;
use crate::exit::Exit;

/// Variable that names another folder.
const VARIABLE: &str = "PARLOR_CLIENT_DATA";

/// Maximum size of a file, as [`read_limited`] reads it.
const MAX_FILE_BYTES: usize = 1024 * 1024;

/// The data folder of one user. It is created by the first write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DataFolder(PathBuf);

impl DataFolder {
    /// Locates the folder.
    ///
    /// # Errors
    ///
    /// Neither the folder nor a home is named in the environment.
    pub(crate) fn locate(environment: &Environment) -> Result<DataFolder, Failure> {
        let folder = |name| environment.variable(name).map(PathBuf::from);
        // The XDG specification ignores relative paths.
        let shared = || folder("XDG_DATA_HOME").filter(|path| path.is_absolute());
        let own = || {
            shared().or_else(|| Some(folder("HOME")?.join(".local/share"))).map(|path| path.join("parlor"))
        };
        folder(VARIABLE).or_else(own).map(DataFolder).ok_or_else(|| {
            Failure::usage(
                format!("there is no folder for the data of parlor: set HOME or {VARIABLE}"),
                format!("Für die Daten von parlor gibt es keinen Ordner: Setze HOME oder {VARIABLE}"),
            )
        })
    }

    /// Reads a file such as `seats.json`; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is larger than 1 MiB, or has another form.
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Failure> {
        let path = self.0.join(name);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failure(name, &error)),
        };
        let bytes = read_limited(file, &path.display().to_string())?;
        // The error of the parser quotes the text, which may be secret: only its place is shown.
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            self.failure(name, format_args!("line {}, column {}", error.line(), error.column()))
        })
    }

    /// Reads a file, changes its value, and replaces it. Concurrent changes, of this and other processes, wait for each
    /// other. A file that does not exist has the default value.
    ///
    /// # Errors
    ///
    /// As [`read`](DataFolder::read); and the value is larger than 1 MiB as JSON, or the file cannot be written. It is then
    /// as it was.
    pub(crate) fn update<T, R>(&self, name: &str, change: impl FnOnce(&mut T) -> R) -> Result<R, Failure>
    where
        T: Serialize + DeserializeOwned + Default,
    {
        let _lock = self.lock(name)?;
        let mut value = self.read(name)?.unwrap_or_default();
        let changed = change(&mut value);
        self.replace(name, &value)?;
        Ok(changed)
    }

    /// Appends a line to a file, which may have up to `max_bytes`.
    ///
    /// # Errors
    ///
    /// The file cannot be written, or is full.
    pub(crate) fn append_line(&self, name: &str, line: &str, max_bytes: u64) -> Result<(), Failure> {
        let _lock = self.lock(name)?;
        let append = || {
            let mut file = private_file().append(true).open(self.0.join(name))?;
            if file.metadata()?.len() + line.len() as u64 >= max_bytes {
                return Err(io::Error::other(format!("> {max_bytes} bytes")));
            }
            file.write_all(format!("{line}\n").as_bytes())
        };
        append().map_err(|error| self.failure(name, &error))
    }

    /// Locks a file until the lock is dropped. The lock is a file of its own, because the file itself is replaced.
    fn lock(&self, name: &str) -> Result<File, Failure> {
        let lock = || {
            folder_builder().create(&self.0)?;
            let file = private_file().truncate(false).open(self.0.join(format!("{name}.lock")))?;
            file.lock()?;
            Ok(file)
        };
        lock().map_err(|error: io::Error| self.failure(name, &error))
    }

    /// Writes a new file, and renames it. The caller holds the lock.
    fn replace<T: Serialize>(&self, name: &str, value: &T) -> Result<(), Failure> {
        let replace = || {
            let mut bytes = serde_json::to_vec_pretty(value)?;
            bytes.push(b'\n');
            if bytes.len() > MAX_FILE_BYTES {
                return Err(io::Error::other(format!("> {MAX_FILE_BYTES} bytes")));
            }
            let new = self.0.join(format!("{name}.new"));
            // One that a crash left behind might have another mode.
            if let Err(error) = fs::remove_file(&new)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error);
            }
            let mut file = private_file().create_new(true).open(&new)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&new, self.0.join(name))
        };
        replace().map_err(|error| self.failure(name, &error))
    }

    fn failure(&self, name: &str, why: impl std::fmt::Display) -> Failure {
        let path = self.0.join(name);
        let path = path.display();
        Failure::new(
            Exit::Failure,
            "DATA_FOLDER",
            format!("cannot use {path} ({why}): check its permissions, or remove it"),
            format!("{path} lässt sich nicht benutzen ({why}): Prüfe die Rechte, oder entferne sie"),
        )
    }
}

/// Creates folders that only the user can enter.
fn folder_builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Opens files for writing that only the user can read.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    const FILE: &str = "numbers.json";

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::from_variables(
            variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))),
        )
    }

    #[test]
    fn folder_is_located_by_its_variable_then_xdg_then_home() {
        for (variables, expected) in [
            (&[("HOME", "/home/ada")][..], "/home/ada/.local/share/parlor"),
            (&[("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data")], "/data/parlor"),
            (&[("HOME", "/home/ada"), ("XDG_DATA_HOME", "data")], "/home/ada/.local/share/parlor"),
            (&[("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data"), (VARIABLE, "/own")], "/own"),
        ] {
            assert_eq!(DataFolder::locate(&environment(variables)).unwrap().0, PathBuf::from(expected));
        }
        assert_eq!(DataFolder::locate(&environment(&[])).unwrap_err().exit(), Exit::Usage);
    }

    #[test]
    fn values_are_written_and_read_back() {
        let home = tempfile::tempdir().unwrap();
        let folder = DataFolder(home.path().join("a/parlor"));
        assert_eq!(folder.read::<Vec<u32>>(FILE).unwrap(), None);
        folder.update(FILE, |numbers: &mut Vec<u32>| numbers.extend([1, 2])).unwrap();
        assert_eq!(folder.read(FILE).unwrap(), Some(vec![1, 2]));
        assert_eq!(folder.update(FILE, |numbers: &mut Vec<u32>| numbers.pop()).unwrap(), Some(2));
        assert_eq!(folder.read(FILE).unwrap(), Some(vec![1]));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_what_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let folder = DataFolder(home.path().join("parlor"));
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for _ in 0..2 {
            folder.update(FILE, |number: &mut u32| *number += 1).unwrap();
            assert_eq!((mode(folder.0.clone()), mode(folder.0.join(FILE))), (0o700, 0o600));
        }
    }

    #[test]
    fn damaged_and_oversized_files_are_refused_without_their_contents() {
        let home = tempfile::tempdir().unwrap();
        let folder = DataFolder(home.path().to_owned());
        fs::write(home.path().join(FILE), "[1, \"secret\"]").unwrap();
        let failure = folder.read::<Vec<u32>>(FILE).unwrap_err();
        let text = failure.message(parlor_engine::Lang::En).unwrap();
        assert!(text.contains(FILE) && text.contains("line 1") && !text.contains("secret"), "{text}");
        fs::write(home.path().join(FILE), vec![b' '; MAX_FILE_BYTES + 1]).unwrap();
        assert!(folder.read::<Vec<u32>>(FILE).is_err());
        let grow = |text: &mut String| *text = "a".repeat(MAX_FILE_BYTES);
        assert!(folder.update("other.json", grow).is_err());
        assert_eq!(folder.read::<String>("other.json").unwrap(), None);
    }

    #[test]
    fn concurrent_updates_are_all_kept() {
        let home = tempfile::tempdir().unwrap();
        let folder = DataFolder(home.path().join("parlor"));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| folder.update(FILE, |number: &mut u32| *number += 1).unwrap());
            }
        });
        assert_eq!(folder.read(FILE).unwrap(), Some(8));
    }
}
