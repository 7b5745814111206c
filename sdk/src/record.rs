//! Records (feature `record`): finished games in files, which anyone can read, replay and check, without a server.
//!
//! ```
//! use parlor_sdk::record::{self, Form};
//!
//! # fn example(file: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
//! for record in record::read(file)? {
//!     let report = record::verify(&record);
//!     for wrong in &report.wrong {
//!         println!("{wrong}");
//!     }
//!     print!("{}", String::from_utf8_lossy(&Form::Text.write(&record)?));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # The text form
//!
//! It holds every field of the message `Record` of `record.proto`, under the names that they have there. Reading it back
//! gives the same record, and writing that the same text.
//!
//! ```text
//! parlor record
//! version: 1
//! table_id: "01hf7yat000w3ge1r70w3ge1r7"
//! game: "gap"
//! options: gap {target: 100}
//! seats: {seat: 0, player: {display_name: "Ada"}}
//! shuffle.server_seed: 0x646566...
//! shuffled {purpose: deal, step: 1}: gap [green 7, blue 0, ...]
//! step 0 after 12 ms
//!   everyone: table seat_joined {seat: {seat: 0, player: {display_name: "Ada"}}}
//! step 1 after 15 ms
//!   everyone: game gap round_began {middle: [yellow 3, pink 8]}
//!   only 0: game gap dealt {hand: [blue 4, green 7]}
//!   asked: [0]
//! step 2 after 3215 ms
//!   everyone: game gap played {card: green 7, taken: [pink 8]}
//!   decided: {decision_id: 1, index: 3, action: gap {card: green 7, higher: pink 8}, by: player, think_ms: 3200}
//! ```
//!
//! The grammar. A line is one of these; empty lines and lines that begin with `#` are for people and are passed over:
//!
//! | line | what it is |
//! |---|---|
//! | `parlor record` | a record begins |
//! | `NAME: VALUE` | a field. Of a list, each value has a line of its own |
//! | `shuffle.NAME: VALUE`, `result.NAME: VALUE` | a field of the message in that field |
//! | `shuffled {...}: GAME [CARD, ...]` | a shuffle, and its cards in their order |
//! | `step N after MS ms` | a step begins: the first is 0 |
//! | <code>&nbsp;&nbsp;AUDIENCE: TOLD</code> | somebody was told something: `everyone`, `only SEAT`, `all but [SEAT, ...]` or, in the record of a viewer, `told`; then `game EVENT` or `table EVENT` |
//! | <code>&nbsp;&nbsp;decided: {...}</code> | a decision was made |
//! | <code>&nbsp;&nbsp;asked: [SEAT, ...]</code> | seats were asked |
//!
//! A value is written by its type:
//!
//! | type | how |
//! |---|---|
//! | number, truth | `7`, `-3`, `true` |
//! | text | in quotes, as in JSON |
//! | bytes | `0x` and hex digits |
//! | moment | `2026-11-16T19:39:05.123Z` |
//! | enumeration | the name of the value without that of the type, in small letters: `played_out`; or its number |
//! | list | `[VALUE, VALUE]` |
//! | card | the values of its fields: `green 7`, `playing 3 9`, `12` |
//! | message that is one of several things | the name of the field and its value: `gap {target: 100}`, `seat 2`, and the name alone where the value says nothing: `spectator`. `{}` if it is nothing |
//! | any other message | `{NAME: VALUE, NAME: VALUE}`, without the fields that are not set |

mod causes;
mod diff;
mod doing;
mod fair;
mod finding;
mod fold;
mod form;
mod holders;
mod notation;
mod replay;
mod start;
mod text;
mod verify;
mod viewer;
mod walk;

pub use finding::{Finding, Problem, Report, Unproven};
pub use form::{Form, Unreadable, VERSION, read};
pub use replay::{Moment, Replay, viewers};
pub use verify::verify;

#[cfg(test)]
mod tests;
