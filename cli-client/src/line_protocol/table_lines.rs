//! Lines about one seat, built from the messages of the server. They contain what the seat is sent, and
//! nothing else.

use parlor_proto::reflect::to_json;
use parlor_sdk::{Question, wire};
use serde_json::Value;

use super::message::{DecisionLine, EndLine, EventsLine, LegalActionLine, Line, StartLine};
use crate::table_text::{plain_text, seat_name};

/// Builder of the lines about one seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableLines {
    table: String,
    seat: u32,
}

impl TableLines {
    /// Lines about a seat.
    #[must_use]
    pub fn new(table: impl Into<String>, seat: u32) -> TableLines {
        TableLines { table: table.into(), seat }
    }

    /// Id of the table.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Number of the seat.
    #[must_use]
    pub fn seat(&self) -> u32 {
        self.seat
    }

    /// The first line about the seat.
    #[must_use]
    pub fn start(&self, table: &wire::Table) -> Line {
        Line::Start(StartLine {
            table: self.table.clone(),
            seat: self.seat,
            game: table.game.clone(),
            options: table.options.as_ref().map_or(Value::Null, to_json),
            names: table.seats.iter().map(seat_name).collect(),
        })
    }

    /// An update.
    #[must_use]
    pub fn events(&self, update: &wire::Update) -> Line {
        let texts = update.texts.as_ref();
        let sentences = texts.into_iter().flat_map(|texts| {
            texts.table_events.iter().chain(texts.decided.as_ref()).chain(&texts.events).map(plain_text)
        });
        Line::Events(EventsLine {
            table: self.table.clone(),
            seat: self.seat,
            number: update.number,
            texts: sentences.collect(),
            table_events: update.table_events.iter().map(to_json).collect(),
            decided: update.decided.as_ref().map(to_json),
            events: update.events.iter().map(to_json).collect(),
        })
    }

    /// A decision.
    #[must_use]
    pub fn decision(&self, question: &Question) -> Line {
        let texts = question.texts();
        let text_of_action = |index: usize| {
            texts.and_then(|texts| texts.actions.get(index)).map(plain_text).unwrap_or_default()
        };
        let legal_action = |(index, action): (usize, &wire::GameAction)| LegalActionLine {
            index: index as u32,
            text: text_of_action(index),
            action: to_json(action),
        };
        let millis = |time: std::time::Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let text = |text: Option<&wire::RichText>| text.map(plain_text).unwrap_or_default();
        Line::Decision(DecisionLine {
            table: self.table.clone(),
            seat: self.seat,
            decision: question.id(),
            after: question.after(),
            question: text(texts.and_then(|texts| texts.question.as_ref())),
            actions: question.legal_actions().iter().enumerate().map(legal_action).collect(),
            default_index: question.default_index() as u32,
            view: question.view().map_or(Value::Null, to_json),
            view_text: text(texts.and_then(|texts| texts.view.as_ref())),
            board: question.board().map_or(Value::Null, to_json),
            time_left_ms: question.time_left().map(millis),
            bank_left_ms: question.bank_left().map(millis),
            hidden: question.hidden(),
        })
    }

    /// The last line about the seat, with the texts of the update that ended the table.
    #[must_use]
    pub fn end(&self, result: Option<&wire::TableResult>, texts: Option<&wire::ResultTexts>) -> Line {
        let reason = result.map_or(wire::EndReason::Unspecified, wire::TableResult::reason);
        let texts = texts.into_iter().flat_map(|texts| texts.reason.iter().chain(&texts.seats));
        let played_out = reason == wire::EndReason::PlayedOut;
        Line::End(EndLine {
            table: self.table.clone(),
            seat: self.seat,
            reason: reason.as_str_name().to_owned(),
            texts: texts.map(plain_text).collect(),
            results: result.into_iter().flat_map(|result| &result.seats).map(to_json).collect(),
            record: played_out.then(|| self.table.clone()),
        })
    }
}
