//! Secret keys of agents' names, in files.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use parlor_sdk::AgentKey;

use crate::context::Context;
use crate::errors::Failure;

/// Key of the agent's name: read from the file, which is created if missing. `None` if an API key identifies
/// the owner.
pub(crate) fn agent_key(
    name: &str,
    file: Option<&Path>,
    context: &Context,
) -> Result<Option<AgentKey>, Failure> {
    let path = match file {
        Some(path) => path.to_owned(),
        None if context.settings.has_key() => return Ok(None),
        None => {
            let plain =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
            let folder = context.environment.config_folder().filter(|_| plain).ok_or_else(|| {
                Failure::usage(
                    "name the file with the key of the agent: --agent-key-file FILE",
                    "Sag mit --agent-key-file, wo das Geheimnis des Agenten liegt",
                )
            })?;
            folder.join("agents").join(format!("{name}.key"))
        }
    };
    let read = secret_of_file(&path, || Ok(AgentKey::generate()?.reveal().to_owned())).map(AgentKey::new);
    read.map(Some).map_err(|error| {
        let path = path.display();
        Failure::usage(
            format!("cannot use the agent key in {path} ({error})"),
            format!("Das Geheimnis des Agenten in {path} ist nicht zu gebrauchen ({error})"),
        )
    })
}

/// The secret in a file. A missing file is created with a new one, readable only by its owner.
pub(crate) fn secret_of_file(
    path: &Path,
    new: impl FnOnce() -> Result<String, Box<dyn std::error::Error>>,
) -> Result<String, Box<dyn std::error::Error>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text.trim().to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let secret = new()?;
            create_file(path, &secret)?;
            Ok(secret)
        }
        Err(error) => Err(error.into()),
    }
}

/// Creates a file that only its owner can read.
fn create_file(path: &Path, secret: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(path)?, "{secret}")
}
