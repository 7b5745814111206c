//! Sections of the settings file, one type each.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    Count, Endpoint, HostNames, LogFormat, LogLevel, Origins, RetentionPeriod, Size, Span, setting_value,
};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const KIB: u32 = 1024;
const MIB: u32 = 1024 * KIB;

/// TLS. Files are PEM.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// The server's certificate chain; `None` disables TLS.
    #[serde(with = "setting_value")]
    pub certificate: Option<PathBuf>,
    /// Private key of the certificate.
    #[serde(with = "setting_value")]
    pub key: Option<PathBuf>,
    /// CA certificates that must have signed client certificates (mutual TLS); `None` accepts clients without
    /// one.
    #[serde(with = "setting_value")]
    pub client_ca: Option<PathBuf>,
}

/// Files of a server with TLS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TlsFiles<'a> {
    /// The server's certificate.
    pub certificate: &'a Path,
    /// Its private key.
    pub key: &'a Path,
    /// CA of client certificates, if they are required.
    pub client_ca: Option<&'a Path>,
}

impl Tls {
    /// The files, if TLS is enabled.
    #[must_use]
    pub fn files(&self) -> Option<TlsFiles<'_>> {
        Some(TlsFiles {
            certificate: self.certificate.as_deref()?,
            key: self.key.as_deref()?,
            client_ca: self.client_ca.as_deref(),
        })
    }
}

/// Connections of clients.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Connections {
    /// Open connections in total; fewer if the limit of open files is low.
    pub max_total: Count<1, 1_000_000>,
    /// Open connections of one network address: an IPv4 address, or an IPv6 /64 network.
    pub max_per_address: Count<1, 1_000_000>,
    /// Time that a client has to send the first bytes of a connection.
    pub first_bytes_within: Span<100, { 10 * MINUTE }>,
    /// Time in which a client must read something that is waiting for it.
    pub write_timeout: Span<100, HOUR>,
    /// Idle time after which the server sends a keepalive ping.
    pub keepalive_interval: Span<SECOND, HOUR>,
    /// Time that the client has to answer a keepalive ping.
    pub keepalive_timeout: Span<SECOND, { 10 * MINUTE }>,
    /// Origins of web pages that may call the server (CORS).
    pub cors_origins: Origins,
    /// Further names under which clients may call a server without keys on a loopback address.
    pub host_names: HostNames,
}

impl Default for Connections {
    fn default() -> Connections {
        Connections {
            max_total: const { Count::new(10_000) },
            max_per_address: const { Count::new(1_000) },
            first_bytes_within: const { Span::from_ms(10 * SECOND) },
            write_timeout: const { Span::from_ms(30 * SECOND) },
            keepalive_interval: const { Span::from_ms(20 * SECOND) },
            keepalive_timeout: const { Span::from_ms(10 * SECOND) },
            cors_origins: Origins::default(),
            host_names: HostNames::default(),
        }
    }
}

/// Pages for browsers, and guests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// Serves the pages; `None` serves them on a loopback address alone.
    #[serde(with = "setting_value")]
    pub enabled: Option<bool>,
    /// Sites that may embed the pages in their own.
    pub frame_ancestors: Origins,
    /// Lets guests, who have no API key, create tables and play each other.
    #[serde(with = "setting_value")]
    pub guests: bool,
    /// Open tables of the guests of one network address.
    pub guest_tables: Count<1, 1_000>,
    /// Tables that the guests of one network address create in an hour.
    pub guest_tables_per_hour: Count<1, 3_600>,
}

impl Default for Web {
    fn default() -> Web {
        Web {
            enabled: None,
            frame_ancestors: Origins::default(),
            guests: false,
            guest_tables: const { Count::new(10) },
            guest_tables_per_hour: const { Count::new(60) },
        }
    }
}

