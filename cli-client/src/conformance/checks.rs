//! The checks, in the order in which they are made: what an agent must do to be sure of its games.

use std::time::Duration;

use parlor_engine::GameId;
use parlor_sdk::wire;

use super::arena::{Arena, Gone, Times};
use super::line::Line;
use super::report::{Check, Said, Verdict};
use super::table::{Table, Twist};

/// How long an agent that was replaced is watched.
const WATCHED: Duration = Duration::from_secs(4);

/// What is examined, and how patiently.
#[derive(Clone, Debug)]
pub(crate) struct Exam {
    /// The name that the agent must have; none: any.
    pub(crate) agent: Option<String>,
    /// Only these games; empty: all that the agent claims.
    pub(crate) games: Vec<GameId>,
    /// Only these checks, or those that begin so; empty: all.
    pub(crate) checks: Vec<String>,
    /// How many tables at once, where it is about many.
    pub(crate) tables: u32,
    /// How long the agent has to connect.
    pub(crate) wait: Duration,
    /// How long it has for an answer.
    pub(crate) patience: Duration,
}

/// Makes all checks, and tells of each when it is done. None if no agent came.
pub(crate) async fn examine<E>(
    line: &mut Line,
    exam: &Exam,
    mut tell: impl FnMut(&Check) -> Result<(), E>,
) -> Result<Option<Vec<Check>>, E> {
    let Some(connection) = line.next(exam.wait).await else { return Ok(None) };
    let (first, has_key) = (connection.first.clone(), connection.has_key);
    let mut arena = Arena::new(line, connection, exam.patience);
    let mut done: Vec<Check> = Vec::new();
    let mut gone = false;

    handshake(&mut arena, exam, &first, has_key).await;
    let games = games(&arena.who, exam);
    let check = finish(&mut arena, "handshake", "says hello", "sagt hallo");
    // Without a game that can be played there is nothing else to try.
    gone |= games.is_empty() || first.hello.is_none();
    tell(&check)?;
    done.push(check);

    let most = arena.who.max_tables.clamp(1, 10_000) as usize;
    let mut plan: Vec<(Plan, String, Said)> = Vec::new();
    let mut add = |plan_of, name: &str, en: &str, de: &str| {
        if exam.checks.is_empty() || exam.checks.iter().any(|asked| name.starts_with(asked.as_str())) {
            plan.push((plan_of, name.to_owned(), Said::new(en, de)));
        }
    };
    for game in &games {
        let id = game.info().id;
        add(
            Plan::Game(*game),
            &format!("game:{id}"),
            &format!("plays {id} at every number of players"),
            &format!("spielt {id} mit jeder Zahl von Spielern"),
        );
    }
    if let Some(game) = games.first().copied() {
        add(Plan::Itself(game), "itself", "plays against itself", "spielt gegen sich selbst");
        add(Plan::Many, "many", "plays many tables at once", "spielt viele Tische zugleich");
        add(
            Plan::Twisted(game, Twist::Refuse),
            "refused",
            "goes on after an answer was refused",
            "macht nach einer abgelehnten Antwort weiter",
        );
        add(
            Plan::Twisted(game, Twist::AskTwice),
            "repeated",
            "takes a decision that comes twice for one",
            "nimmt eine Entscheidung, die zweimal kommt, für eine",
        );
        add(
            Plan::Twisted(game, Twist::RunOut),
            "slow",
            "goes on after its clock ran out",
            "macht weiter, nachdem seine Uhr abgelaufen ist",
        );
        add(
            Plan::Twisted(game, Twist::Unknown),
            "unknown",
            "passes over what it does not know",
            "übergeht, was er nicht kennt",
        );
        add(
            Plan::Twisted(game, Twist::CutWhenAsked),
            "reconnect:asked",
            "comes back after a cut when it was asked",
            "kommt nach einem Abbruch wieder, als er gefragt war",
        );
        add(
            Plan::Twisted(game, Twist::CutWhenAnswered),
            "reconnect:answered",
            "comes back after a cut that lost its answer",
            "kommt nach einem Abbruch wieder, der seine Antwort verlor",
        );
        add(
            Plan::Twisted(game, Twist::CutWhenDecided),
            "reconnect:decided",
            "comes back after a cut that lost the acknowledgement",
            "kommt nach einem Abbruch wieder, der die Bestätigung verlor",
        );
        add(
            Plan::Twisted(game, Twist::EndWhenAnswered),
            "restart",
            "comes back after the server restarted",
            "kommt nach einem Neustart des Servers wieder",
        );
        add(
            Plan::Replaced,
            "replaced",
            "leaves when another one takes its name",
            "geht, wenn ein anderer seinen Namen nimmt",
        );
    }
    for (plan, name, title) in plan {
        let check = if gone {
            Check { name, title, verdict: Verdict::Skipped, faults: Vec::new(), notes: Vec::new() }
        } else {
            gone |= try_one(&mut arena, &games, plan, most, exam).await.is_err();
            let mut check = finish(&mut arena, &name, "", "");
            check.title = title;
            check
        };
        tell(&check)?;
        done.push(check);
    }
    Ok(Some(done))
}

