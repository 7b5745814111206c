//! Runs the tables of one check over the agent's connection, and records the agent's faults: messages to the
//! agent (`outbound.rs`), messages from it (`inbound.rs`), disconnects and reconnects (`reconnect.rs`).

mod inbound;
mod outbound;
mod reconnect;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use parlor_cli::lang::BilingualText;
use parlor_sdk::wire;

use super::server::{AgentConnection, ExamServer};
use super::table::RefereedTable;
use reconnect::Disconnect;

/// Maximum number of faults, and of notes, reported for a check.
const MAX_REPORTED_FAULTS: usize = 5;
/// Maximum items per message, well below the limit of 256 KiB.
const MAX_ITEMS_PER_MESSAGE: usize = 64;

/// The agent did not come back; no further check can run.
#[derive(Debug)]
pub(super) struct AgentGone;

/// Answer latencies of the agent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AnswerTimes {
    pub(super) answers: u32,
    pub(super) sum: Duration,
    pub(super) longest: Duration,
    pub(super) reported: u32,
}

pub(super) struct CheckRunner<'a> {
    server: &'a mut ExamServer,
    connection: Option<AgentConnection>,
    /// The agent's first hello.
    pub(super) hello: wire::AgentHello,
    tables: Vec<RefereedTable>,
    queued: VecDeque<RefereedTable>,
    max_open: usize,
    channels: BTreeMap<u32, (usize, u32)>,
    last_channel: u32,
    /// Channels up to this number belong to earlier streams.
    last_stale_channel: u32,
    replies: Vec<wire::StreamItem>,
    pending_disconnect: Option<Disconnect>,
    /// Send snapshots on the next reconnect even where the agent has a bookmark.
    ignore_bookmarks: bool,
    patience: Duration,
    pub(super) faults: Vec<BilingualText>,
    pub(super) notes: Vec<BilingualText>,
    pub(super) times: AnswerTimes,
    tables_created: u64,
}

impl<'a> CheckRunner<'a> {
    pub(super) fn new(
        server: &'a mut ExamServer,
        connection: AgentConnection,
        patience: Duration,
    ) -> CheckRunner<'a> {
        let hello = connection.first.hello.clone().unwrap_or_default();
        CheckRunner {
            server,
            connection: Some(connection),
            hello,
            tables: Vec::new(),
            queued: VecDeque::new(),
            max_open: 1,
            channels: BTreeMap::new(),
            last_channel: 0,
            last_stale_channel: 0,
            replies: Vec::new(),
            pending_disconnect: None,
            ignore_bookmarks: false,
            patience,
            faults: Vec::new(),
            notes: Vec::new(),
            times: AnswerTimes::default(),
            tables_created: 0,
        }
    }

    pub(super) fn fault(&mut self, en: impl Into<String>, de: impl Into<String>) {
        let text = BilingualText::new(en, de);
        if self.faults.len() < MAX_REPORTED_FAULTS && !self.faults.contains(&text) {
            self.faults.push(text);
        }
    }

    pub(super) fn note(&mut self, en: impl Into<String>, de: impl Into<String>) {
        let text = BilingualText::new(en, de);
        if self.notes.len() < MAX_REPORTED_FAULTS && !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Welcomes the agent, which has no seats yet.
    pub(super) async fn welcome(&mut self) {
        self.send_welcome(0).await;
    }

    async fn send_welcome(&mut self, seats: u32) {
        let welcome = Some(wire::AgentWelcome { max_tables: self.hello.max_tables, seats, set_aside: None });
        self.send(wire::ConnectResponse { welcome, ..Default::default() }).await;
    }

    async fn send(&self, response: wire::ConnectResponse) {
        if let Some(connection) = &self.connection {
            connection.send(response).await;
        }
    }

    /// Number of the next table.
    pub(super) fn next_table_number(&mut self) -> u64 {
        self.tables_created += 1;
        self.tables_created
    }

    /// Plays tables to the end, at most `max_open` at once.
    pub(super) async fn play(
        &mut self,
        tables: Vec<RefereedTable>,
        max_open: usize,
    ) -> Result<(), AgentGone> {
        self.max_open = max_open.max(1);
        self.queued = tables.into();
        self.tables.clear();
        self.channels.clear();
        self.last_stale_channel = self.last_channel;
        loop {
            self.open_queued_tables();
            let items = self.collect_items();
            for items in items.chunks(MAX_ITEMS_PER_MESSAGE) {
                self.send(wire::ConnectResponse { items: items.to_vec(), ..Default::default() }).await;
            }
            if let Some(kind) = self.pending_disconnect.take() {
                self.disconnect(kind).await?;
                continue;
            }
            if self.queued.is_empty() && self.tables.iter().all(RefereedTable::is_over) {
                return Ok(());
            }
            self.receive().await?;
        }
    }

    fn open_queued_tables(&mut self) {
        while self.tables.iter().filter(|table| !table.is_over()).count() < self.max_open {
            let Some(table) = self.queued.pop_front() else { return };
            self.tables.push(table);
        }
    }
}
