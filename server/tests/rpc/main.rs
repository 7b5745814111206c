//! Every RPC, every error reason and every game, over real sockets and on a manually advanced clock.
//!
//! No test sleeps for a guessed time: each wait is for a stream item or a response, with a timeout of a
//! minute.
//!
//! Helpers: `test_server`, `cluster`, `client`, `streams`, `agent_client`, `players`, `table_requests`,
//! `tournament_requests` and `faulty_log`; every other module holds the tests of one topic.

mod abandoned_requests;
mod agent_client;
mod agent_handshake;
mod agent_names;
mod agents;
mod agents_attacked;
mod agents_set_aside;
mod answers;
mod api_keys;
mod bounded_costs;
mod client;
mod clocks;
mod cluster;
mod cluster_calls;
mod cluster_channels;
mod cluster_deals;
mod cluster_links;
mod error_reasons;
mod fair_shuffle;
mod faulty_log;
mod follow_tables;
mod guests;
mod heartbeats;
mod hidden_decisions;
mod invalid_fields;
mod invites;
mod limits;
mod list_records;
mod list_tables;
mod players;
mod reader_limits;
mod records;
mod removed_keys;
mod replays;
mod request_ids;
mod restart;
mod reveals;
mod reveals_on_channels;
mod seats;
mod signatures;
mod slow_disk;
mod spectators;
mod store_faults;
mod stream_resume;
mod streams;
mod table_event_texts;
mod table_lifecycle;
mod table_requests;
mod test_server;
mod texts;
mod tokens;
mod tournament_requests;
mod tournaments;
mod tournaments_agents;
mod tournaments_blocks;
mod tournaments_entropy;
mod tournaments_faults;
mod tournaments_invalid_fields;
mod tournaments_misbehaving;
mod tournaments_results;
mod turns;
mod whole_games;
