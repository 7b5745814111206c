//! Carries out the tools, except for act.

use std::time::Duration;

use parlor_cli::seat_report::{HistoryPage, ReportOptions, SeatReport, SeatStatus, TableReport};
use parlor_engine::Lang;
use parlor_sdk::wire;

use super::connected_agent::{AgentReport, ConnectedAgent};
use super::connections::Connected;
use super::handles::SeatRecord;
use super::server::McpServer;
use super::tool_arguments::{BeAgentArgs, HistoryArgs, LookArgs, ResultArgs, RulesArgs, WaitArgs};
use super::tool_error::{ToolError, ToolResult, success};
use super::tool_reports::{Game, GameList, GameOption, NewSeat, ResultReport, Rules, WaitReport};
use crate::command::{describe, games};

/// Longest time that `wait_for_turn` waits.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// Maximum number of tables in the result of an agent.
const MAX_RESULT_TABLES: usize = 50;

impl McpServer {
    /// `list_games`.
    pub(super) async fn list_games(&self) -> ToolResult {
        let client = self.connections().client().await?;
        let lang = self.lang();
        let (infos, bots) = tokio::try_join!(client.games(), client.all_house_bots())?;
        let options = |info: &wire::GameInfo| {
            let option = |option: &wire::OptionInfo| GameOption {
                name: option.name.clone(),
                summary: describe::text(option.summary.as_ref(), lang).to_owned(),
                values: games::option_values(option, &self.connections().context),
            };
            info.options.iter().map(option).collect()
        };
        let game = |info: &wire::GameInfo| Game {
            game: info.game.clone(),
            name: describe::text(info.name.as_ref(), lang).to_owned(),
            summary: describe::text(info.summary.as_ref(), lang).to_owned(),
            min_players: info.min_players,
            max_players: info.max_players,
            options: options(info),
        };
        let list = GameList {
            games: infos.iter().map(game).collect(),
            house_bots: bots.iter().map(|bot| bot.name.clone()).collect(),
        };
        let mut lines = Vec::new();
        for game in &list.games {
            let Game { game, name, summary, min_players, max_players, options } = game;
            lines.push(format!("{game}: {name}, {min_players}-{max_players}. {summary}"));
            let option =
                |option: &GameOption| format!("  {}: {} ({})", option.name, option.summary, option.values);
            lines.extend(options.iter().map(option));
        }
        let bots = list.house_bots.join(", ");
        lines.push(self.localise(format!("House bots: {bots}"), format!("Hausbots: {bots}")));
        Ok(success(lines.join("\n"), &list))
    }

    /// `rules`.
    pub(super) async fn rules(&self, args: RulesArgs) -> ToolResult {
        let markdown = self.rules_text(&args.game, self.connections().lang(args.language)).await?;
        Ok(success(markdown.clone(), &Rules { game: args.game, markdown }))
    }

    /// The rules of a game, as Markdown.
    pub(super) async fn rules_text(&self, game: &str, lang: Lang) -> Result<String, ToolError> {
        Ok(self.connections().client().await?.rules(game, lang.into()).await?.markdown)
    }

    /// The result of `start_game` and `join`.
    pub(super) fn new_seat(&self, new: &NewSeat) -> ToolResult {
        let NewSeat { seat_handle, table, game, seat } = new;
        Ok(success(
            self.localise(
                format!(
                    "You have seat {seat} at table {table} ({game}). Your seat_handle is {seat_handle}: keep it. Now call \
                     wait_for_turn with it."
                ),
                format!(
                    "Du hast Sitz {seat} an Tisch {table} ({game}). Dein seat_handle ist {seat_handle}: Behalte es. Rufe \
                     jetzt wait_for_turn damit auf."
                ),
            ),
            new,
        ))
    }

    /// `be_agent`.
    pub(super) async fn be_agent(&self, args: BeAgentArgs) -> ToolResult {
        let report = self.connections().be_agent(args).await?.report();
        let AgentReport { agent_handle, name, .. } = &report;
        let text = self.localise(
            format!(
                "You are connected as {name}. Your agent_handle is {agent_handle}: keep it. Now call wait_for_turn with it, \
                 again and again."
            ),
            format!(
                "Du bist als {name} verbunden. Dein agent_handle ist {agent_handle}: Behalte es. Rufe jetzt immer wieder \
                 wait_for_turn damit auf."
            ),
        );
        Ok(success(text, &report))
    }

