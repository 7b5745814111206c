//! Tournaments: each a log of its own, and one task that plays what the log says is to be played.
//!
//! What happened is in the log ([`Entry`]), what follows from it is computed ([`FoldedTournament`], on the pure crate
//! `parlor-tournament`): who meets whom, who sits where, what counts. The runner (`runner.rs`) makes the tables that may be
//! made (`making.rs`), notes those that are over, and does what the organiser asks. A table is found again by its deal and
//! rotation, so that after a crash nothing is played twice and nothing is lost. [`Tournaments`] knows those that are not
//! over; one that is over is answered for by its record.

mod command;
pub(crate) mod deal_visibility;
mod error;
mod live_tournament;
mod registry;
mod runner;
mod setup;
mod snapshot;
mod standings;
mod state;
mod table_scheduler;

pub use command::Command;
pub use error::TournamentError;
pub use live_tournament::TournamentFollower;
pub use registry::{Access, TableRow, Tournaments};
pub use setup::{EntrantSetup, NewTournament, Setup, Terms};
pub use snapshot::{FinishedTournament, LiveOrStored, StandingsSnapshot, TournamentSnapshot};
pub use state::{Entry, FoldedTournament, InvalidTournamentEntry, PlayedTable};
