//! Line mode: the table as text lines, for pipes, screen readers and terminals that cannot draw.

#[cfg(test)]
mod tests;

use std::time::Duration;

use parlor_engine::Localise;
use ratatui::text::Line;

use crate::lang::words;
use crate::screen::{
    Theme, ViewRenderer, Viewport, explain, match_query, move_number, parse_move_number, rules,
};
use crate::table::{Intent, TableMessage, ViewerState};

/// Longest list of moves printed with a prompt.
const MAX_LISTED_MOVES: usize = 40;

/// Number of past events printed when a game is resumed.
const MAX_PAST_EVENTS: usize = 20;

/// Width of the drawn table, in columns.
const TABLE_WIDTH: u16 = 78;

/// Height of a table that fills its viewport, in rows.
const MAX_TABLE_HEIGHT: u16 = 24;

/// Line-mode display: messages and typed lines in, printed lines and intents out.
pub struct LineMode {
    state: ViewerState,
    theme: Theme,
    /// Labels of the moves, in the order of the list.
    labels: Vec<String>,
    /// The listed moves, as indices of the legal actions.
    order: Vec<usize>,
    last_asked: Option<u32>,
}

impl LineMode {
    /// Creates a display without any table data.
    #[must_use]
    pub fn new(lang: parlor_engine::Lang) -> LineMode {
        let theme = Theme { lang, colours: false };
        LineMode {
            state: ViewerState::new(lang),
            theme,
            labels: Vec::new(),
            order: Vec::new(),
            last_asked: None,
        }
    }

    /// The viewer's state.
    #[must_use]
    pub fn state(&self) -> &ViewerState {
        &self.state
    }

