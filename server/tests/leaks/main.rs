//! Leaks at the wire: whatever a viewer receives is the same, byte for byte, in two games that differ only in what that
//! viewer cannot know.
//!
//! `game_pair.rs` makes two such games, `server.rs` serves each of them by a server of its own over gRPC, and `compare.rs`
//! plays both alike and compares all that reaches the viewer: updates, decisions with their legal actions, numbers,
//! refusals, tables, listings, and what a second client of the same viewer is told. Both servers have the same keys, the
//! same table id and the same clock, so that nothing has to be left out of the comparison.
//!
//! What timing tells is left out where ARCHITECTURE.md says so: who is about to play in No Dice has to wait while others
//! are asked in secret.
//!
//! `PARLOR_TEST_SEED=7` deals and plays other games, and `PARLOR_TEST_GAMES=10` ten times as many.

mod compare;
mod game_pair;
mod model_table;
mod server;
mod table_kind;
mod tests;
