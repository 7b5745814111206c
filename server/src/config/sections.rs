//! The sections of the settings file, one type each.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use serde::{Deserialize, Serialize};

use super::{Count, Endpoint, Keep, LogFormat, LogLevel, Origins, Size, Span, plain};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const KIB: u32 = 1024;
const MIB: u32 = 1024 * KIB;

/// Encryption by TLS. Files are PEM.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// The server's certificate and those between it and the root; none for no TLS.
    #[serde(with = "plain")]
    pub certificate: Option<PathBuf>,
    /// The private key of the certificate.
    #[serde(with = "plain")]
    pub key: Option<PathBuf>,
    /// Certificates of which every client must have been given one (mutual TLS); none for clients without.
    #[serde(with = "plain")]
    pub client_ca: Option<PathBuf>,
}

/// The files of a server that encrypts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TlsFiles<'a> {
    /// The server's certificate.
    pub certificate: &'a Path,
    /// Its private key.
    pub key: &'a Path,
    /// Who signs the certificates of clients, if they need one.
    pub client_ca: Option<&'a Path>,
}

impl Tls {
    /// The files, if the server encrypts.
    #[must_use]
    pub fn files(&self) -> Option<TlsFiles<'_>> {
        Some(TlsFiles {
            certificate: self.certificate.as_deref()?,
            key: self.key.as_deref()?,
            client_ca: self.client_ca.as_deref(),
        })
    }
}

/// What holds for every connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Connections {
    /// How long a connection may be silent before the server asks whether the client is still there.
    pub keepalive_interval: Span<SECOND, HOUR>,
    /// How long the client has to answer that.
    pub keepalive_timeout: Span<SECOND, { 10 * MINUTE }>,
    /// The web pages whose browsers may call (CORS).
    pub cors_origins: Origins,
}

impl Default for Connections {
    fn default() -> Connections {
        Connections {
            keepalive_interval: const { Span::of_ms(20 * SECOND) },
            keepalive_timeout: const { Span::of_ms(10 * SECOND) },
            cors_origins: Origins::default(),
        }
    }
}

/// What nobody gets more of. Whoever is at a limit is told which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The largest message that is read.
    pub message_bytes: Size<{ 64 * KIB }, { 64 * MIB }>,
    /// How much goes into one message of a stream before the next begins.
    pub batch_bytes: Size<{ 4 * KIB }, { 4 * MIB }>,
    /// Streams and calls at once on one connection.
    pub streams_per_connection: Count<1, 10_000>,
    /// Seats and tables that one stream may have attached at once.
    pub channels_per_stream: Count<1, 100_000>,
    /// Tables that one API key may have open at once, unless the key says otherwise; and, apart from these, the tables that all
    /// tournaments of one organiser may have.
    pub tables_per_key: Count<1, 1_000_000>,
    /// Requests a second that one API key may send in the long run, unless the key says otherwise.
    pub requests_per_second: Count<1, 1_000_000>,
    /// Requests that one API key may send at once after a pause.
    pub request_burst: Count<1, 1_000_000>,
    /// Callers that are kept account of at once.
    pub callers: Count<1, 1_000_000>,
    /// Updates that wait for one reader; a slower one is cut off, and resumes.
    pub reader_queue: Count<16, 65_536>,
    /// Requests that wait for one table.
    pub table_queue: Count<1, 4_096>,
    /// Log entries that wait for the disk.
    pub commit_queue: Count<16, 1_000_000>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            message_bytes: const { Size::of_kib(1024) },
            batch_bytes: const { Size::of_kib(256) },
            streams_per_connection: const { Count::of(128) },
            channels_per_stream: const { Count::of(4_096) },
            tables_per_key: const { Count::of(10_000) },
            requests_per_second: const { Count::of(1_000) },
            request_burst: const { Count::of(2_000) },
            callers: const { Count::of(65_536) },
            reader_queue: const { Count::of(1_024) },
            table_queue: const { Count::of(64) },
            commit_queue: const { Count::of(8_192) },
        }
    }
}

