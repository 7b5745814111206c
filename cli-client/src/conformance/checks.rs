//! The checks, in the order in which they run.

use std::time::Duration;

use parlor_cli::lang::BilingualText;
use parlor_engine::GameId;
use parlor_sdk::wire;

use super::handshake::check_handshake;
use super::report::{Check, Verdict};
use super::runner::{AgentGone, AnswerTimes, CheckRunner};
use super::server::ExamServer;
use super::table::{Disruption, RefereedTable};

/// Time for which a replaced agent is observed.
const REPLACED_OBSERVATION_TIME: Duration = Duration::from_secs(4);

/// Scope and time limits of the checks.
#[derive(Clone, Debug)]
pub(crate) struct ExamSettings {
    /// Required name of the agent; `None` accepts any.
    pub(crate) agent: Option<String>,
    /// Games to check; empty means all games of the agent.
    pub(crate) games: Vec<GameId>,
    /// Names or prefixes of the checks to run; empty means all.
    pub(crate) checks: Vec<String>,
    /// Number of tables for the check `many`.
    pub(crate) tables: u32,
    /// Maximum time for the agent to connect.
    pub(crate) wait: Duration,
    /// Maximum time for an answer.
    pub(crate) patience: Duration,
}

/// Runs all checks, and reports each when it is done. `None` if no agent connected.
pub(crate) async fn run_checks<E>(
    server: &mut ExamServer,
    settings: &ExamSettings,
    mut report: impl FnMut(&Check) -> Result<(), E>,
) -> Result<Option<Vec<Check>>, E> {
    let Some(connection) = server.next(settings.wait).await else { return Ok(None) };
    let (first, has_key) = (connection.first.clone(), connection.has_key);
    let mut runner = CheckRunner::new(server, connection, settings.patience);
    let mut done: Vec<Check> = Vec::new();
    let mut gone = false;

    check_handshake(&mut runner, settings, &first, has_key).await;
    let games = examined_games(&runner.hello, settings);
    let check = finish_check(&mut runner, "handshake", "sends a valid hello", "sagt hallo");
    // Without a playable game, the remaining checks are skipped.
    gone |= games.is_empty() || first.hello.is_none();
    report(&check)?;
    done.push(check);

    let max_tables = runner.hello.max_tables.clamp(1, 10_000) as usize;
    let mut plan: Vec<(CheckKind, String, BilingualText)> = Vec::new();
    let mut add = |kind, name: &str, en: &str, de: &str| {
        if settings.checks.is_empty() || settings.checks.iter().any(|asked| name.starts_with(asked.as_str()))
        {
            plan.push((kind, name.to_owned(), BilingualText::new(en, de)));
        }
    };
    for game in &games {
        let id = game.info().id;
        add(
            CheckKind::Game(*game),
            &format!("game:{id}"),
            &format!("plays {id} at every number of players"),
            &format!("spielt {id} mit jeder Zahl von Spielern"),
        );
    }
    if let Some(game) = games.first().copied() {
        add(CheckKind::SelfPlay(game), "itself", "plays against itself", "spielt gegen sich selbst");
        add(CheckKind::ManyTables, "many", "plays many tables at once", "spielt viele Tische zugleich");
        add(
            CheckKind::Disrupted(game, Disruption::Refuse),
            "refused",
            "continues after a refused answer",
            "macht nach einer abgelehnten Antwort weiter",
        );
        add(
            CheckKind::Disrupted(game, Disruption::AskTwice),
            "repeated",
            "treats a repeated decision as one",
            "nimmt eine Entscheidung, die zweimal kommt, für eine",
        );
        add(
            CheckKind::Disrupted(game, Disruption::ExpireClock),
            "slow",
            "continues after its clock expired",
            "macht weiter, nachdem seine Uhr abgelaufen ist",
        );
        add(
            CheckKind::Disrupted(game, Disruption::Unknown),
            "unknown",
            "ignores items of unknown type",
            "übergeht, was er nicht kennt",
        );
        add(
            CheckKind::Disrupted(game, Disruption::CutWhenAsked),
            "reconnect:asked",
            "reconnects after a cut with an open decision",
            "kommt nach einem Abbruch wieder, als er gefragt war",
        );
        add(
            CheckKind::Disrupted(game, Disruption::CutWhenAnswered),
            "reconnect:answered",
            "reconnects after a cut that lost its answer",
            "kommt nach einem Abbruch wieder, der seine Antwort verlor",
        );
        add(
            CheckKind::Disrupted(game, Disruption::CutWhenDecided),
            "reconnect:decided",
            "reconnects after a cut that lost the acknowledgement",
            "kommt nach einem Abbruch wieder, der die Bestätigung verlor",
        );
        add(
            CheckKind::Disrupted(game, Disruption::EndWhenAnswered),
            "restart",
            "reconnects after a server restart",
            "kommt nach einem Neustart des Servers wieder",
        );
        add(
            CheckKind::Replaced,
            "replaced",
            "stops when another connection takes its name",
            "geht, wenn ein anderer seinen Namen nimmt",
        );
    }
    for (kind, name, title) in plan {
        let check = if gone {
            Check { name, title, verdict: Verdict::Skipped, faults: Vec::new(), notes: Vec::new() }
        } else {
            gone |= run_check(&mut runner, &games, kind, max_tables, settings).await.is_err();
            let mut check = finish_check(&mut runner, &name, "", "");
            check.title = title;
            check
        };
        report(&check)?;
        done.push(check);
    }
    Ok(Some(done))
}

