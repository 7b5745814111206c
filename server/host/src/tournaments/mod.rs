//! Tournaments: each is a log of its own, and one task that runs it.
//!
//! The log has the events ([`TournamentEntry`]); their fold ([`FoldedTournament`], based on the pure crate
//! `parlor-tournament`) has the pairings, the seating and the results that count. The runner (`runner.rs`)
//! creates the tables that can be played (`table_scheduler.rs`), records those that are over, and executes
//! the organiser's commands. A table is identified by its deal and rotation, so after a crash no table is
//! played twice and none is lost. [`Tournaments`] has the tournaments that are not over; a finished one is
//! served from its record.

mod command;
pub(crate) mod deal_visibility;
mod entropy;
mod error;
mod fold_cache;
mod follower;
mod live_tournament;
pub(crate) mod log_id;
mod registry;
mod runner;
mod setup;
mod snapshot;
mod standings;
mod state;
mod table_scheduler;

pub use command::TournamentCommand;
pub use entropy::EntropyCollection;
pub use error::TournamentError;
pub use follower::TournamentFollower;
pub use registry::{Access, TournamentTableRow, Tournaments};
pub use setup::{EntrantSetup, NewTournament, Terms, TournamentSetup};
pub use snapshot::{FinishedTournament, LiveOrStored, StandingsSnapshot, TournamentSnapshot};
pub use state::{FoldedTournament, InvalidTournamentEntry, PlayedTable, TournamentEntry};