/// What a table is like when its creator does not say.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableDefaults {
    /// The time for each decision.
    pub decision: Span<100, { 7 * DAY }>,
    /// The time that a seat may use beyond that, over the whole game.
    pub bank: Span<0, { 7 * DAY }>,
    /// How long a seat's clock stops while it is disconnected, over the whole game.
    pub grace: Span<0, { 7 * DAY }>,
    /// After how many decisions that ran out of time a seat forfeits.
    pub forfeit_after: Count<1, 1_000>,
    /// How long a table waits for its seats to be filled before it expires.
    pub fill_within: Span<SECOND, { 30 * DAY }>,
    /// How long a table that nobody uses stays in memory.
    pub idle: Span<SECOND, DAY>,
    /// The time for a decision whose existence is hidden from others.
    pub hidden_window: Span<100, { 10 * MINUTE }>,
    /// Whether a hidden decision always takes its whole time, so that its length tells nothing.
    #[serde(with = "plain")]
    pub hidden_window_constant: bool,
}

impl Default for TableDefaults {
    fn default() -> TableDefaults {
        TableDefaults {
            decision: const { Span::of_ms(30 * SECOND) },
            bank: const { Span::of_ms(2 * MINUTE) },
            grace: const { Span::of_ms(2 * MINUTE) },
            forfeit_after: const { Count::of(3) },
            fill_within: const { Span::of_ms(HOUR) },
            idle: const { Span::of_ms(5 * MINUTE) },
            hidden_window: const { Span::of_ms(5 * SECOND) },
            hidden_window_constant: false,
        }
    }
}

/// What is kept, and how long.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// How long a finished table can be read.
    pub finished: Keep,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { finished: const { Keep::days(30) } }
    }
}

/// The house bots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bots {
    /// Threads on which they think; 0 is one for each core.
    pub workers: Count<0, 256>,
    /// Decisions that wait for a thread.
    pub queue: Count<1, 1_000_000>,
    /// How many playouts the search bot makes for a decision.
    pub search_iterations: Count<1, 1_000_000>,
}

impl Bots {
    /// The number of threads, with the cores of this machine counted.
    #[must_use]
    pub fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.workers.get() as usize)
            .or_else(|| thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN)
    }
}

impl Default for Bots {
    fn default() -> Bots {
        Bots {
            workers: const { Count::of(0) },
            queue: const { Count::of(1_024) },
            search_iterations: const { Count::of(1_000) },
        }
    }
}

/// Agents: programs that play under a name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Agents {
    /// Tables at which one agent plays at once, whatever it says of itself.
    pub max_tables: Count<1, 10_000>,
    /// Names that are registered, in all.
    pub known: Count<1, 100_000>,
    /// Names that one API key, or everyone together where there are none, may register.
    pub known_per_key: Count<1, 100_000>,
    /// How long an agent has to say hello after it has connected.
    pub hello_within: Span<SECOND, { 10 * MINUTE }>,
    /// After how many clocks that ran out in a row an agent is set aside.
    pub time_outs: Count<1, 10_000>,
    /// After how many answers that were refused in a row.
    pub refused: Count<1, 10_000>,
    /// After how many broken connections, while it was playing.
    pub breaks: Count<2, 10_000>,
    /// After how many times that it was cut off for reading too slowly.
    pub slow: Count<2, 10_000>,
    /// Within what time broken connections and slow reading are counted together.
    pub within: Span<SECOND, DAY>,
    /// How long an agent is set aside the first time; each time after that it is twice as long.
    pub aside_first: Span<SECOND, DAY>,
    /// How long an agent is set aside at the most.
    pub aside_longest: Span<SECOND, { 30 * DAY }>,
}

impl Default for Agents {
    fn default() -> Agents {
        Agents {
            max_tables: const { Count::of(1_000) },
            known: const { Count::of(10_000) },
            known_per_key: const { Count::of(5_000) },
            hello_within: const { Span::of_ms(10 * SECOND) },
            time_outs: const { Count::of(6) },
            refused: const { Count::of(20) },
            breaks: const { Count::of(10) },
            slow: const { Count::of(3) },
            within: const { Span::of_ms(MINUTE) },
            aside_first: const { Span::of_ms(10 * SECOND) },
            aside_longest: const { Span::of_ms(10 * MINUTE) },
        }
    }
}

/// What is logged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Logging {
    /// How log lines look.
    pub format: LogFormat,
    /// How much is logged.
    pub level: LogLevel,
}

impl Default for Logging {
    fn default() -> Logging {
        Logging { format: LogFormat::Text, level: LogLevel::Info }
    }
}

/// Where traces go.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// The OTLP collector (gRPC); none to send no traces.
    #[serde(with = "plain")]
    pub otlp: Option<Endpoint>,
}
