//! Messages from the table: queued, shown at the pace of the screen, and logged.

use std::time::Duration;

use super::move_choice::MoveChoice;
use super::round_summary::RoundSummary;
use super::{MAX_LOG_ENTRIES, Overlay, Screen};
use crate::table::{DecidedBy, LogEntry, LogEntryKind, TableMessage};

impl Screen {
    /// Receives a message: it is shown when those before it have been, and moves of others at the pace of this screen.
    pub fn receive(&mut self, message: TableMessage) {
        match message {
            // These are about the viewer's own doing.
            TableMessage::Connection(_) | TableMessage::Refused { .. } | TableMessage::History(_) => {
                return self.apply(message);
            }
            // The state after all that waits.
            TableMessage::Snapshot(_) => {
                self.round = None;
                while let Some(waiting) = self.pacer.pop() {
                    self.apply(waiting);
                }
                self.apply(message);
            }
            message => self.pacer.push(message),
        }
        self.show_due();
    }

    /// Shows the waiting messages whose time has come.
    pub(super) fn show_due(&mut self) {
        if self.pacer.is_urgent() {
            self.round = None;
            return self.show_waiting();
        }
        while self.round.is_none()
            && let Some(message) = self.pacer.pop_due()
        {
            self.show(message);
        }
    }

    /// Shows the waiting messages at once, up to the end of a round.
    pub(super) fn show_waiting(&mut self) {
        while self.round.is_none()
            && let Some(message) = self.pacer.pop()
        {
            self.show(message);
        }
    }

    /// Applies a message, and stops if a round ends with it.
    fn show(&mut self, message: TableMessage) {
        let before = self.state.view.clone();
        let known = self.log.len();
        let is_move = matches!(&message, TableMessage::Update(update) if !update.events.is_empty());
        self.apply(message);
        let plays = self.state.viewer.seat().is_some() && !self.pacer.is_urgent();
        let stops = self.stops_at_rounds && plays && is_move && self.pacer.begins_round();
        if let (true, Some(before), Some(after)) = (stops, before, &self.state.view) {
            let texts = self.log.iter().skip(known).map(|entry| entry.text.clone());
            self.round = Some(RoundSummary::new(&before, after, texts.collect()));
        }
    }

    /// Applies a message at once.
    pub fn apply(&mut self, message: TableMessage) {
        let before = self.state.decision.as_ref().map(|asked| asked.id);
        let is_decision = matches!(message, TableMessage::Decision(_));
        let is_history = matches!(message, TableMessage::History(_));
        if let TableMessage::Update(update) = &message
            && update.decided.as_ref().is_some_and(|decided| decided.by == DecidedBy::Player)
        {
            self.new_entries = 0;
        }
        let entries = self.state.apply(message);
        if is_history {
            self.prepend_to_log(entries);
        } else {
            self.append_to_log(entries);
        }
        let now = self.state.decision.as_ref().map(|asked| asked.id);
        if is_decision && (now != before || self.choice.len() != self.state.legal().len()) {
            self.choice = match &self.state.view {
                Some(view) => MoveChoice::new(view, self.state.legal(), self.lang(), &self.state.names()),
                None => MoveChoice::default(),
            };
            self.table_offset = (0, 0);
            if self.overlay == Some(Overlay::Leaving) {
                self.overlay = None;
            }
        }
        if now.is_none() {
            self.choice = MoveChoice::default();
        }
    }

    fn append_to_log(&mut self, entries: Vec<LogEntry>) {
        for entry in entries {
            if entry.kind == LogEntryKind::Warning {
                self.warning = Some(entry.text.clone());
            }
            self.log.push_back(entry);
            self.new_entries += 1;
            if self.log_offset > 0 {
                // What is being read stays where it is.
                self.log_offset += 1;
            }
        }
        while self.log.len() > MAX_LOG_ENTRIES {
            self.log.pop_front();
        }
        self.new_entries = self.new_entries.min(self.log.len());
        self.log_offset = self.log_offset.min(self.log.len());
    }

    fn prepend_to_log(&mut self, entries: Vec<LogEntry>) {
        for entry in entries.into_iter().rev() {
            if self.log.len() < MAX_LOG_ENTRIES {
                self.log.push_front(entry);
            }
        }
    }

    /// Advances the running clocks, and shows what is due.
    pub fn advance_time(&mut self, elapsed: Duration) {
        self.state.advance_time(elapsed);
        self.pacer.advance(elapsed);
        self.show_due();
    }
}
