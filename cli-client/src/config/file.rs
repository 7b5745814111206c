//! The settings file: TOML, with the same names as the flags.

use std::path::{Path, PathBuf};

use parlor_cli::lang;
use parlor_sdk::ApiKey;
use serde::Deserialize;

use super::{KeySource, Layer, read_file};
use crate::errors::Failure;
use crate::exit::Exit;

/// What can stand in the file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Keys {
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

/// Reads the file. One that nobody named need not exist.
pub(super) fn read(path: &Path, must_exist: bool) -> Result<Layer, Failure> {
    if !must_exist && !path.exists() {
        return Ok(Layer::default());
    }
    let wrong = |why: &str| {
        let path = path.display();
        Failure::new(
            Exit::Usage,
            "SETTINGS",
            format!("{path}: {why}; correct the file, or name another one with --config"),
            format!("{path}: {why}; berichtige die Datei, oder nenne mit --config eine andere"),
        )
    };
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong("not UTF-8"))?;
    // The whole error of TOML would show the line, which may have a key in it.
    let keys: Keys = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        wrong(&format!("{line}{}", error.message()))
    })?;
    let lang = match keys.lang {
        None => None,
        Some(tag) => Some(lang::from_tag(&tag).ok_or_else(|| wrong("lang must be en or de"))?),
    };
    let timeout = match keys.timeout {
        None => None,
        Some(text) => Some(
            humantime::parse_duration(&text).map_err(|_| wrong("timeout must be a time such as \"10s\""))?,
        ),
    };
    if keys.api_key.is_some() && keys.api_key_file.is_some() {
        return Err(wrong("api_key and api_key_file exclude each other"));
    }
    // A file that is named here is looked for beside this one.
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |file: Option<PathBuf>| file.map(|file| folder.join(file));
    let given = keys.api_key.map(|key| KeySource::Given(ApiKey::new(key)));
    Ok(Layer {
        server: keys.server,
        key: given.or_else(|| beside(keys.api_key_file).map(KeySource::File)),
        ca: beside(keys.ca),
        client_cert: beside(keys.client_cert),
        client_key: beside(keys.client_key),
        server_name: keys.server_name,
        timeout,
        lang,
        name: keys.name,
    })
}