/// The procedure of a check.
#[derive(Clone, Copy)]
enum CheckKind {
    Game(GameId),
    SelfPlay(GameId),
    ManyTables,
    Disrupted(GameId, Disruption),
    Replaced,
}

async fn run_check(
    runner: &mut CheckRunner<'_>,
    games: &[GameId],
    kind: CheckKind,
    max_tables: usize,
    settings: &ExamSettings,
) -> Result<(), AgentGone> {
    match kind {
        CheckKind::Game(game) => {
            let info = game.info();
            let tables = (info.min_players..=info.max_players)
                .map(|players| {
                    let seat = u32::from(players) / 2;
                    RefereedTable::new(runner.next_table_number(), game, players, &[seat], None)
                })
                .collect();
            runner.play(tables, max_tables.min(8)).await
        }
        CheckKind::SelfPlay(game) => {
            let players = game.info().min_players;
            let seats: Vec<u32> = (0..u32::from(players)).collect();
            let table = RefereedTable::new(runner.next_table_number(), game, players, &seats, None);
            runner.play(vec![table], 1).await
        }
        CheckKind::ManyTables => {
            let count = max_tables.min(settings.tables as usize);
            let tables = (0..count)
                .zip(games.iter().copied().cycle())
                .map(|(_, game)| {
                    RefereedTable::new(runner.next_table_number(), game, game.info().min_players, &[0], None)
                })
                .collect();
            runner.times = AnswerTimes::default();
            let played = runner.play(tables, count).await;
            note_answer_times(runner, count);
            played
        }
        CheckKind::Disrupted(game, disruption) => {
            let players = game.info().min_players;
            let mut tables =
                vec![RefereedTable::new(runner.next_table_number(), game, players, &[1], Some(disruption))];
            // Undisturbed tables run in parallel.
            for _ in 1..max_tables.min(3) {
                tables.push(RefereedTable::new(runner.next_table_number(), game, players, &[0], None));
            }
            runner.play(tables, max_tables.min(3)).await
        }
        CheckKind::Replaced => {
            if !runner.simulate_replacement(REPLACED_OBSERVATION_TIME).await {
                runner.fault(
                    "it reconnected after another connection had taken its name (AGENT_REPLACED): stop then, or two programs replace each other for ever",
                    "er kam wieder, nachdem eine andere Verbindung seinen Namen hatte (AGENT_REPLACED): Hör dann auf, sonst werfen sich zwei Programme ewig hinaus",
                );
            }
            Ok(())
        }
    }
}

fn note_answer_times(runner: &mut CheckRunner<'_>, tables: usize) {
    let AnswerTimes { answers, sum, longest, reported } = runner.times;
    if answers == 0 {
        return;
    }
    let mean = (sum / answers).as_micros() / 100;
    let (mean, longest) = (format!("{}.{}", mean / 10, mean % 10), longest.as_millis());
    runner.note(
        format!("{answers} answers at {tables} tables: {mean} ms on average, {longest} ms at most"),
        format!("{answers} Antworten an {tables} Tischen: im Mittel {mean} ms, höchstens {longest} ms"),
    );
    if reported == 0 {
        runner.note(
            "it does not report its think time: think_ms goes into the record",
            "er sagt nicht, wie lange er nachgedacht hat: think_ms ist fürs Protokoll",
        );
    }
}

fn finish_check(runner: &mut CheckRunner<'_>, name: &str, en: &str, de: &str) -> Check {
    let (faults, notes) = (std::mem::take(&mut runner.faults), std::mem::take(&mut runner.notes));
    let verdict = if faults.is_empty() { Verdict::Pass } else { Verdict::Fail };
    Check { name: name.to_owned(), title: BilingualText::new(en, de), verdict, faults, notes }
}

/// The agent's games that are to be checked.
fn examined_games(hello: &wire::AgentHello, settings: &ExamSettings) -> Vec<GameId> {
    let claimed = hello.games.iter().filter_map(|id| GameId::from_id(id));
    let mut games: Vec<GameId> =
        claimed.filter(|game| settings.games.is_empty() || settings.games.contains(game)).collect();
    games.dedup();
    games
}
