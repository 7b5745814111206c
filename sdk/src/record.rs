//! Records of finished games (feature `record`): read, write, replay and verify them, without a server.
//!
//! ```
//! use parlor_sdk::record::{self, RecordFormat};
//!
//! # fn example(file: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
//! for record in record::read(file)? {
//!     let key: record::PublicKey = "the server's public key, in hexadecimal".parse()?;
//!     let report = record::verify_signed(&record, &[key]);
//!     for finding in &report.findings {
//!         println!("{finding}");
//!     }
//!     print!("{}", String::from_utf8_lossy(&RecordFormat::Text.write(&record)?));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # The text format
//!
//! It holds every field of the message `Record` of `record.proto`, under the field's name. It round-trips:
//! reading and writing it again gives the same text.
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
//! The grammar. Each line is one of these; empty lines and lines starting with `#` are ignored:
//!
//! | line | meaning |
//! |---|---|
//! | `parlor record` | start of a record |
//! | `NAME: VALUE` | a field; each value of a list has its own line |
//! | `shuffle.NAME: VALUE`, `result.NAME: VALUE` | a field of the nested message |
//! | `shuffled {...}: GAME [CARD, ...]` | a shuffle and its cards, in order |
//! | `step N after MS ms` | start of a step, counted from 0 |
//! | <code>&nbsp;&nbsp;AUDIENCE: TOLD</code> | an event and its audience: `everyone`, `only SEAT`, `all but [SEAT, ...]` or, in a viewer's record, `told`; then `game EVENT` or `table EVENT` |
//! | <code>&nbsp;&nbsp;text: {...}</code> | the text of the event before it, if the record has texts |
//! | <code>&nbsp;&nbsp;decided: {...}</code> | a decision that was made |
//! | <code>&nbsp;&nbsp;asked: [SEAT, ...]</code> | seats with a new decision |
//!
//! Values are written by type:
//!
//! | type | notation |
//! |---|---|
//! | number, boolean | `7`, `-3`, `true` |
//! | text | in quotes, as in JSON |
//! | bytes | `0x` and hex digits |
//! | timestamp | `2026-11-16T19:39:05.123Z` |
//! | enumeration | the value's name in lower case without the type's prefix: `played_out`; or its number |
//! | list | `[VALUE, VALUE]` |
//! | card | the values of its fields: `green 7`, `playing 3 9`, `12` |
//! | message with a single `oneof` | name and value of the set field: `gap {target: 100}`, `seat 2`; the name alone for an empty message: `spectator`; `{}` if none is set |
//! | any other message | `{NAME: VALUE, NAME: VALUE}`, omitting unset fields |

mod causes;
mod diff;
mod fold;
mod format;
mod full_record;
mod game_setup;
mod notation;
mod occupants;
mod ranking;
mod replay;
mod report;
mod shown;
mod shuffle_check;
mod signature;
mod step_builder;
mod text;
mod verify;
mod viewer_record;

pub use format::{RecordError, RecordFormat, VERSION, read, read_manifest, write_manifest};
pub use parlor_fair::{InvalidPublicKey, KeyId, PublicKey};
pub use replay::{Replay, ReplayStep, viewers};
pub use report::{Finding, Problem, Unproven, VerificationReport};
pub use shown::ShownCommitments;
pub use signature::{ManifestCheck, SignatureCheck, check_manifest_signature, check_signature};
pub use verify::{verify, verify_signed};

#[cfg(test)]
mod tests;
