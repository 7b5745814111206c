//! Settings of the server: the file, and after a line `# environment` variables, and flags `--set`.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{Seek, Write};

use parlor_host::HostSettings;
use parlor_server::config::{Flags, Settings, Sources};
use tempfile::NamedTempFile;

/// Line between the file and the environment. To the file it is a comment.
const ENVIRONMENT: &str = "\n# environment\n";

thread_local! {
    static FILE: RefCell<NamedTempFile> = RefCell::new(NamedTempFile::new().expect("a temporary file"));
}

pub(crate) fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (_, after) = text.split_once(ENVIRONMENT).unwrap_or_default();
    let mut sources = Sources::default();
    for line in after.lines() {
        match (line.strip_prefix("--set "), line.split_once('=')) {
            (Some(set), _) => sources.flags.set.push(set.to_owned()),
            (None, Some((name, value))) => {
                sources.environment.push((OsString::from(name), OsString::from(value)));
            }
            (None, None) => {}
        }
    }
    FILE.with_borrow_mut(|file| {
        write(file, input);
        sources.flags = Flags { config: Some(file.path().to_owned()), ..sources.flags };
        match Settings::load(&sources) {
            Ok(settings) => drop(HostSettings::from(&settings)),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}

fn write(file: &mut NamedTempFile, bytes: &[u8]) {
    let file = file.as_file_mut();
    let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(bytes));
    written.expect("the temporary file");
}
