//! A bot that remembers deals. Duplicate deals come again, at other seats and under other colours: whoever remembers what it
//! saw at the tables before, and knows a deal again, knows the others' hands and the cards to come. It must gain nothing
//! by it, or be flagged.
//!
//! Games are real, and so is all that protects a deal: the order of the tables, the seats and the colours are those of a
//! tournament on the server ([`Course`](parlor_server::tournament::Course)). The server itself, which would only carry the
//! moves, is left out, so that hundreds of groups take a second.
//!
//! All of it is deterministic: `PARLOR_TEST_SEED` gives other deals.

mod games;
mod player;
mod tests;
mod tournament;
