//! Connection and language flags.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use parlor_cli::lang;
use parlor_engine::Lang;
use parlor_sdk::ApiKey;

use super::{KeySource, Layer};

/// Flags accepted by every command.
#[derive(Clone, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Flags {
    /// URL of the server.
    #[arg(
        long,
        short,
        global = true,
        value_name = "ADDRESS",
        help = "URL of the server, such as https://parlor.example.org (or PARLOR_CLI_SERVER) [default: http://127.0.0.1:7766]"
    )]
    pub(crate) server: Option<String>,

    /// API key (or PARLOR_CLI_API_KEY). Other users of this machine can read flags: a file or the variable is
    /// safer
    #[arg(long, global = true, value_name = "KEY", conflicts_with = "api_key_file", hide_short_help = true)]
    pub(crate) api_key: Option<String>,

    /// File with the API key (or PARLOR_CLI_API_KEY_FILE)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) api_key_file: Option<PathBuf>,

    /// CA certificate that signed the server's certificate, in PEM (or PARLOR_CLI_CA) [default: the system's
    /// trust store]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) ca: Option<PathBuf>,

    /// Client certificate in PEM, for a server that requires one (or PARLOR_CLI_CLIENT_CERT)
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) client_cert: Option<PathBuf>,

    /// Private key of the client certificate, in PEM (or PARLOR_CLI_CLIENT_KEY)
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) client_key: Option<PathBuf>,

    /// Name in the server's certificate, if it differs from the address (or PARLOR_CLI_SERVER_NAME)
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(crate) server_name: Option<String>,

    /// Maximum time for a call, retries included (or PARLOR_CLI_TIMEOUT) [default: 10s]
    #[arg(long, global = true, value_name = "TIME", value_parser = humantime::parse_duration, hide_short_help = true)]
    pub(crate) timeout: Option<Duration>,

    /// Settings file (or PARLOR_CLI_CONFIG) [default: parlor/config.toml in the settings folder, ~/.config]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,

    /// Language: en or de (or PARLOR_CLI_LANG) [default: from the locale]
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = parse_lang, help_heading = "Output")]
    pub(crate) lang: Option<Lang>,
}

fn parse_lang(text: &str) -> Result<Lang, String> {
    lang::from_tag(text).ok_or_else(|| "the supported languages are en and de".to_owned())
}

impl Layer {
    /// Settings from flags.
    pub(super) fn from_flags(flags: &Flags) -> Layer {
        let given = flags.api_key.as_deref().map(|key| KeySource::Inline(ApiKey::new(key)));
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
