//! The API as its clients meet it: every call, every reason for an error and every game, over real sockets, on a clock
//! that is moved by hand.
//!
//! Nothing waits for a guessed time: what is waited for is an item of a stream or an answer, with a minute for each.

mod agent;
mod agents;
mod agents_aside;
mod answers;
mod ask;
mod caller;
mod clocks;
mod failing;
mod fair;
mod faults;
mod fields;
mod games;
mod keys;
mod life;
mod limits;
mod line;
mod listing;
mod news;
mod playing;
mod reasons;
mod record_lists;
mod records;
mod requests;
mod restart;
mod resume;
mod scene;
mod seats;
mod secrets;
mod sums;
mod tokens;
mod tournament;
mod tournaments;
mod tournaments_agents;
mod tournaments_decided;
mod tournaments_faults;
mod tournaments_fields;
mod tournaments_hostile;
