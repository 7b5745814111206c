//! Lines of the protocol: those for the program, and its answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the protocol, named in the first line. It changes when a program that follows the documentation
/// would no longer work.
pub const PROTOCOL_VERSION: u32 = 1;

/// A line for the program. Typed values of games are proto3 JSON of the API's messages, with default values.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    /// First line of a process.
    Hello(HelloLine),
    /// The program plays a seat.
    Start(StartLine),
    /// Something happened at a table.
    Events(EventsLine),
    /// The program has to choose.
    Decision(DecisionLine),
    /// A table is over.
    End(EndLine),
}

impl Line {
    /// The line as text, without the newline.
    #[must_use]
    pub fn encode(&self) -> String {
        serde_json::to_string(self).expect("lines have string keys")
    }
}

/// First line of a process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HelloLine {
    /// [`PROTOCOL_VERSION`].
    pub protocol: u32,
    /// Ids of the games that the program may be given.
    pub games: Vec<String>,
    /// Language of all texts: `en` or `de`.
    pub language: String,
}

/// The program plays a seat. Sent again when the program is restarted.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StartLine {
    /// Id of the table.
    pub table: String,
    /// The program's seat.
    pub seat: u32,
    /// Id of the game.
    pub game: String,
    /// Options of the game.
    pub options: Value,
    /// Names of the players by seat; empty for a seat without a name.
    pub names: Vec<String>,
}

/// Something happened at a table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EventsLine {
    /// Id of the table.
    pub table: String,
    /// The program's seat.
    pub seat: u32,
    /// Number of the update, counted for this seat.
    pub number: u32,
    /// Events in sentences.
    pub texts: Vec<String>,
    /// Events of the table: seats taken, clocks, the end.
    pub table_events: Vec<Value>,
    /// The program's own decision, if it was decided in this update.
    pub decided: Option<Value>,
    /// Events of the game.
    pub events: Vec<Value>,
}

/// The program has to choose.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DecisionLine {
    /// Id of the table.
    pub table: String,
    /// The program's seat.
    pub seat: u32,
    /// Id of the decision, counted for this seat.
    pub decision: u32,
    /// Number of the last update before it.
    pub after: u32,
    /// The question, in words.
    pub question: String,
    /// Legal actions.
    pub actions: Vec<LegalActionLine>,
    /// Index of the action that an expired clock plays.
    pub default_index: u32,
    /// All that the seat knows.
    pub view: Value,
    /// The view, in words.
    pub view_text: String,
    /// The view as zones of cards; null if the server sends none.
    pub board: Value,
    /// Time left for the decision, in milliseconds; null without a clock.
    pub time_left_ms: Option<u32>,
    /// Time left in the bank, in milliseconds; null without a clock.
    pub bank_left_ms: Option<u32>,
    /// Set if nobody else learns that the seat is asked.
    pub hidden: bool,
}

/// A legal action.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LegalActionLine {
    /// Index of the action.
    pub index: u32,
    /// The action, in words.
    pub text: String,
    /// The action.
    pub action: Value,
}

/// A table is over.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EndLine {
    /// Id of the table.
    pub table: String,
    /// The program's seat.
    pub seat: u32,
    /// Reason of the end, such as `END_REASON_PLAYED_OUT`.
    pub reason: String,
    /// The end and the result of each seat, in sentences.
    pub texts: Vec<String>,
    /// Place, points and finish of each seat; empty unless the game was played out.
    pub results: Vec<Value>,
    /// Id of the record; null for a table without one.
    pub record: Option<String>,
}

/// A line from the program: its answer to a decision. Unknown fields are ignored.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Answer {
    /// Id of the table.
    pub table: String,
    /// The seat; needed only by a program with several seats at one table that does not answer in order.
    pub seat: Option<u32>,
    /// Id of the decision.
    pub decision: u32,
    /// Index of the action.
    pub index: Option<u64>,
    /// The action itself, instead of the index.
    pub action: Option<Value>,
}
