//! Settings file: TOML, with the names of the flags.

use std::path::{Path, PathBuf};

use parlor_cli::lang;
use parlor_sdk::ApiKey;
use serde::Deserialize;

use super::{KeySource, Layer, read_file};
use crate::errors::Failure;
use crate::exit::Exit;

/// Fields of the file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    server: Option<String>,
    api_key: Option<String>,
    api_key_file: Option<PathBuf>,
    ca: Option<PathBuf>,
    client_cert: Option<PathBuf>,
    client_key: Option<PathBuf>,
    server_name: Option<String>,
    timeout: Option<String>,
    lang: Option<String>,
    name: Option<String>,
}

/// Reads the file. A missing file is an error only if `must_exist`.
pub(super) fn read(path: &Path, must_exist: bool) -> Result<Layer, Failure> {
    if !must_exist && !path.exists() {
        return Ok(Layer::default());
    }
    let invalid = |why: &str| {
        let path = path.display();
        Failure::new(
            Exit::Usage,
            "SETTINGS",
            format!("{path}: {why}; correct the file, or name another one with --config"),
            format!("{path}: {why}; berichtige die Datei, oder nenne mit --config eine andere"),
        )
    };
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| invalid("not UTF-8"))?;
    // The full TOML error quotes the line, which may contain a key.
    let keys: ConfigFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        invalid(&format!("{line}{}", error.message()))
    })?;
    let lang = match keys.lang {
        None => None,
        Some(tag) => Some(lang::from_tag(&tag).ok_or_else(|| invalid("lang must be en or de"))?),
    };
    let timeout = match keys.timeout {
        None => None,
        Some(text) => Some(
            humantime::parse_duration(&text)
                .map_err(|_| invalid("timeout must be a time such as \"10s\""))?,
        ),
    };
    if keys.api_key.is_some() && keys.api_key_file.is_some() {
        return Err(invalid("api_key and api_key_file exclude each other"));
    }
    // Relative paths are relative to the folder of this file.
    let folder = path.parent().unwrap_or(Path::new(""));
    let resolve = |file: Option<PathBuf>| file.map(|file| folder.join(file));
    let given = keys.api_key.map(|key| KeySource::Inline(ApiKey::new(key)));
    Ok(Layer {
        server: keys.server,
        key: given.or_else(|| resolve(keys.api_key_file).map(KeySource::File)),
        ca: resolve(keys.ca),
        client_cert: resolve(keys.client_cert),
        client_key: resolve(keys.client_key),
        server_name: keys.server_name,
        timeout,
        lang,
        name: keys.name,
    })
}