/// Hard limits. An exceeded limit is named in the error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Maximum size of a received message.
    pub message_bytes: Size<{ 64 * KIB }, { 64 * MIB }>,
    /// Size at which a batched stream message is closed and the next one starts.
    pub batch_bytes: Size<{ 4 * KIB }, { 4 * MIB }>,
    /// Concurrent streams and calls on one connection.
    pub streams_per_connection: Count<1, 10_000>,
    /// Concurrently attached seats and tables on one stream.
    pub channels_per_stream: Count<1, 100_000>,
    /// Spectators of one table, and viewers who wait for its rematch.
    pub spectators_per_table: Count<1, 100_000>,
    /// Those of them from one caller: an API key, or a network address.
    pub spectators_per_caller: Count<1, 100_000>,
    /// Open tables of one API key, unless the key has its own limit; and, counted separately, the tables of
    /// all tournaments of one organiser.
    pub tables_per_key: Count<1, 1_000_000>,
    /// Sustained requests per second of one API key, unless the key has its own limit.
    pub requests_per_second: Count<1, 1_000_000>,
    /// Burst of requests of one API key.
    pub request_burst: Count<1, 1_000_000>,
    /// Sustained attaches per second of one API key, on all its streams; in proportion if the key has its own limit of
    /// requests.
    pub attaches_per_second: Count<1, 1_000_000>,
    /// Burst of attaches of one API key.
    pub attach_burst: Count<1, 1_000_000>,
    /// Callers tracked by rate limits at the same time.
    pub callers: Count<1, 1_000_000>,
    /// Updates queued for one reader; a slower one is cut off and can resume.
    pub reader_queue: Count<16, 65_536>,
    /// Bytes queued for one reader.
    pub reader_bytes: Size<{ 256 * KIB }, { 1024 * MIB }>,
    /// Bytes queued for all readers of one connection.
    pub connection_bytes: Size<MIB, { 2048 * MIB }>,
    /// Bytes queued for all readers of one caller: an API key, or a network address.
    pub caller_bytes: Size<MIB, { 4095 * MIB }>,
    /// Requests queued for one table.
    pub table_queue: Count<1, 4_096>,
    /// Log entries queued for the disk.
    pub commit_queue: Count<16, 1_000_000>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            message_bytes: const { Size::from_kib(1024) },
            batch_bytes: const { Size::from_kib(256) },
            streams_per_connection: const { Count::new(128) },
            channels_per_stream: const { Count::new(4_096) },
            spectators_per_table: const { Count::new(1_000) },
            spectators_per_caller: const { Count::new(100) },
            tables_per_key: const { Count::new(10_000) },
            requests_per_second: const { Count::new(1_000) },
            request_burst: const { Count::new(2_000) },
            attaches_per_second: const { Count::new(1_000) },
            attach_burst: const { Count::new(10_000) },
            callers: const { Count::new(65_536) },
            reader_queue: const { Count::new(1_024) },
            reader_bytes: const { Size::from_kib(4 * 1024) },
            connection_bytes: const { Size::from_kib(16 * 1024) },
            caller_bytes: const { Size::from_kib(256 * 1024) },
            table_queue: const { Count::new(64) },
            commit_queue: const { Count::new(8_192) },
        }
    }
}

/// Defaults of a table whose creator sets no value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableDefaults {
    /// Time per decision.
    pub decision: Span<100, { 7 * DAY }>,
    /// Additional time of a seat, over the whole game.
    pub bank: Span<0, { 7 * DAY }>,
    /// Time that a seat's clock stops while it is disconnected, over the whole game.
    pub grace: Span<0, { 7 * DAY }>,
    /// Timed-out decisions after which a seat forfeits.
    pub forfeit_after: Count<1, 1_000>,
    /// Time that a table waits for its seats to be filled before it expires.
    pub fill_within: Span<SECOND, { 30 * DAY }>,
    /// Time in which players must reveal the entropy that they committed to, once all seats of a table are filled; and
    /// each of the two steps in which it is collected for a tournament.
    pub reveal_within: Span<SECOND, { 10 * MINUTE }>,
    /// Idle time after which a table leaves memory.
    pub idle: Span<SECOND, DAY>,
    /// Time for a decision whose existence is hidden from other players.
    pub hidden_window: Span<100, { 10 * MINUTE }>,
    /// Makes a hidden decision always take its whole time, so that its duration reveals nothing.
    #[serde(with = "setting_value")]
    pub hidden_window_constant: bool,
}

