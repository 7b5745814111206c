//! Settings of `parlor-server`.
//!
//! Every key has a default. A TOML file overrides the defaults, the environment overrides the file, and flags
//! override everything. An unknown key or an invalid value is an error that names its origin: the file and
//! the key, the variable, or the flag. `deploy/parlor.toml` lists every key with its default and meaning
//! ([`EXAMPLE`]).
//!
//! The key `limits.batch_bytes`, for example, is set by:
//!
//! | file | environment | flag |
//! |---|---|---|
//! | `batch_bytes = "64KiB"` under `[limits]` | `PARLOR_LIMITS_BATCH_BYTES=64KiB` | `--set limits.batch_bytes=64KiB` |
//!
//! Common keys have flags of their own, such as `--listen`. Relative paths start in the server's working
//! directory; that of the store starts in the data folder.

mod bounded;
mod cli;
mod database;
mod error;
mod known_keys;
mod load;
mod sections;
pub(crate) mod setting_value;
mod text_lists;
mod validate;
mod values;

#[cfg(test)]
mod tests;

use std::{
    net::{Ipv4Addr, SocketAddr},
    num::NonZeroUsize,
    path::PathBuf,
};

use parlor_host::settings::{AgentSettings, BotSettings, HostSettings};
use serde::{Deserialize, Serialize};

use crate::identity::KeyEntry;

pub use bounded::{Count, ParseBoundedError, Size, Span};
pub use cli::{Cli, Command, Flags, KeysCommand};
pub use database::{Password, Postgres};
pub use error::SettingsError;
pub use load::Sources;
pub use sections::{
    Agents, Bots, Connections, Limits, Logging, Retention, TableDefaults, Telemetry, Testing, Tls, TlsFiles,
    Web,
};
pub use text_lists::{HostNames, Origins};
pub use values::{Endpoint, LogFormat, LogLevel, RetentionPeriod, Store};

/// `deploy/parlor.toml`: every key, its default and its meaning.
pub const EXAMPLE: &str = include_str!("../../../deploy/parlor.toml");

/// All settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address that clients connect to: gRPC, gRPC-Web, health, reflection and pages.
    #[serde(with = "setting_value")]
    pub listen: SocketAddr,
    /// Address of metrics and the readiness page; `None` disables both.
    #[serde(with = "setting_value")]
    pub metrics: Option<SocketAddr>,
    /// Lets other machines reach the metrics address, which has neither keys nor TLS.
    #[serde(with = "setting_value")]
    pub metrics_public: bool,
    /// Folder of the store and the server key.
    #[serde(with = "setting_value")]
    pub data: PathBuf,
    /// Store of the tables.
    pub store: Store,
    /// Lets other machines connect without keys or without TLS.
    #[serde(with = "setting_value")]
    pub insecure: bool,
    /// Time that streams have to end when the server stops.
    pub shutdown_grace: Span<0, 600_000>,
    /// The PostgreSQL database, if that is the store.
    pub postgres: Postgres,
    /// TLS.
    pub tls: Tls,
    /// Connections of clients.
    pub connections: Connections,
    /// Pages for browsers.
    pub web: Web,
    /// Hard limits.
    pub limits: Limits,
    /// Defaults of a table whose creator sets no value.
    pub table: TableDefaults,
    /// Retention of finished tables.
    pub retention: Retention,
    /// House bots.
    pub bots: Bots,
    /// Agents.
    pub agents: Agents,
    /// Settings for tests.
    pub testing: Testing,
    /// Log output.
    pub log: Logging,
    /// Trace export.
    pub telemetry: Telemetry,
    /// API keys, hashed. Reloaded on SIGHUP.
    #[serde(deserialize_with = "load::key_list")]
    pub keys: Vec<KeyEntry>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7766)),
            metrics: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 7767))),
            metrics_public: false,
            data: PathBuf::from("data"),
            store: Store::Sqlite(PathBuf::from("parlor.db")),
            insecure: false,
            shutdown_grace: const { Span::from_ms(5_000) },
            postgres: Postgres::default(),
            tls: Tls::default(),
            connections: Connections::default(),
            web: Web::default(),
            limits: Limits::default(),
            table: TableDefaults::default(),
            retention: Retention::default(),
            bots: Bots::default(),
            agents: Agents::default(),
            testing: Testing::default(),
            log: Logging::default(),
            telemetry: Telemetry::default(),
            keys: Vec::new(),
        }
    }
}

/// The part of the settings that the host has.
impl From<&Settings> for HostSettings {
    fn from(settings: &Settings) -> HostSettings {
        let Settings { table, limits, retention, bots, agents, .. } = settings;
        HostSettings {
            bots: BotSettings {
                threads: NonZeroUsize::new(bots.workers.get() as usize),
                queue: bots.queue.get() as usize,
            },
            agents: AgentSettings {
                max_tables: agents.max_tables.get(),
                owner_share: agents.owner_share.get(),
                max_agents: agents.known.get(),
                max_agents_per_key: agents.known_per_key.get(),
                name_expiry: agents.names_expire.time(),
                max_time_outs: agents.time_outs.get(),
                max_refused_answers: agents.refused.get(),
                max_disconnects: agents.breaks.get(),
                max_slow_reads: agents.slow.get(),
                counting_window: agents.within.get(),
                first_suspension: agents.aside_first.get(),
                longest_suspension: agents.aside_longest.get(),
            },
            idle_timeout: table.idle.get(),
            reveal_within: table.reveal_within.get(),
            table_queue: limits.table_queue.get() as usize,
            stream_queue: limits.reader_queue.get() as usize,
            stream_bytes: limits.reader_bytes.bytes(),
            batch_bytes: limits.batch_bytes.bytes(),
            channels_per_stream: limits.channels_per_stream.get(),
            spectators_per_table: limits.spectators_per_table.get() as usize,
            spectators_per_caller: limits.spectators_per_caller.get() as usize,
            keep_finished: retention.finished.time(),
        }
    }
}

impl Settings {
    /// File of the store; `None` for a store that is no file.
    #[must_use]
    pub fn store_file(&self) -> Option<PathBuf> {
        match &self.store {
            Store::Sqlite(path) => Some(self.data.join(path)),
            Store::Postgres(_) | Store::Memory => None,
        }
    }
}
