//! Settings of a host. The server reads them from its configuration and checks their bounds.

use std::num::NonZeroUsize;
use std::time::Duration;

/// Settings of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostSettings {
    /// House bots.
    pub bots: BotSettings,
    /// Agents.
    pub agents: AgentSettings,
    /// Time after which an unused table leaves memory.
    pub idle_timeout: Duration,
    /// Time in which entropy that was committed to must be revealed: at a table, and in each step of a tournament.
    pub reveal_within: Duration,
    /// Requests that may be queued for one table.
    pub table_queue: usize,
    /// Items that may be queued for one stream before it is cut off.
    pub stream_queue: usize,
    /// Bytes that may be queued for one stream before it is cut off.
    pub stream_bytes: usize,
    /// Maximum bytes of one stream message, except for a single larger item.
    pub batch_bytes: usize,
    /// Channels that one stream may have attached.
    pub channels_per_stream: u32,
    /// Spectators that one table may have.
    pub spectators_per_table: usize,
    /// Spectators that one table may have from one caller.
    pub spectators_per_caller: usize,
    /// Time for which finished tables are kept; `None` keeps them for ever.
    pub keep_finished: Option<Duration>,
}

impl HostSettings {
    /// The defaults.
    pub const DEFAULT: HostSettings = HostSettings {
        bots: BotSettings::DEFAULT,
        agents: AgentSettings::DEFAULT,
        idle_timeout: Duration::from_secs(5 * 60),
        reveal_within: Duration::from_secs(10),
        table_queue: 64,
        stream_queue: 1_024,
        stream_bytes: 4 * 1024 * 1024,
        batch_bytes: 256 * 1024,
        channels_per_stream: 4_096,
        spectators_per_table: 1_000,
        spectators_per_caller: 100,
        keep_finished: Some(Duration::from_secs(30 * 24 * 3600)),
    };
}

impl Default for HostSettings {
    fn default() -> HostSettings {
        HostSettings::DEFAULT
    }
}

/// Settings of the house bots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotSettings {
    /// Worker threads; `None` is one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Decisions that may be queued for a worker.
    pub queue: usize,
}

impl BotSettings {
    /// The defaults.
    pub const DEFAULT: BotSettings = BotSettings { threads: None, queue: 1_024 };

    /// Number of worker threads on this machine.
    #[must_use]
    pub fn thread_count(&self) -> NonZeroUsize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }
}

/// Settings of agents: limits on their number, and the conditions that suspend one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentSettings {
    /// Tables at which one agent may play at once, regardless of the number it asks for.
    pub max_tables: u32,
    /// Part of an agent's capacity that the tables of one owner may hold, other than the owner of its name, in percent.
    pub owner_share: u32,
    /// Registered agent names in total.
    pub max_agents: u32,
    /// Registered agent names per API key.
    pub max_agents_per_key: u32,
    /// Time after which an unused name may be taken away when a limit is reached; `None` for never.
    pub name_expiry: Option<Duration>,
    /// Consecutive time-outs that suspend an agent.
    pub max_time_outs: u32,
    /// Consecutive refused answers that suspend an agent.
    pub max_refused_answers: u32,
    /// Broken connections within `counting_window` that suspend an agent.
    pub max_disconnects: u32,
    /// Cut-offs for slow reading within `counting_window` that suspend an agent.
    pub max_slow_reads: u32,
    /// Window in which broken connections and slow reading are counted.
    pub counting_window: Duration,
    /// Length of the first suspension; each further one doubles it.
    pub first_suspension: Duration,
    /// Longest suspension.
    pub longest_suspension: Duration,
}

impl AgentSettings {
    /// The defaults.
    pub const DEFAULT: AgentSettings = AgentSettings {
        max_tables: 1_000,
        owner_share: 50,
        max_agents: 10_000,
        max_agents_per_key: 1_000,
        name_expiry: Some(Duration::from_secs(30 * 24 * 60 * 60)),
        max_time_outs: 6,
        max_refused_answers: 20,
        max_disconnects: 10,
        max_slow_reads: 3,
        counting_window: Duration::from_secs(60),
        first_suspension: Duration::from_secs(10),
        longest_suspension: Duration::from_secs(10 * 60),
    };
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings::DEFAULT
    }
}
