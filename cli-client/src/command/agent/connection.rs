//! The connection of an agent: runs it until it stops, and prints its events.

use std::time::Duration;

use parlor_sdk::{AgentEvent, AgentRunner, FinishedTable, options, wire};
use serde_json::json;
use tokio::time::timeout;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::to_json;
use crate::shown_commitments;

/// Time for the decisions in progress when the agent is stopped.
const LEAVE_TIME: Duration = Duration::from_secs(5);

/// The games, or all if none is named; each must be known.
pub(crate) fn known_games(games: &[String]) -> Result<Vec<String>, Failure> {
    if let Some(unknown) = games.iter().find(|game| options::default_for(game).is_err()) {
        let known = options::game_ids().join(", ");
        return Err(Failure::usage(
            format!("there is no game {unknown:?}: there are {known}"),
            format!("Ein Spiel {unknown:?} gibt es nicht: Es gibt {known}"),
        ));
    }
    Ok(if games.is_empty() { options::game_ids() } else { games.to_vec() })
}

/// Runs an agent until a stop signal, or until it has played a number of tables, and prints its events. Decisions in
/// progress are answered first; the seats stay the agent's.
pub(crate) async fn run_agent(
    agent: &mut AgentRunner,
    name: &str,
    stop_after: Option<u64>,
    context: &Context,
) -> Result<Exit, Failure> {
    let mut over = 0;
    loop {
        let event = tokio::select! {
            event = agent.next() => event?,
            signal = context.stop.received() => {
                agent.stop();
                return timeout(LEAVE_TIME, print_rest(agent, name, context)).await.unwrap_or(Ok(())).map(|()| signal);
            }
        };
        let Some(event) = event else { return Ok(Exit::Ok) };
        over += u64::from(matches!(event, AgentEvent::TableOver(_)));
        keep_commitments(&event, context);
        print(name, &event, context)?;
        if stop_after.is_some_and(|tables| over >= tables) {
            agent.stop();
        }
    }
}

/// Keeps what a tournament shows to an agent that it asks for entropy.
pub(crate) fn keep_commitments(event: &AgentEvent, context: &Context) {
    if let AgentEvent::EntropyAsked(asked) = event {
        let (server, participants) = (&asked.commitment, &asked.entropy_commitments);
        shown_commitments::keep_tournament(context, &asked.tournament_id, server, participants);
    }
}

async fn print_rest(agent: &mut AgentRunner, name: &str, context: &Context) -> Result<(), Failure> {
    while let Some(event) = agent.next().await? {
        print(name, &event, context)?;
    }
    Ok(())
}

fn print(name: &str, event: &AgentEvent, context: &Context) -> Result<(), Failure> {
    if context.json {
        return context.out.json_line(&match event {
            AgentEvent::Connected(welcome) => json!({ "event": "connected", "welcome": to_json(welcome) }),
            AgentEvent::SetAside(aside) => json!({ "event": "set_aside", "set_aside": to_json(aside) }),
            AgentEvent::EntropyAsked(asked) => {
                json!({ "event": "entropy_asked", "entropy_asked": to_json(asked) })
            }
            AgentEvent::Disconnected { why } => json!({ "event": "disconnected", "why": why }),
            AgentEvent::SeatGiven(given) => json!({ "event": "seat_given", "seat_given": to_json(given) }),
            AgentEvent::TableOver(finished) => json!({
                "event": "table_over",
                "table_id": finished.table.table_id,
                "seat": finished.seat,
                "result": finished.result().map(to_json),
            }),
            AgentEvent::BotFailed { given, error } => json!({
                "event": "bot_failed",
                "seat_given": to_json(given),
                "why": error.to_string(),
            }),
            _ => return Ok(()),
        });
    }
    context.out.line(match event {
        AgentEvent::Connected(welcome) => connected_line(name, welcome, context),
        AgentEvent::SetAside(aside) => {
            let why = crate::command::agents::suspension(aside, context.lang);
            format!("{name}: {why}")
        }
        AgentEvent::Disconnected { why } => context.localise(
            || format!("Connection lost ({why}); reconnecting ..."),
            || format!("Die Verbindung ist abgebrochen ({why}); sie kommt wieder ..."),
        ),
        AgentEvent::SeatGiven(wire::SeatGiven { table_id, seat, game, .. }) => context.localise(
            || format!("Table {table_id}: seat {seat} of {game}"),
            || format!("Tisch {table_id}: Sitz {seat}, {game}"),
        ),
        AgentEvent::TableOver(finished) => result_line(finished, context),
        AgentEvent::BotFailed { given, error } => {
            let id = &given.table_id;
            context.localise(
                || format!("Table {id}: the bot failed, so its clock will expire ({error})"),
                || format!("Tisch {id}: Der Bot ist gescheitert, seine Uhr spielt für ihn ({error})"),
            )
        }
        _ => return Ok(()),
    })
}

fn connected_line(name: &str, welcome: &wire::AgentWelcome, context: &Context) -> String {
    let (max_tables, seats) = (welcome.max_tables, welcome.seats);
    let mut line = context.localise(
        || format!("{name} is connected: up to {max_tables} tables at once, {seats} of them now"),
        || format!("{name} ist verbunden: bis zu {max_tables} Tische zugleich, davon jetzt {seats}"),
    );
    if let Some(aside) = &welcome.set_aside {
        line.push_str("; ");
        line.push_str(&crate::command::agents::suspension(aside, context.lang));
    }
    line
}

/// Result line of a table, for people.
pub(crate) fn result_line(finished: &FinishedTable, context: &Context) -> String {
    let id = &finished.table.table_id;
    match finished.own_result() {
        Some(own) => {
            let (place, of, points) = (own.place, finished.table.seats.len(), own.points);
            context.localise(
                || format!("Table {id}: place {place} of {of} with {points} points"),
                || format!("Tisch {id}: Platz {place} von {of} mit {points} Punkten"),
            )
        }
        None => {
            let state = finished.table.state().text().get(context.lang);
            context.localise(|| format!("Table {id}: {state}"), || format!("Tisch {id}: {state}"))
        }
    }
}
