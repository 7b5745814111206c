//! Command line of `parlor-server`: flags and subcommands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use super::known_keys::KnownKeys;
use crate::identity::{Owner, Quota, Scope};

/// Hosts card games for programs, over gRPC.
#[derive(Clone, PartialEq, Debug, Parser)]
#[command(
    name = "parlor-server",
    version,
    about = "Hosts card games for programs, over gRPC",
    long_about = "Hosts card games for programs, over gRPC.\n\n\
        Without a command, it runs the server. Settings come from defaults, a TOML file (--config), environment \
        variables and flags; later sources override earlier ones. `parlor-server check-config --example` prints a \
        settings file with every key and its meaning.",
    after_long_help = settings_help()
)]
pub struct Cli {
    /// Flags that set settings, valid with every command.
    #[command(flatten)]
    pub flags: Flags,
    /// The command to run.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// The command; `run` if none was given.
    #[must_use]
    pub fn command_or_run(&self) -> Command {
        self.command.clone().unwrap_or(Command::Run)
    }
}

/// Flags. Their values are validated together with those of the file and the environment.
#[derive(Clone, PartialEq, Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub struct Flags {
    /// Settings file, in TOML (also PARLOR_CONFIG). Without it, defaults apply
    #[arg(long, short, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Address that clients connect to, such as 127.0.0.1:7766. An address reachable from other machines
    /// needs keys and TLS
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,

    /// Address of Prometheus metrics and the readiness page, such as 127.0.0.1:7767; "" disables both
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub metrics: Option<String>,

    /// Folder of the store, the server key and the signing key
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data: Option<String>,

    /// Store of tables: sqlite:FILE, relative to the data folder, postgres://USER@HOST/DATABASE, or memory,
    /// which is lost when the server stops
    #[arg(long, global = true, value_name = "STORE")]
    pub store: Option<String>,

    /// Let other machines connect without keys or without TLS: anyone can read and play along
    #[arg(long, global = true)]
    pub insecure: bool,

    /// TLS certificate, in PEM
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_certificate: Option<String>,

    /// Private key of the TLS certificate, in PEM
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_key: Option<String>,

    /// CA certificates that must have signed client certificates (mutual TLS), in PEM
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_client_ca: Option<String>,

    /// Format of log lines: text for people, json for machines
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<String>,

    /// Log level: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log_level: Option<String>,

    /// OTLP collector that receives traces, such as http://localhost:4317
    #[arg(long, global = true, value_name = "URL")]
    pub otlp: Option<String>,

    /// Set any setting, such as --set table.decision=10s. Can be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl Flags {
    /// The flags that were given: flag, key of the setting, value.
    pub(super) fn given_keys(&self) -> Vec<(&'static str, &'static str, String)> {
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

/// Subcommands of `parlor-server`.
#[derive(Clone, PartialEq, Debug, Subcommand)]
pub enum Command {
    /// Run the server. This is the default
    Run,
    /// Check the settings, report errors, and exit
    CheckConfig {
        /// Print an example settings file instead, with every key, its default and its meaning
        #[arg(long)]
        example: bool,
    },
    /// Manage API keys and the key that signs records
    Keys {
        /// The action.
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Check the whole store for damage. The server must not be running, except on PostgreSQL
    CheckStore,
    /// Copy a whole store to an empty one, between SQLite and PostgreSQL in any direction, and compare them. A server must
    /// not be running on a SQLite file; what a running one adds to a database meanwhile is not copied
    CopyStore {
        /// The store to copy: sqlite:FILE or postgres://USER@HOST/DATABASE
        from: String,
        /// The store to make: a file that does not exist, or a database that no server has used
        to: String,
    },
    /// Copy the store to a file. The server may be running. For PostgreSQL use pg_dump
    Backup {
        /// File to write. It must not exist
        to: PathBuf,
    },
    /// Restore the store from a backup, and end all seat and spectator tokens. The server must not be running. For
    /// PostgreSQL use pg_restore
    Restore {
        /// The backup file
        from: PathBuf,
        /// Replace an existing store
        #[arg(long)]
        replace: bool,
        /// Keep the tokens valid, also those that were revoked after the backup was made
        #[arg(long)]
        keep_tokens: bool,
    },
    /// Print shell completions
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Print the manual page, such as `parlor-server man | man -l -`, or write those of all commands
    Man {
        /// Write the pages to this folder instead
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
}

/// Actions on keys.
#[derive(Clone, PartialEq, Debug, Subcommand)]
pub enum KeysCommand {
    /// Create a key and print it with the lines for the settings file. The key is shown only once
    New {
        /// Owner of the key: the name that owns its tables
        #[arg(long)]
        owner: Owner,
        /// Scopes of the key, separated by commas: tables, play, seeded_tables, agents, admin
        #[arg(long, value_name = "SCOPES", value_delimiter = ',', default_value = "tables,play")]
        scopes: Vec<Scope>,
        /// Maximum number of open tables [default: limits.tables_per_key]
        #[arg(long, value_name = "COUNT")]
        tables: Option<Quota>,
        /// Maximum requests per second [default: limits.requests_per_second]
        #[arg(long, value_name = "COUNT")]
        requests_per_second: Option<Quota>,
    },
    /// Replace the key that signs records. The public key of before is kept, and stays in the catalogue. A server that
    /// runs signs with the new key once it has been started again
    RotateSigning,
}

/// List of all settings, shown at the end of the help text.
fn settings_help() -> String {
    let keys = KnownKeys::new().keys();
    let lines = keys.iter().filter(|(key, _)| key != "keys").map(|(key, default)| {
        let variable = KnownKeys::environment_variable(key);
        format!("  {key} = {default}  ({variable})\n")
    });
    let lines: String = lines.collect();
    format!(
        "Keys, their defaults, and the environment variables that set them:\n{lines}  [[keys]]  (in the file only)"
    )
}