impl Default for TableDefaults {
    fn default() -> TableDefaults {
        TableDefaults {
            decision: const { Span::from_ms(30 * SECOND) },
            bank: const { Span::from_ms(2 * MINUTE) },
            grace: const { Span::from_ms(2 * MINUTE) },
            forfeit_after: const { Count::new(3) },
            fill_within: const { Span::from_ms(HOUR) },
            reveal_within: const { Span::from_ms(10 * SECOND) },
            idle: const { Span::from_ms(5 * MINUTE) },
            hidden_window: const { Span::from_ms(5 * SECOND) },
            hidden_window_constant: false,
        }
    }
}

/// Retention.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// Time that a finished table is kept.
    pub finished: RetentionPeriod,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { finished: const { RetentionPeriod::days(30) } }
    }
}

/// House bots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bots {
    /// Worker threads; 0 means one per core.
    pub workers: Count<0, 256>,
    /// Decisions queued for a worker.
    pub queue: Count<1, 1_000_000>,
    /// Playouts of the search bot per decision.
    pub search_iterations: Count<1, 1_000_000>,
}

impl Default for Bots {
    fn default() -> Bots {
        Bots {
            workers: const { Count::new(0) },
            queue: const { Count::new(1_024) },
            search_iterations: const { Count::new(1_000) },
        }
    }
}

/// Agents: programs that play under a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Agents {
    /// Concurrent tables of one agent, regardless of the capacity it announces.
    pub max_tables: Count<1, 10_000>,
    /// Part of an agent's capacity that the tables and tournaments of one owner may hold, in percent. The owner of its name
    /// may hold all of it.
    pub owner_share: Count<1, 100>,
    /// Registered names in total.
    pub known: Count<1, 100_000>,
    /// Registered names per API key, or of everyone together on a server without keys.
    pub known_per_key: Count<1, 100_000>,
    /// Time after which an unused name may be taken away, when a limit of names is reached.
    pub names_expire: RetentionPeriod,
    /// Time that an agent has to say hello after connecting.
    pub hello_within: Span<SECOND, { 10 * MINUTE }>,
    /// Consecutive time-outs after which an agent is suspended.
    pub time_outs: Count<1, 10_000>,
    /// Consecutive refused answers after which an agent is suspended.
    pub refused: Count<1, 10_000>,
    /// Connections broken during play after which an agent is suspended.
    pub breaks: Count<2, 10_000>,
    /// Cut-offs for slow reading after which an agent is suspended.
    pub slow: Count<2, 10_000>,
    /// Time window in which broken connections and slow reading are counted.
    pub within: Span<SECOND, DAY>,
    /// Duration of the first suspension; it doubles each time.
    pub aside_first: Span<SECOND, DAY>,
    /// Maximum duration of a suspension.
    pub aside_longest: Span<SECOND, { 30 * DAY }>,
}

impl Default for Agents {
    fn default() -> Agents {
        Agents {
            max_tables: const { Count::new(1_000) },
            owner_share: const { Count::new(50) },
            known: const { Count::new(10_000) },
            known_per_key: const { Count::new(1_000) },
            names_expire: const { RetentionPeriod::days(30) },
            hello_within: const { Span::from_ms(10 * SECOND) },
            time_outs: const { Count::new(6) },
            refused: const { Count::new(20) },
            breaks: const { Count::new(10) },
            slow: const { Count::new(3) },
            within: const { Span::from_ms(MINUTE) },
            aside_first: const { Span::from_ms(10 * SECOND) },
            aside_longest: const { Span::from_ms(10 * MINUTE) },
        }
    }
}

/// Settings for tests of clients and of the server itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Testing {
    /// Also offers games that are only for tests.
    #[serde(with = "setting_value")]
    pub games: bool,
}

/// Log output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Logging {
    /// Format of log lines.
    pub format: LogFormat,
    /// Log level.
    pub level: LogLevel,
}

impl Default for Logging {
    fn default() -> Logging {
        Logging { format: LogFormat::Text, level: LogLevel::Info }
    }
}

/// Trace export.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// OTLP collector (gRPC); `None` exports no traces.
    #[serde(with = "setting_value")]
    pub otlp: Option<Endpoint>,
}
