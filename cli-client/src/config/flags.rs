//! The flags about the connection and the language.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use parlor_cli::lang;
use parlor_engine::Lang;
use parlor_sdk::ApiKey;

use super::{KeySource, Layer};

/// Flags that are good with every command.
#[derive(Clone, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Flags {
    /// The server.
    #[arg(
        long,
        short,
        global = true,
        value_name = "ADDRESS",
        help = "The server, such as https://parlor.example.org (or PARLOR_CLI_SERVER) [default: http://127.0.0.1:7766]"
    )]
    pub(crate) server: Option<String>,

    /// The API key (or PARLOR_CLI_API_KEY). Others on this machine can read flags: a file or the variable is safer
    #[arg(long, global = true, value_name = "KEY", conflicts_with = "api_key_file", hide_short_help = true)]
    pub(crate) api_key: Option<String>,

    /// A file with the API key (or PARLOR_CLI_API_KEY_FILE)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) api_key_file: Option<PathBuf>,

    /// Who must have signed the server's certificate, in PEM (or PARLOR_CLI_CA) [default: whom the system trusts]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) ca: Option<PathBuf>,

    /// The certificate of this client, in PEM, for a server that wants one (or PARLOR_CLI_CLIENT_CERT)
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) client_cert: Option<PathBuf>,

    /// The private key of that certificate, in PEM (or PARLOR_CLI_CLIENT_KEY)
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) client_key: Option<PathBuf>,

    /// The name in the server's certificate, if it is not that of the address (or PARLOR_CLI_SERVER_NAME)
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(crate) server_name: Option<String>,

    /// How long a call may take, tries included (or PARLOR_CLI_TIMEOUT) [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_parser = humantime::parse_duration, hide_short_help = true)]
    pub(crate) timeout: Option<Duration>,

    /// The settings file (or PARLOR_CLI_CONFIG) [default: parlor/config.toml in the folder for settings, ~/.config]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,

    /// The language: en or de (or PARLOR_CLI_LANG) [default: that of the locale]
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = parse_lang, help_heading = "Output")]
    pub(crate) lang: Option<Lang>,
}

fn parse_lang(text: &str) -> Result<Lang, String> {
    lang::from_tag(text).ok_or_else(|| "Parlor speaks en and de".to_owned())
}

impl Layer {
    /// What the flags say.
    pub(super) fn of_flags(flags: &Flags) -> Layer {
        let given = flags.api_key.as_deref().map(|key| KeySource::Given(ApiKey::new(key)));
        Layer {
            server: flags.server.clone(),
            key: given.or_else(|| flags.api_key_file.clone().map(KeySource::File)),
            ca: flags.ca.clone(),
            client_cert: flags.client_cert.clone(),
            client_key: flags.client_key.clone(),
            server_name: flags.server_name.clone(),
            timeout: flags.timeout,
            lang: flags.lang,
            name: None,
        }
    }
}
