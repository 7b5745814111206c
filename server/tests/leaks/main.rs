//! Non-interference at the wire: everything that a viewer receives is the same, byte for byte, in two games
//! that differ only in what that viewer cannot know.
//!
//! `game_pair.rs` builds two such games, `server.rs` serves each from a server of its own over gRPC, and
//! `compare.rs` plays both alike and compares everything that reaches the viewer: updates, decisions with
//! their legal actions, numbers, texts, boards, refusals, tables, listings, records and replays, the pages of
//! the table for browsers, and the items of a second client of the same viewer. Both servers have the same keys,
//! table id and clock, so that no field is exempt from the comparison.
//!
//! At tables with a clock time passes between a public step and the hidden answers after it, and the times that
//! the viewer is shown are compared, too. Timing is exempt where SECURITY.md says so: in No Dice the seat on turn
//! waits while others have a hidden decision.
//!
//! `deal_tables.rs` compares what is told of tables of a tournament that play different deals. `reveals.rs` compares what is
//! told of tables and tournaments that are starting, while entropy is revealed.
//!
//! `PARLOR_TEST_SEED=7` deals and plays other games; `PARLOR_TEST_GAMES=10` plays ten times as many.

mod compare;
mod deal_tables;
mod game_pair;
mod model_table;
mod reveals;
mod server;
mod table_kind;
mod tests;
