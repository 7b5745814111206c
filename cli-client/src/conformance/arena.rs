//! The tables of one check over the agent's connection, and what the agent does wrong there: what it is told
//! (`telling.rs`), what it says (`hearing.rs`), and how it comes back (`breaks.rs`).

mod breaks;
mod hearing;
mod telling;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use parlor_sdk::wire;

use super::line::{Connection, Line};
use super::report::Said;
use super::table::Table;
use breaks::Break;

/// The most faults of a check that are told.
const MOST_SAID: usize = 5;
/// The most items of a message: far below the 256 KiB that it may have.
const MOST_ITEMS: usize = 64;

/// The agent is gone, and no check can go on.
#[derive(Debug)]
pub(super) struct Gone;

/// How fast the agent answers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) answers: u32,
    pub(super) sum: Duration,
    pub(super) longest: Duration,
    pub(super) reported: u32,
}

pub(super) struct Arena<'a> {
    line: &'a mut Line,
    connection: Option<Connection>,
    /// What it said first.
    pub(super) who: wire::AgentHello,
    tables: Vec<Table>,
    waiting: VecDeque<Table>,
    at_once: usize,
    channels: BTreeMap<u32, (usize, u32)>,
    last_channel: u32,
    /// Channels up to here belong to other streams.
    floor: u32,
    replies: Vec<wire::StreamItem>,
    due: Option<Break>,
    /// Whether the next snapshot comes in spite of a bookmark.
    forgetful: bool,
    patience: Duration,
    pub(super) faults: Vec<Said>,
    pub(super) notes: Vec<Said>,
    pub(super) times: Times,
    made: u64,
}

impl<'a> Arena<'a> {
    pub(super) fn new(line: &'a mut Line, connection: Connection, patience: Duration) -> Arena<'a> {
        let who = connection.first.hello.clone().unwrap_or_default();
        Arena {
            line,
            connection: Some(connection),
            who,
            tables: Vec::new(),
            waiting: VecDeque::new(),
            at_once: 1,
            channels: BTreeMap::new(),
            last_channel: 0,
            floor: 0,
            replies: Vec::new(),
            due: None,
            forgetful: false,
            patience,
            faults: Vec::new(),
            notes: Vec::new(),
            times: Times::default(),
            made: 0,
        }
    }

    pub(super) fn fault(&mut self, en: impl Into<String>, de: impl Into<String>) {
        let said = Said::new(en, de);
        if self.faults.len() < MOST_SAID && !self.faults.contains(&said) {
            self.faults.push(said);
        }
    }

    pub(super) fn note(&mut self, en: impl Into<String>, de: impl Into<String>) {
        let said = Said::new(en, de);
        if self.notes.len() < MOST_SAID && !self.notes.contains(&said) {
            self.notes.push(said);
        }
    }

    /// Welcomes the agent, which has no seats yet.
    pub(super) async fn welcome(&mut self) {
        self.greet(0).await;
    }

    async fn greet(&mut self, seats: u32) {
        let welcome = Some(wire::AgentWelcome { max_tables: self.who.max_tables, seats, set_aside: None });
        self.send(wire::ConnectResponse { welcome, ..Default::default() }).await;
    }

    async fn send(&self, response: wire::ConnectResponse) {
        if let Some(connection) = &self.connection {
            connection.send(response).await;
        }
    }

    /// The number of the next table.
    pub(super) fn next_number(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// Plays tables to their end, so many of them at once.
    pub(super) async fn play(&mut self, tables: Vec<Table>, at_once: usize) -> Result<(), Gone> {
        self.at_once = at_once.max(1);
        self.waiting = tables.into();
        self.tables.clear();
        self.channels.clear();
        self.floor = self.last_channel;
        loop {
            self.seat_more();
            let items = self.collect();
            for items in items.chunks(MOST_ITEMS) {
                self.send(wire::ConnectResponse { items: items.to_vec(), ..Default::default() }).await;
            }
            if let Some(kind) = self.due.take() {
                self.break_off(kind).await?;
                continue;
            }
            if self.waiting.is_empty() && self.tables.iter().all(Table::is_over) {
                return Ok(());
            }
            self.listen().await?;
        }
    }

    fn seat_more(&mut self) {
        while self.tables.iter().filter(|table| !table.is_over()).count() < self.at_once {
            let Some(table) = self.waiting.pop_front() else { return };
            self.tables.push(table);
        }
    }
}
