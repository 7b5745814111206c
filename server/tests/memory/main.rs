//! Tournaments with bots that remember deals. A duplicate deal is played again at other seats and under other
//! colours: a bot that recognises it knows the other hands and the cards to come. It must gain nothing by
//! that, or be flagged.
//!
//! The games are real, and so is the protection of deals: order of the tables, seats and colours are those of
//! a tournament on the server ([`FoldedTournament`](parlor_host::tournaments::FoldedTournament)). The server itself, which would
//! only transport moves, is left out, so that hundreds of groups take a second.
//!
//! The tests are deterministic; `PARLOR_TEST_SEED` (below 256) selects other deals.

mod games;
mod player;
mod tests;
mod tournament;