    /// Reports whether the table is over or the stream closed.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.closed || self.state.result().is_some()
    }

    /// Reports whether a decision is open and unanswered.
    #[must_use]
    pub fn awaits_answer(&self) -> bool {
        self.state.decision.is_some() && self.state.sent.is_none()
    }

    /// Advances the running clocks.
    pub fn advance_time(&mut self, elapsed: Duration) {
        self.state.advance_time(elapsed);
    }

    /// Applies a message, and returns the lines to print.
    pub fn apply(&mut self, message: TableMessage) -> Vec<String> {
        let lang = self.theme.lang;
        let (was_connected, was_over) = (self.state.connected, self.is_over());
        let first = matches!(message, TableMessage::Snapshot(_));
        let is_history = matches!(message, TableMessage::History(_));
        let mut entries = self.state.apply(message);
        if is_history {
            entries.drain(..entries.len().saturating_sub(MAX_PAST_EVENTS));
        }
        let mut lines: Vec<String> = entries.into_iter().map(|entry| entry.text).collect();
        if first {
            lines.extend(self.seat_lines());
            // Players see the table with each prompt.
            if self.state.viewer.seat().is_none() {
                lines.extend(self.table_lines());
            }
        }
        match (was_connected, self.state.connected) {
            (true, false) => lines.push(words::CONNECTION_LOST.get(lang).to_owned()),
            (false, true) => lines.push(words::LINE_MODE_RECONNECTED.get(lang).to_owned()),
            _ => {}
        }
        let now = self.state.decision.as_ref().map(|asked| asked.id);
        if now.is_some() && now != self.last_asked {
            lines.extend(self.prompt_lines());
        }
        // A decision sent again after a snapshot is not prompted for twice.
        self.last_asked = now.or(self.last_asked);
        if !was_over && self.is_over() {
            lines.extend(self.result_lines());
        }
        lines
    }

    /// Handles a typed line: lines to print, and the resulting intent.
    pub fn handle_line(&mut self, line: &str) -> (Vec<String>, Option<Intent>) {
        let lang = self.theme.lang;
        let text = |text: parlor_engine::Text| vec![text.get(lang).to_owned()];
        match line.trim() {
            "?" | "help" | "hilfe" => (text(words::LINE_MODE_HELP), None),
            "q" | "quit" | "exit" | "ende" => (text(words::LINE_MODE_LEFT), Some(Intent::Leave)),
            "table" | "tisch" => ([self.seat_lines(), self.table_lines()].concat(), None),
            "rules" | "regeln" => (self.state.game().map_or_else(Vec::new, |game| rules(game, lang)), None),
            "" | "moves" | "züge" | "zuege" => (self.move_lines(), None),
            typed => {
                let (lines, intent) = self.choose(typed);
                if let Some(Intent::Answer { index, .. }) = intent {
                    self.state.sent = Some(index);
                }
                (lines, intent)
            }
        }
    }

    fn choose(&self, typed: &str) -> (Vec<String>, Option<Intent>) {
        let lang = self.theme.lang;
        let Some(decision) = self.state.decision.as_ref().filter(|_| self.awaits_answer()) else {
            return (vec![words::NOT_YOUR_TURN.get(lang).to_owned()], None);
        };
        let play = |place: usize| {
            let index = *self.order.get(place)?;
            Some(Intent::Answer { decision: decision.id, index: index as u32 })
        };
        let none = || {
            (
                vec![self.why_not(typed).unwrap_or_else(|| words::LINE_MODE_NO_MATCH.get(lang).to_owned())],
                None,
            )
        };
        if let Some(number) = parse_move_number(typed) {
            let index = number.checked_sub(1).filter(|index| *index < self.labels.len());
            return index.map_or_else(none, |index| (Vec::new(), play(index)));
        }
        let query = typed.strip_prefix('/').unwrap_or(typed);
        let ranked: Vec<_> = (0..self.labels.len())
            .filter_map(|index| Some((match_query(query, &self.labels[index])?, index)))
            .collect();
        let best = ranked.iter().map(|(quality, _)| *quality).min();
        let matching: Vec<usize> =
            ranked.iter().filter(|(quality, _)| Some(*quality) == best).map(|(_, index)| *index).collect();
        match matching[..] {
            [] => none(),
            [only] => (Vec::new(), play(only)),
            _ => {
                let mut lines = vec![words::LINE_MODE_AMBIGUOUS.get(lang).to_owned()];
                lines.extend(matching.into_iter().map(|index| self.numbered_move(index)));
                (lines, None)
            }
        }
    }

    /// Table, prompt and moves of the open decision.
    fn prompt_lines(&mut self) -> Vec<String> {
        let lang = self.theme.lang;
        let (Some(view), Some(decision)) = (&self.state.view, &self.state.decision) else {
            return Vec::new();
        };
        let labels = ViewRenderer(view).action_labels(&decision.legal, lang, &self.state.names());
        self.order = ViewRenderer(view).order(&decision.legal);
        self.labels = self.order.iter().filter_map(|index| labels.get(*index).cloned()).collect();
        let mut lines = self.table_lines();
        if decision.secret {
            lines.push(words::SECRET_DECISION.get(lang).to_owned());
        }
        let time = decision.time_left.map_or_else(String::new, |left| format!(" ({})", left.clock_text()));
        lines.push(format!("{}{time}", ViewRenderer(view).question(lang, &self.state.names())));
        if self.labels.len() <= MAX_LISTED_MOVES {
            lines.extend(self.move_lines());
        } else {
            lines.push(words::many_moves(self.labels.len(), lang));
        }
        lines.push(words::LINE_MODE_PROMPT.get(lang).to_owned());
        lines
    }

    /// The rule that the typed move would break.
    fn why_not(&self, typed: &str) -> Option<String> {
        let view = self.state.view.as_ref()?;
        explain(typed, view, self.state.legal(), self.theme.lang, &self.state.names())
    }

    fn move_lines(&self) -> Vec<String> {
        if self.state.decision.is_none() {
            return vec![words::NOT_YOUR_TURN.get(self.theme.lang).to_owned()];
        }
        (0..self.labels.len()).map(|index| self.numbered_move(index)).collect()
    }

    fn numbered_move(&self, index: usize) -> String {
        format!("{:>4} {}", move_number(index), self.labels[index])
    }

    /// The table and the viewer's hand.
    fn table_lines(&self) -> Vec<String> {
        let Some(view) = &self.state.view else { return Vec::new() };
        let viewport = Viewport { width: TABLE_WIDTH, height: MAX_TABLE_HEIGHT, offset: (0, 0) };
        let mut lines = vec![format!("-- {}", ViewRenderer(view).stage(self.theme.lang))];
        let picture = ViewRenderer(view).table(None, self.theme, viewport, &self.state.names());
        lines.extend(picture.iter().map(line_text).filter(|line| !line.is_empty()));
        let hand: Vec<String> = ViewRenderer(view).hand(None, self.theme).iter().map(line_text).collect();
        if !hand.is_empty() {
            lines.push(format!("{}: {}", words::HAND.get(self.theme.lang), hand.join("  ")));
        }
        lines
    }

    /// The seats, with cards and points.
    fn seat_lines(&self) -> Vec<String> {
        let lang = self.theme.lang;
        let Some(table) = &self.state.table else { return Vec::new() };
        let options = table.options.in_lang(lang);
        let name = table.game.info().name.get(lang);
        let mut lines = vec![format!("{name} ({options}), {}", words::table_id(&table.id, lang))];
        if table.seed_given {
            lines.push(words::SEED_GIVEN.get(lang).to_owned());
        }
        let statuses = self.state.view.as_ref().map_or_else(Vec::new, |view| ViewRenderer(view).seats());
        for seat in parlor_engine::Seat::all(table.players()) {
            let mut line = format!("{seat} {}", self.state.name(seat));
            if self.state.viewer.is(seat) && self.state.has_name(seat) {
                line = format!("{line} {}", words::YOU.get(lang));
            }
            if self.state.is_away(seat) {
                line = format!("{line} {}", words::AWAY.get(lang));
            }
            if let (Some(view), Some(status)) = (&self.state.view, statuses.get(seat.index())) {
                let [cards, points] = [words::CARDS, words::POINTS].map(|word| word.get(lang));
                line = format!("{line}, {cards} {}, {points} {}", status.cards, status.points);
                if let Some(mark) = ViewRenderer(view).badge(seat, lang) {
                    line = format!("{line}, {mark}");
                }
            }
            lines.push(line);
        }
        if self.state.view.is_none() && table.result.is_none() {
            lines.push(words::WAITING_FOR_PLAYERS.get(lang).to_owned());
        }
        lines
    }

    fn result_lines(&self) -> Vec<String> {
        let Some(result) = self.state.result() else {
            return vec![words::STREAM_CLOSED.get(self.theme.lang).to_owned()];
        };
        let mut seats = result.seats.clone();
        seats.sort_by_key(|score| (score.place, score.seat));
        let own = seats.iter().find(|score| self.state.viewer.is(score.seat));
        let mut lines: Vec<String> = own
            .map(|score| words::own_place(score.place, seats.len(), self.theme.lang))
            .into_iter()
            .collect();
        lines.extend(seats.iter().map(|score| self.state.result_text(score)));
        lines
    }
}

/// Text of a drawn line, without styles and trailing blanks.
fn line_text(line: &Line<'_>) -> String {
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    text.trim_end().to_owned()
}