/// What a check does.
#[derive(Clone, Copy)]
enum Plan {
    Game(GameId),
    Itself(GameId),
    Many,
    Twisted(GameId, Twist),
    Replaced,
}

async fn try_one(
    arena: &mut Arena<'_>,
    games: &[GameId],
    plan: Plan,
    most: usize,
    exam: &Exam,
) -> Result<(), Gone> {
    match plan {
        Plan::Game(game) => {
            let info = game.info();
            let tables = (info.min_players..=info.max_players)
                .map(|players| {
                    let seat = u32::from(players) / 2;
                    Table::new(arena.next_number(), game, players, &[seat], None)
                })
                .collect();
            arena.play(tables, most.min(8)).await
        }
        Plan::Itself(game) => {
            let players = game.info().min_players;
            let seats: Vec<u32> = (0..u32::from(players)).collect();
            let table = Table::new(arena.next_number(), game, players, &seats, None);
            arena.play(vec![table], 1).await
        }
        Plan::Many => {
            let count = most.min(exam.tables as usize);
            let tables = (0..count)
                .zip(games.iter().copied().cycle())
                .map(|(_, game)| Table::new(arena.next_number(), game, game.info().min_players, &[0], None))
                .collect();
            arena.times = Times::default();
            let played = arena.play(tables, count).await;
            tell_times(arena, count);
            played
        }
        Plan::Twisted(game, twist) => {
            let players = game.info().min_players;
            let mut tables = vec![Table::new(arena.next_number(), game, players, &[1], Some(twist))];
            // Others go on beside it.
            for _ in 1..most.min(3) {
                tables.push(Table::new(arena.next_number(), game, players, &[0], None));
            }
            arena.play(tables, most.min(3)).await
        }
        Plan::Replaced => {
            if !arena.replace(WATCHED).await {
                arena.fault(
                    "it came back after another connection had taken its name (AGENT_REPLACED): end then, or two programs throw each other out for ever",
                    "er kam wieder, nachdem eine andere Verbindung seinen Namen hatte (AGENT_REPLACED): Hör dann auf, sonst werfen sich zwei Programme ewig hinaus",
                );
            }
            Ok(())
        }
    }
}

fn tell_times(arena: &mut Arena<'_>, tables: usize) {
    let Times { answers, sum, longest, reported } = arena.times;
    if answers == 0 {
        return;
    }
    let mean = (sum / answers).as_micros() / 100;
    let (mean, longest) = (format!("{}.{}", mean / 10, mean % 10), longest.as_millis());
    arena.note(
        format!("{answers} answers at {tables} tables: {mean} ms on average, {longest} ms at most"),
        format!("{answers} Antworten an {tables} Tischen: im Mittel {mean} ms, höchstens {longest} ms"),
    );
    if reported == 0 {
        arena.note(
            "it does not say how long it thought: think_ms is for the record",
            "er sagt nicht, wie lange er nachgedacht hat: think_ms ist fürs Protokoll",
        );
    }
}

