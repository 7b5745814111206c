//! Pacing: moves of other players are shown one after the other, with time to read each.

use std::collections::VecDeque;
use std::time::Duration;

use super::renderer::begins_round;
use crate::table::{TableEvent, TableMessage, TimeLeft, Update};

/// Maximum number of waiting messages: more are shown without a pause.
const MAX_WAITING: usize = 256;

/// Time that a player needs for a decision: one with less is never held back.
const URGENT: Duration = Duration::from_secs(10);

/// Queue of messages that are not shown yet.
#[derive(Debug)]
pub(super) struct Pacer {
    pace: Duration,
    waiting: VecDeque<TableMessage>,
    /// Time since the last message was shown.
    since_shown: Duration,
    /// Set until the next decision: the player does not want to wait.
    skips: bool,
}

impl Pacer {
    pub(super) fn new(pace: Duration) -> Pacer {
        Pacer { pace, waiting: VecDeque::new(), since_shown: Duration::MAX, skips: false }
    }

    /// Queues a message. What happened before the end of a round is a message of its own.
    pub(super) fn push(&mut self, message: TableMessage) {
        match message {
            TableMessage::Update(update) => {
                let parts = split_at_rounds(*update).into_iter();
                self.waiting.extend(parts.map(|part| TableMessage::Update(Box::new(part))));
            }
            message => self.waiting.push_back(message),
        }
    }

    /// Reports whether messages wait.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The oldest message, if its time has come.
    pub(super) fn pop_due(&mut self) -> Option<TableMessage> {
        let is_due = match self.waiting.front()? {
            TableMessage::Update(update) if is_move_of_others(update) => {
                self.skips || self.since_shown >= self.pace
            }
            _ => true,
        };
        (is_due || self.waiting.len() > MAX_WAITING).then(|| self.pop()).flatten()
    }

    /// The oldest message, at once.
    pub(super) fn pop(&mut self) -> Option<TableMessage> {
        let message = self.waiting.pop_front()?;
        if matches!(&message, TableMessage::Update(update) if !update.events.is_empty()) {
            self.since_shown = Duration::ZERO;
        }
        if matches!(message, TableMessage::Decision(_)) {
            self.skips = false;
        }
        Some(message)
    }

    /// Lets time pass: also the clocks of waiting decisions run.
    pub(super) fn advance(&mut self, elapsed: Duration) {
        self.since_shown = self.since_shown.saturating_add(elapsed);
        for left in self.waiting.iter_mut().filter_map(time_left) {
            left.advance(elapsed);
        }
    }

    /// Reports whether the next message begins a round.
    pub(super) fn begins_round(&self) -> bool {
        matches!(self.waiting.front(), Some(TableMessage::Update(update)) if update.events.first().is_some_and(begins_round))
    }

    /// Ends the current pause.
    pub(super) fn end_pause(&mut self) {
        self.since_shown = Duration::MAX;
    }

    /// Shows everything without a pause until the next decision.
    pub(super) fn skip(&mut self) {
        self.skips = true;
    }

    /// Reports whether a player's time runs out while messages wait, or too many wait.
    pub(super) fn is_urgent(&mut self) -> bool {
        let mut times = self.waiting.iter_mut().filter_map(time_left);
        times.any(|left| left.decision + left.bank < URGENT) || self.waiting.len() > MAX_WAITING
    }
}

/// Time left of a decision.
fn time_left(message: &mut TableMessage) -> Option<&mut TimeLeft> {
    match message {
        TableMessage::Decision(decision) => decision.time_left.as_mut(),
        _ => None,
    }
}

fn is_move_of_others(update: &Update) -> bool {
    !update.events.is_empty() && update.decided.is_none()
}

/// Splits an update before each new round, so that the end of the one before can be looked at.
fn split_at_rounds(mut update: Update) -> Vec<Update> {
    let mut parts = Vec::new();
    while let Some(at) = update.events.iter().skip(1).position(begins_round) {
        let rest = update.events.split_off(at + 1);
        let last = |event: &TableEvent| matches!(event, TableEvent::Over(_) | TableEvent::Rematch(_));
        let (after, before) = update.table_events.into_iter().partition(last);
        let next = Update { table_events: after, decided: None, events: rest, ..update };
        let decided = update.decided;
        parts.push(Update {
            number: next.number,
            table_events: before,
            decided,
            events: update.events,
            view: None,
        });
        update = next;
    }
    parts.push(update);
    parts
}
