//! The ways to a seat: a new game against house bots, a table or an invite, an agent.

use std::sync::Arc;

use parlor_engine::Lang;
use parlor_sdk::{InviteSecret, JoinTable, JoinedSeat, wire};
use serde_json::Value;

use super::connected_agent::ConnectedAgent;
use super::connections::Connections;
use super::handles::{AgentRecord, SeatRecord};
use super::tool_arguments::{BeAgentArgs, JoinArgs, Language, StartGameArgs};
use super::tool_error::ToolError;
use super::tool_reports::NewSeat;
use crate::command::invite::secret_of;
use crate::command::{agent, clock, create, games, options as game_options};

/// User id that the seat of a new table is reserved for.
const OWN_USER_ID: &str = "parlor-mcp";
/// House bot of a new table, unless others are named.
const DEFAULT_OPPONENT: &str = "greedy";
/// Maximum number of tables of an agent at once.
const MAX_AGENT_TABLES: u32 = 100;

impl Connections {
    /// Creates a table with house bots, and takes its first seat.
    pub(super) async fn start_game(&self, args: StartGameArgs) -> Result<NewSeat, ToolError> {
        let client = self.client().await?;
        let game = games::find_game(client.games().await?, &args.game)?;
        let named = u32::try_from(args.opponents.len()).unwrap_or(u32::MAX);
        let players = args.players.unwrap_or_else(|| named.saturating_add(1).max(game.min_players));
        let players = create::player_count(Some(players), &game)?;
        if named > players - 1 {
            return Err(ToolError::arguments(
                format!(
                    "with {players} players there is room for {} opponents, not for {named}",
                    players - 1
                ),
                format!("Bei {players} Spielern ist Platz für {} Gegner, nicht für {named}", players - 1),
            ));
        }
        let chosen: Vec<(String, String)> =
            args.options.iter().map(|(name, value)| (name.clone(), option_text(value))).collect();
        let mut new = game_options::new_table(&game, &chosen, &self.context)?;
        new = new.reserved_seat(OWN_USER_ID, "");
        let opponents = args.opponents.iter().map(String::as_str).chain([DEFAULT_OPPONENT]);
        let last = args.opponents.last().map_or(DEFAULT_OPPONENT, String::as_str);
        let opponents = opponents.take(args.opponents.len().max(1)).chain(std::iter::repeat(last));
        for bot in opponents.take(players as usize - 1) {
            new = new.house_bot(bot);
        }
        new = new.clock(clock::humane(wire::ClockSettings { decision_ms: Some(0), ..Default::default() }));
        let table = client.create_table(new).await?;
        let join = JoinTable::new(&table.table_id).user_id(OWN_USER_ID).random_entropy();
        self.take_seat(join, None, args.language).await
    }

    /// Takes a seat of a table, or that of an invite.
    pub(super) async fn join(&self, args: JoinArgs) -> Result<NewSeat, ToolError> {
        let mut join = match (&args.table, &args.invite) {
            (Some(table), None) => JoinTable::new(table),
            (None, Some(invite)) => JoinTable::invited(&InviteSecret::new(secret_of(invite))),
            _ => {
                return Err(ToolError::arguments(
                    "join needs a table or an invite, and not both",
                    "join braucht einen Tisch oder eine Einladung, nicht beides",
                ));
            }
        };
        if let Some(seat) = args.seat {
            join = join.seat(seat);
        }
        self.take_seat(join, args.name, args.language).await
    }

    async fn take_seat(
        &self,
        mut join: JoinTable,
        name: Option<String>,
        language: Option<Language>,
    ) -> Result<NewSeat, ToolError> {
        if let Some(name) = name.or_else(|| self.context.settings.name.clone()) {
            join = join.display_name(name);
        }
        let JoinedSeat { seat, token, table, .. } = self.client().await?.join_table(join).await?;
        let lang = self.lang(language);
        let record = SeatRecord::new(self.handles.server(), &table.table_id, seat, lang, Some(&token), None)?;
        self.handles.keep_seat(record.clone())?;
        // The table starts only once what was committed is revealed, which a connected seat does.
        self.connect_seat(&record).await?;
        Ok(NewSeat { seat_handle: record.handle, table: table.table_id, game: table.game, seat })
    }

    /// Connects an agent.
    pub(super) async fn be_agent(&self, args: BeAgentArgs) -> Result<Arc<ConnectedAgent>, ToolError> {
        let tables = args.tables.unwrap_or(1);
        if !(1..=MAX_AGENT_TABLES).contains(&tables) {
            return Err(ToolError::arguments(
                format!("tables must be from 1 to {MAX_AGENT_TABLES}"),
                format!("tables muss von 1 bis {MAX_AGENT_TABLES} sein"),
            ));
        }
        let games = agent::connection::known_games(&args.games)?;
        let record = self.handles.keep_agent(AgentRecord {
            handle: String::new(),
            server: self.handles.server().to_owned(),
            name: args.name,
            version: args.version,
            games,
            tables,
            german: self.lang(args.language) == Lang::De,
        })?;
        self.connect_agent(&record).await
    }

    /// The language of a call, or else that of the program.
    pub(super) fn lang(&self, language: Option<Language>) -> Lang {
        language.map_or(self.context.lang, Lang::from)
    }
}

/// The value of an option as it stands on a command line.
fn option_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