fn finish(arena: &mut Arena<'_>, name: &str, en: &str, de: &str) -> Check {
    let (faults, notes) = (std::mem::take(&mut arena.faults), std::mem::take(&mut arena.notes));
    let verdict = if faults.is_empty() { Verdict::Pass } else { Verdict::Fail };
    Check { name: name.to_owned(), title: Said::new(en, de), verdict, faults, notes }
}

/// The games that it claims and that are to be tried.
fn games(hello: &wire::AgentHello, exam: &Exam) -> Vec<GameId> {
    let claimed = hello.games.iter().filter_map(|id| GameId::from_id(id));
    let mut games: Vec<GameId> =
        claimed.filter(|game| exam.games.is_empty() || exam.games.contains(game)).collect();
    games.dedup();
    games
}

async fn handshake(arena: &mut Arena<'_>, exam: &Exam, first: &wire::ConnectRequest, has_key: bool) {
    let Some(hello) = &first.hello else {
        arena.fault(
            "its first message has no hello: say who you are first",
            "seine erste Nachricht hat kein hello: Sag zuerst, wer du bist",
        );
        return;
    };
    if !first.items.is_empty() {
        arena.fault(
            "its hello comes with items: wait for the welcome",
            "sein hello kommt mit Einträgen: Warte auf das welcome",
        );
    }
    let mut wrong = |holds: bool, field: &str, en: &str, de: &str| {
        if !holds {
            arena.fault(format!("hello.{field} {en}"), format!("hello.{field} {de}"));
        }
    };
    let letters =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let named = (1..=64).contains(&hello.name.len())
        && letters(&hello.name)
        && hello.name.starts_with(|first: char| first.is_ascii_alphanumeric());
    wrong(
        named,
        "name",
        "must be 1 to 64 letters, digits, and . _ -, beginning with a letter or digit",
        "muss aus 1 bis 64 Buchstaben, Ziffern und . _ - bestehen und mit Buchstabe oder Ziffer beginnen",
    );
    let expected = exam.agent.as_ref().is_none_or(|agent| *agent == hello.name);
    wrong(
        expected,
        "name",
        "is not the one that was named with --agent",
        "ist nicht der mit --agent genannte",
    );
    let version =
        hello.version.len() <= 64 && hello.version.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    wrong(
        version,
        "version",
        "must be up to 64 printable ASCII characters",
        "darf bis zu 64 druckbare ASCII-Zeichen haben",
    );
    let key = (16..=64).contains(&hello.agent_key.len()) || (hello.agent_key.is_empty() && has_key);
    wrong(
        key,
        "agent_key",
        "must be 16 to 64 bytes, unless the call has an API key",
        "muss 16 bis 64 Bytes haben, außer mit API-Schlüssel",
    );
    let known = hello.games.iter().all(|id| GameId::from_id(id).is_some());
    let mut once = hello.games.clone();
    once.sort();
    once.dedup();
    wrong(
        !once.is_empty() && known && once.len() == hello.games.len(),
        "games",
        "must be ids of the catalogue, each once and at least one",
        "muss ids aus dem Katalog nennen, jede einmal und mindestens eine",
    );
    wrong(
        (1..=10_000).contains(&hello.max_tables),
        "max_tables",
        "must be 1 to 10000",
        "muss 1 bis 10000 sein",
    );
    wrong(hello.entropy.len() <= 64, "entropy", "may have 64 bytes", "darf 64 Bytes haben");
    if hello.version.is_empty() {
        arena.note(
            "it says no version: ratings belong to a name and a version",
            "er nennt keine Version: Wertungen gehören zu Name und Version",
        );
    }
    if hello.entropy.is_empty() {
        arena.note(
            "it adds no entropy: with 32 random bytes nobody needs to be trusted for the shuffles of tournaments",
            "er gibt keine Entropie: Mit 32 zufälligen Bytes braucht man beim Mischen in Turnieren niemandem zu trauen",
        );
    }
    arena.welcome().await;
}