    /// `wait_for_turn`.
    pub(super) async fn wait_for_turn(&self, args: WaitArgs) -> ToolResult {
        let time = args.seconds.map_or(MAX_WAIT, |seconds| Duration::from_secs(seconds.into()).min(MAX_WAIT));
        let options = ReportOptions { budget: self.budget(), ..ReportOptions::default() };
        match self.connections().find(&args.handle).await? {
            Connected::Seat(seat) => {
                seat.count_call();
                seat.wait(time).await;
                let report = seat.report(options)?;
                let text = report.text(seat.lang());
                Ok(success(text, &WaitReport { status: report.status, seat: Some(report), agent: None }))
            }
            Connected::Agent(agent) => {
                let asked = agent.wait_for_turn(time).await;
                if let Some(error) = agent.failure() {
                    return Err(error.into());
                }
                let seat = asked.map(|seat| {
                    seat.count_call();
                    Ok::<_, ToolError>((seat.report(options)?, seat.lang()))
                });
                let (text, seat) = match seat.transpose()? {
                    // It may have been answered by another client meanwhile.
                    Some((report, lang)) if report.status == SeatStatus::YourTurn => {
                        (report.text(lang), Some(report))
                    }
                    _ => (still_waiting(&agent), None),
                };
                let status = seat.as_ref().map_or(SeatStatus::Waiting, |seat| seat.status);
                Ok(success(text, &WaitReport { status, seat, agent: Some(agent.report()) }))
            }
        }
    }

    /// `look`.
    pub(super) async fn look(&self, args: LookArgs) -> ToolResult {
        let seat = self.connections().seat(&args.seat_handle).await?;
        seat.count_call();
        let report = self.state_report(&args.seat_handle, args.first_action).await?;
        Ok(success(report.text(seat.lang()), &report))
    }

    /// State of a seat without what has happened.
    pub(super) async fn state_report(
        &self,
        handle: &str,
        first_action: u32,
    ) -> Result<SeatReport, ToolError> {
        let seat = self.connections().seat(handle).await?;
        let options = ReportOptions {
            budget: self.budget(),
            without_events: true,
            first_action,
            ..ReportOptions::default()
        };
        seat.report(options)
    }

    /// `history`.
    pub(super) async fn history(&self, args: HistoryArgs) -> ToolResult {
        let seat = self.connections().seat(&args.seat_handle).await?;
        seat.count_call();
        let page = seat.with_log(|log| HistoryPage::new(log, seat.handle(), args.before, self.budget()));
        Ok(success(page.text(seat.lang()), &page))
    }

    /// `result`.
    pub(super) async fn result(&self, args: ResultArgs) -> ToolResult {
        let kept = match self.connections().connected(&args.handle) {
            Some(_) => None,
            None => self
                .connections()
                .handles
                .seat(&args.handle)?
                .and_then(|seat| Some((seat.lang(), seat.final_report()?))),
        };
        let (mut tables, lang) = match kept {
            Some((lang, report)) => (vec![report], lang),
            None => match self.connections().find(&args.handle).await? {
                Connected::Seat(seat) => {
                    seat.count_call();
                    (vec![seat.table_report()], seat.lang())
                }
                Connected::Agent(agent) => (self.agent_tables(&agent)?, agent.record().lang()),
            },
        };
        let left_out = tables.len().saturating_sub(MAX_RESULT_TABLES);
        tables.drain(..left_out);
        let mut texts: Vec<String> = tables.iter().map(|table| table.text(lang)).collect();
        if texts.is_empty() {
            texts.push(self.localise("No table yet.".to_owned(), "Noch kein Tisch.".to_owned()));
        }
        if left_out > 0 {
            texts.insert(
                0,
                self.localise(
                    format!("({left_out} older tables are left out)"),
                    format!("({left_out} ältere Tische fehlen)"),
                ),
            );
        }
        Ok(success(texts.join("\n\n"), &ResultReport { tables, left_out }))
    }

    /// The tables of an agent: those that are over, and those that it plays.
    fn agent_tables(&self, agent: &ConnectedAgent) -> Result<Vec<TableReport>, ToolError> {
        let kept = self.connections().handles.agent_seats(&agent.record().handle)?;
        let mut tables: Vec<TableReport> = kept.iter().filter_map(SeatRecord::final_report).collect();
        let played = agent.seats();
        let played =
            played.iter().filter(|seat| !tables.iter().any(|table| table.seat_handle == seat.handle()));
        let played: Vec<TableReport> = played.map(|seat| seat.table_report()).collect();
        tables.extend(played);
        Ok(tables)
    }
}

fn still_waiting(agent: &ConnectedAgent) -> String {
    let AgentReport { name, tables_now, tables_over, .. } = agent.report();
    match agent.record().lang() {
        Lang::En => format!(
            "Nothing to decide yet: {name} plays at {tables_now} tables, and {tables_over} are over. Call wait_for_turn again."
        ),
        Lang::De => format!(
            "Noch nichts zu entscheiden: {name} spielt an {tables_now} Tischen, {tables_over} sind zu Ende. Rufe \
             wait_for_turn noch einmal auf."
        ),
    }
}
