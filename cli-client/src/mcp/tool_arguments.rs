//! Arguments of the tools, as their schemas describe them.

use parlor_engine::Lang;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Language of texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    /// English.
    En,
    /// German.
    De,
}

impl From<Language> for Lang {
    fn from(language: Language) -> Lang {
        match language {
            Language::En => Lang::En,
            Language::De => Lang::De,
        }
    }
}

/// Arguments of `list_games`: none.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ListGamesArgs {}

/// Arguments of `rules`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RulesArgs {
    /// Id of the game, such as gap
    pub(super) game: String,
    /// Language of the rules
    pub(super) language: Option<Language>,
}

/// Arguments of `start_game`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StartGameArgs {
    /// Id of the game, such as gap
    pub(super) game: String,
    /// House bots to play against, such as random, greedy or search, in seat order after yours; default: greedy
    #[serde(default)]
    pub(super) opponents: Vec<String>,
    /// Number of players, you included; default: you and the opponents, at least the game's minimum
    pub(super) players: Option<u32>,
    /// Options of the game by their names; list_games tells them
    #[serde(default)]
    pub(super) options: Map<String, Value>,
    /// Language of all texts about the seat
    pub(super) language: Option<Language>,
}

/// Arguments of `join`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct JoinArgs {
    /// Id of a table with a free seat
    pub(super) table: Option<String>,
    /// An invite, instead of a table: its link or its secret
    pub(super) invite: Option<String>,
    /// Number of the seat, from 0; default: the first free one
    pub(super) seat: Option<u32>,
    /// Name shown to the other players
    pub(super) name: Option<String>,
    /// Language of all texts about the seat
    pub(super) language: Option<Language>,
}

/// Arguments of `be_agent`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BeAgentArgs {
    /// Name of the agent: 1 to 64 letters, digits, '.', '_' and '-'
    pub(super) name: String,
    /// Version of the agent, such as the name of the model: ratings belong to a name and a version
    #[serde(default)]
    pub(super) version: String,
    /// Ids of the games to play; default: all
    #[serde(default)]
    pub(super) games: Vec<String>,
    /// Maximum number of tables at once, 1 to 100; default 1
    pub(super) tables: Option<u32>,
    /// Language of all texts about the seats
    pub(super) language: Option<Language>,
}

/// Arguments of `wait_for_turn`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WaitArgs {
    /// Handle of the seat, or of the agent to wait for any of its seats
    pub(super) handle: String,
    /// Longest time to wait in seconds, 0 to 30; default 30
    pub(super) seconds: Option<u32>,
}

/// Arguments of `act`, for its schema. It is read field by field, so that an unreadable answer is a strike, not an error.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ActArgs {
    /// Handle of the seat
    #[expect(dead_code, reason = "read field by field")]
    pub(super) seat_handle: String,
    /// Id of the decision
    #[expect(dead_code, reason = "read field by field")]
    pub(super) decision: u32,
    /// Index of the legal action
    #[expect(dead_code, reason = "read field by field")]
    pub(super) index: u32,
    /// Your reasons, if you want to keep them: they are written to a file of this program, and nobody else at the table sees them
    #[expect(dead_code, reason = "read field by field")]
    pub(super) note: Option<String>,
}

/// Arguments of `look`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LookArgs {
    /// Handle of the seat
    pub(super) seat_handle: String,
    /// Index of the first legal action to list; default 0
    #[serde(default)]
    pub(super) first_action: u32,
}

/// Arguments of `history`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct HistoryArgs {
    /// Handle of the seat
    pub(super) seat_handle: String,
    /// Only what happened before this update; default: the newest page
    pub(super) before: Option<u32>,
}

/// Arguments of `result`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ResultArgs {
    /// Handle of the seat, or of the agent for all of its tables
    pub(super) handle: String,
}
