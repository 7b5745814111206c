//! The result of a table, and beside it how the seat was played from here.

use parlor_engine::Lang;
use parlor_sdk::wire;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::log::SeatLog;

/// How a seat was played by a client. It is kept by the client, and is no part of the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Conduct {
    /// Number of calls of tools with the seat.
    pub calls: u64,
    /// Number of answers that were accepted.
    pub answers: u64,
    /// Number of illegal or unreadable answers.
    pub strikes: u64,
    /// Number of decisions at which the default was played because of strikes.
    pub defaults: u64,
    /// Time between decisions and their answers, in milliseconds.
    pub time_ms: u64,
}

impl Conduct {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: Conduct) {
        self.calls += other.calls;
        self.answers += other.answers;
        self.strikes += other.strikes;
        self.defaults += other.defaults;
        self.time_ms += other.time_ms;
    }
}

/// Result of one seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatPlace {
    /// Seat.
    pub seat: u32,
    /// Place; 1 is the best.
    pub place: u32,
    /// Points.
    pub points: i32,
}

/// Result of a table for one seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TableReport {
    /// Handle of the seat.
    pub seat_handle: String,
    /// Id of the table, and of its record.
    pub table: String,
    /// Id of the game.
    pub game: String,
    /// Number of your seat.
    pub seat: u32,
    /// True once the table is over.
    pub over: bool,
    /// Reason of the end, such as END_REASON_PLAYED_OUT; empty while the table is played.
    pub reason: String,
    /// Your place; null unless the game was played out.
    pub place: Option<u32>,
    /// Your points; null unless the game was played out.
    pub points: Option<i32>,
    /// Results of all seats; empty unless the game was played out.
    pub seats: Vec<SeatPlace>,
    /// The end and the result of each seat, in sentences.
    pub texts: Vec<String>,
    /// How the seat was played from here. It is no part of the record.
    pub conduct: Conduct,
}

impl TableReport {
    /// The report of a seat with this handle.
    #[must_use]
    pub fn new(log: &SeatLog, seat_handle: &str, conduct: Conduct) -> TableReport {
        let result = log.result.as_ref();
        let seats = result.map(|result| result.seats.as_slice()).unwrap_or_default();
        let own = seats.iter().find(|seat| seat.seat == log.seat);
        let place =
            |seat: &wire::SeatResult| SeatPlace { seat: seat.seat, place: seat.place, points: seat.points };
        TableReport {
            seat_handle: seat_handle.to_owned(),
            table: log.table.clone(),
            game: log.game.clone(),
            seat: log.seat,
            over: result.is_some(),
            reason: result.map_or("", |result| result.reason().as_str_name()).to_owned(),
            place: own.map(|own| own.place),
            points: own.map(|own| own.points),
            seats: seats.iter().map(place).collect(),
            texts: log.result_texts.clone(),
            conduct,
        }
    }

    /// The report as a text.
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        let TableReport { table, game, seat, .. } = self;
        let mut lines = vec![match (lang, self.over) {
            (Lang::En, true) => format!("Table {table} ({game}, your seat {seat}) is over."),
            (Lang::En, false) => format!("Table {table} ({game}, your seat {seat}) is still played."),
            (Lang::De, true) => format!("Tisch {table} ({game}, dein Sitz {seat}) ist zu Ende."),
            (Lang::De, false) => format!("Tisch {table} ({game}, dein Sitz {seat}) läuft noch."),
        }];
        lines.extend(self.texts.iter().cloned());
        let Conduct { calls, answers, strikes, defaults, time_ms } = self.conduct;
        let seconds = time_ms / 1000;
        lines.push(match lang {
            Lang::En => format!(
                "Played from here: calls: {calls}, answers: {answers}, seconds to answer: {seconds}, strikes: {strikes}, defaults \
                 played because of them: {defaults}."
            ),
            Lang::De => format!(
                "Von hier gespielt: Aufrufe: {calls}, Antworten: {answers}, Sekunden dafür: {seconds}, Verwarnungen: {strikes}, \
                 dadurch verlorene Entscheidungen: {defaults}."
            ),
        });
        lines.join("\n")
    }
}
