//! The settings of `parlor-server`.
//!
//! Every key has a default. A TOML file comes on top of the defaults, the environment on top of the file, and flags on
//! top of all. What is unknown or not allowed is an error that names its place: the file and the key, the variable, or
//! the flag. `deploy/parlor.toml` lists every key with its default and what it means ([`EXAMPLE`]).
//!
//! The key `limits.batch_bytes` is, in each place:
//!
//! | file | environment | flag |
//! |---|---|---|
//! | `batch_bytes = "64KiB"` under `[limits]` | `PARLOR_LIMITS_BATCH_BYTES=64KiB` | `--set limits.batch_bytes=64KiB` |
//!
//! Keys that are often needed have flags of their own, such as `--listen`. Relative paths begin in the folder that the
//! server is started in; the store's begins in the data folder.

mod bounded;
mod check;
mod cli;
mod error;
mod known;
mod load;
pub(crate) mod plain;
mod sections;
mod values;

#[cfg(test)]
mod tests;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use crate::identity::KeyEntry;

pub use bounded::{Count, NotAllowed, Size, Span};
pub use cli::{Cli, Command, Flags, KeysCommand};
pub use error::SettingsError;
pub use load::Sources;
pub use sections::{
    Agents, Bots, Connections, Limits, Logging, Retention, TableDefaults, Telemetry, Tls, TlsFiles,
};
pub use values::{Endpoint, Keep, LogFormat, LogLevel, Origins, Store};

/// `deploy/parlor.toml`: every key, its default, and what it means.
pub const EXAMPLE: &str = include_str!("../../../deploy/parlor.toml");

/// Everything that can be set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where clients connect: gRPC, gRPC-Web, health and reflection.
    #[serde(with = "plain")]
    pub listen: SocketAddr,
    /// Where metrics and the readiness page are served; none to serve neither.
    #[serde(with = "plain")]
    pub metrics: Option<SocketAddr>,
    /// The folder of the store and the server key.
    #[serde(with = "plain")]
    pub data: PathBuf,
    /// Where tables are kept.
    pub store: Store,
    /// Let other machines connect although there are no keys or no TLS.
    #[serde(with = "plain")]
    pub insecure: bool,
    /// How long streams have to end when the server is told to stop.
    pub shutdown_grace: Span<0, 600_000>,
    /// Encryption.
    pub tls: Tls,
    /// What holds for every connection.
    pub connections: Connections,
    /// What nobody gets more of.
    pub limits: Limits,
    /// What a table is like when its creator does not say.
    pub table: TableDefaults,
    /// What is kept, and how long.
    pub retention: Retention,
    /// The house bots.
    pub bots: Bots,
    /// Agents.
    pub agents: Agents,
    /// What is logged.
    pub log: Logging,
    /// Where traces go.
    pub telemetry: Telemetry,
    /// The API keys, hashed. Read again on SIGHUP.
    #[serde(deserialize_with = "load::key_list")]
    pub keys: Vec<KeyEntry>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7766)),
            metrics: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 7767))),
            data: PathBuf::from("data"),
            store: Store::Sqlite(PathBuf::from("parlor.db")),
            insecure: false,
            shutdown_grace: const { Span::of_ms(5_000) },
            tls: Tls::default(),
            connections: Connections::default(),
            limits: Limits::default(),
            table: TableDefaults::default(),
            retention: Retention::default(),
            bots: Bots::default(),
            agents: Agents::default(),
            log: Logging::default(),
            telemetry: Telemetry::default(),
            keys: Vec::new(),
        }
    }
}

impl Settings {
    /// The file of the store; none for a store in memory.
    #[must_use]
    pub fn store_file(&self) -> Option<PathBuf> {
        match &self.store {
            Store::Sqlite(path) => Some(self.data.join(path)),
            Store::Memory => None,
        }
    }
}
