//! Structured results of the tools, beside those of `parlor_cli::seat_report`.

use parlor_cli::seat_report::{SeatReport, SeatStatus, TableReport};
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

use super::connected_agent::AgentReport;

/// A game of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Game {
    /// Id of the game.
    pub(super) game: String,
    /// Name of the game.
    pub(super) name: String,
    /// One sentence about it.
    pub(super) summary: String,
    /// Fewest players.
    pub(super) min_players: u32,
    /// Most players.
    pub(super) max_players: u32,
    /// Options.
    pub(super) options: Vec<GameOption>,
}

/// An option of a game.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GameOption {
    /// Name of the option.
    pub(super) name: String,
    /// What it means.
    pub(super) summary: String,
    /// Values it takes.
    pub(super) values: String,
}

/// Result of `list_games`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GameList {
    /// The games.
    pub(super) games: Vec<Game>,
    /// Names of the house bots.
    pub(super) house_bots: Vec<String>,
}

/// Result of `rules`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rules {
    /// Id of the game.
    pub(super) game: String,
    /// The rules, as Markdown.
    pub(super) markdown: String,
}

/// Result of `start_game` and `join`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NewSeat {
    /// Handle of the seat: keep it, all other tools need it.
    pub(super) seat_handle: String,
    /// Id of the table.
    pub(super) table: String,
    /// Id of the game.
    pub(super) game: String,
    /// Number of your seat, from 0.
    pub(super) seat: u32,
}

/// Result of `wait_for_turn`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WaitReport {
    /// State of the seat, or of the agent: your_turn if one of its seats has to decide, else waiting.
    pub(super) status: SeatStatus,
    /// The seat; null while no seat of an agent has to decide.
    pub(super) seat: Option<SeatReport>,
    /// The agent, if the handle is that of one.
    pub(super) agent: Option<AgentReport>,
}

/// Outcome of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActOutcome {
    /// The action was played.
    Accepted,
    /// The same answer had been given before: nothing changed.
    Repeated,
    /// Something else was decided before: nothing changed.
    Stale,
    /// Illegal or unreadable: a strike. Answer again.
    Strike,
    /// Illegal or unreadable once too often: the default was played.
    DefaultPlayed,
    /// The server has not confirmed it yet. Give the same answer again, which is harmless.
    Unconfirmed,
}

/// Result of `act`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ActReport {
    /// Outcome of the answer.
    pub(super) outcome: ActOutcome,
    /// Id of the decision.
    pub(super) decision: Option<u32>,
    /// What was decided, in words.
    pub(super) decided: Option<String>,
    /// Index of the action that was decided.
    pub(super) index: Option<u32>,
    /// Number of strikes at this decision.
    pub(super) strikes: u32,
    /// Number of strikes at which the default is played.
    pub(super) strike_limit: u32,
    /// True if the note was kept.
    pub(super) note_kept: bool,
    /// The seat with its open decision, after a strike.
    pub(super) seat: Option<SeatReport>,
}

/// Result of `result`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ResultReport {
    /// The table of a seat; the tables of an agent, oldest first.
    pub(super) tables: Vec<TableReport>,
    /// Number of older tables of an agent that are left out.
    pub(super) left_out: usize,
}
