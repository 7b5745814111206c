//! Pages of what happened at a table: the newest first, each in the order of the game.

use parlor_engine::Lang;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::budget::{Budget, line_length};
use super::log::SeatLog;

/// A page of what happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryPage {
    /// Handle of the seat.
    pub seat_handle: String,
    /// What happened, oldest first.
    pub events: Vec<String>,
    /// Number of the first update on the page; null if the page is empty.
    pub from: Option<u32>,
    /// Number of the last update on the page; null if the page is empty.
    pub to: Option<u32>,
    /// Number for `before` that gives the page before this one; null if this is the first.
    pub before: Option<u32>,
    /// True if the beginning of the game is not known here, as this program connected later.
    pub beginning_unknown: bool,
}

impl HistoryPage {
    /// The last updates before a number, as many as fit.
    #[must_use]
    pub fn new(log: &SeatLog, seat_handle: &str, before: Option<u32>, budget: Budget) -> HistoryPage {
        let mut room = budget.variable_part();
        let mut page = Vec::new();
        let older =
            log.updates.iter().rev().filter(|update| before.is_none_or(|before| update.number < before));
        for update in older {
            let length: usize = update.texts.iter().map(|text| line_length(text)).sum();
            // One update is always shown, or no page would ever end.
            if length > room && !page.is_empty() {
                break;
            }
            room = room.saturating_sub(length);
            page.push(update);
        }
        page.reverse();
        let from = page.first().map(|update| update.number);
        let has_older = from.is_some_and(|from| log.updates.front().is_some_and(|first| first.number < from));
        HistoryPage {
            seat_handle: seat_handle.to_owned(),
            events: page.iter().flat_map(|update| update.texts.clone()).collect(),
            from,
            to: page.last().map(|update| update.number),
            before: from.filter(|_| has_older),
            beginning_unknown: !log.is_complete,
        }
    }

    /// The page as a text.
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        let mut lines = Vec::new();
        match self.before {
            Some(before) => lines.push(match lang {
                Lang::En => format!("(older: history with before {before})"),
                Lang::De => format!("(älter: history mit before {before})"),
            }),
            None if self.beginning_unknown => lines.push(match lang {
                Lang::En => "(the beginning is not known here; look shows all that you know now)".to_owned(),
                Lang::De => {
                    "(der Anfang ist hier nicht bekannt; look zeigt alles, was du jetzt weißt)".to_owned()
                }
            }),
            None => {}
        }
        lines.extend(self.events.iter().map(|event| format!("- {event}")));
        if self.events.is_empty() {
            lines.push(match lang {
                Lang::En => "Nothing has happened yet.".to_owned(),
                Lang::De => "Noch ist nichts geschehen.".to_owned(),
            });
        }
        lines.join("\n")
    }
}
