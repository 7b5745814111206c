//! The API as its clients meet it: every call, every reason for an error and every game, over real sockets, on a clock
//! that is moved by hand.
//!
//! Nothing waits for a guessed time: what is waited for is an item of a stream or an answer, with a minute for each.

mod agent_client;
mod agents;
mod agents_set_aside;
mod answers;
mod api_keys;
mod client;
mod clocks;
mod error_reasons;
mod fair_shuffle;
mod faulty_log;
mod follow_tables;
mod hidden_decisions;
mod invalid_fields;
mod limits;
mod list_records;
mod list_tables;
mod players;
mod records;
mod request_ids;
mod restart;
mod seats;
mod standings_check;
mod store_faults;
mod stream_resume;
mod streams;
mod table_lifecycle;
mod table_requests;
mod test_server;
mod tokens;
mod tournament_requests;
mod tournaments;
mod tournaments_agents;
mod tournaments_faults;
mod tournaments_invalid_fields;
mod tournaments_misbehaving;
mod tournaments_results;
mod whole_games;
