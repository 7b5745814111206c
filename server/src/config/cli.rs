//! The command line of `parlor-server`: its flags and what it can be asked to do. The work is done elsewhere.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::known::Known;
use crate::identity::{Owner, Quota, Scope};

/// Hosts card games for programs, over gRPC.
#[derive(Clone, PartialEq, Debug, Parser)]
#[command(
    name = "parlor-server",
    version,
    about = "Hosts card games for programs, over gRPC",
    long_about = "Hosts card games for programs, over gRPC.\n\n\
        Without a command it runs. Settings come from the defaults, a TOML file (--config), the environment and \
        flags, each on top of the one before. `parlor-server check-config --example` prints a file with every key \
        and what it means.",
    after_long_help = all_keys()
)]
pub struct Cli {
    /// Flags that set keys, good with every command.
    #[command(flatten)]
    pub flags: Flags,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// What to do; without a command, run.
    #[must_use]
    pub fn asked(&self) -> Command {
        self.command.clone().unwrap_or(Command::Run)
    }
}

/// The flags. Their values are checked with those of the file and the environment.
#[derive(Clone, PartialEq, Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub struct Flags {
    /// The settings file, in TOML (or PARLOR_CONFIG). Without it, the defaults hold
    #[arg(long, short, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Where clients connect, such as 127.0.0.1:7766. Other addresses than this machine's own need keys and TLS
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,

    /// Where Prometheus metrics and the readiness page are served, such as 127.0.0.1:7767; "" for nowhere
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub metrics: Option<String>,

    /// The folder for the store and the server key
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data: Option<String>,

    /// Where tables are kept: sqlite:FILE, which begins in the data folder, or memory, which ends with the server
    #[arg(long, global = true, value_name = "STORE")]
    pub store: Option<String>,

    /// Let other machines connect although there are no keys or no TLS: anyone can read and play along
    #[arg(long, global = true)]
    pub insecure: bool,

    /// The certificate for TLS, in PEM
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_certificate: Option<String>,

    /// The private key of the certificate, in PEM
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_key: Option<String>,

    /// Who must have signed the certificates of clients (mutual TLS), in PEM
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_client_ca: Option<String>,

    /// How log lines look: text for people, json for machines
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<String>,

    /// How much is logged: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log_level: Option<String>,

    /// The OTLP collector that traces go to, such as http://localhost:4317
    #[arg(long, global = true, value_name = "URL")]
    pub otlp: Option<String>,

    /// Sets any key, such as --set table.decision=10s. May be given several times
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl Flags {
    /// The flags that were given, with the key that each sets and the value.
    pub(super) fn named(&self) -> Vec<(&'static str, &'static str, String)> {
        let texts = [
            ("listen", "listen", &self.listen),
            ("metrics", "metrics", &self.metrics),
            ("data", "data", &self.data),
            ("store", "store", &self.store),
            ("tls-certificate", "tls.certificate", &self.tls_certificate),
            ("tls-key", "tls.key", &self.tls_key),
            ("tls-client-ca", "tls.client_ca", &self.tls_client_ca),
            ("log-format", "log.format", &self.log_format),
            ("log-level", "log.level", &self.log_level),
            ("otlp", "telemetry.otlp", &self.otlp),
        ];
        let texts = texts.into_iter().filter_map(|(flag, key, value)| Some((flag, key, value.clone()?)));
        let insecure = self.insecure.then(|| ("insecure", "insecure", String::from("true")));
        texts.chain(insecure).collect()
    }
}

/// What `parlor-server` can be asked to do.
#[derive(Clone, PartialEq, Debug, Subcommand)]
pub enum Command {
    /// Run the server. This is what happens without a command
    Run,
    /// Read the settings, say what is wrong with them, and stop
    CheckConfig {
        /// Print a settings file with every key, its default and what it means, instead
        #[arg(long)]
        example: bool,
    },
    /// Make API keys
    Keys {
        /// What to do with keys.
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Read the whole store and say whether it is undamaged. The server must not be running
    CheckStore,
    /// Copy the store to a file, also while the server runs
    Backup {
        /// The file to write. It must not exist yet
        to: PathBuf,
    },
    /// Make the store anew from a backup. The server must not be running
    Restore {
        /// The backup
        from: PathBuf,
        /// Replace a store that has tables in it
        #[arg(long)]
        replace: bool,
    },
}

/// What can be done with API keys.
#[derive(Clone, PartialEq, Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a key, and print it together with the lines for the settings file. It is shown this once
    New {
        /// Whose key it is: the name under which its tables are owned
        #[arg(long)]
        owner: Owner,
        /// What the key allows: tables, play, seeded_tables, agents, admin; several are separated by commas
        #[arg(long, value_name = "SCOPES", value_delimiter = ',', default_value = "tables,play")]
        scopes: Vec<Scope>,
        /// How many tables it may hold at once [default: limits.tables_per_key]
        #[arg(long, value_name = "COUNT")]
        tables: Option<Quota>,
        /// How many requests a second it may send [default: limits.requests_per_second]
        #[arg(long, value_name = "COUNT")]
        requests_per_second: Option<Quota>,
    },
}

/// The list of all keys for the end of the help text.
fn all_keys() -> String {
    let keys = Known::new().keys();
    let lines = keys.iter().filter(|(key, _)| key != "keys").map(|(key, default)| {
        let variable = Known::variable(key);
        format!("  {key} = {default}  ({variable})\n")
    });
    let lines: String = lines.collect();
    format!(
        "Keys, their defaults, and the environment variables that set them:\n{lines}  [[keys]]  (in the file only)"
    )
}
