//! Tournaments and standings as text lines.

use parlor_cli::lang::localise;
use parlor_cli::{text, tournament_text};
use parlor_engine::Lang;
use parlor_sdk::wire::{self, SequentialDecision};

use super::super::describe;
use crate::output::Columns;

/// Details of a tournament, with its progress if the standings are given.
pub(super) fn tournament_lines(
    tournament: &wire::Tournament,
    standings: Option<&wire::Standings>,
    lang: Lang,
) -> Vec<String> {
    let setup = tournament.setup.clone().unwrap_or_default();
    let word = |en: &'static str, de: &'static str| localise(lang, en, de).to_owned();
    let mut columns = Columns::without_headings();
    columns.row([word("tournament", "Turnier"), tournament.tournament_id.clone()]);
    if !setup.name.is_empty() {
        columns.row([word("name", "Name"), setup.name.clone()]);
    }
    columns.row([word("state", "Stand"), tournament.state().text().get(lang).to_owned()]);
    if !tournament.note.is_empty() {
        columns.row([word("note", "Bemerkung"), tournament.note.clone()]);
    }
    let (game, players) = (tournament_text::game_name(&setup, lang), setup.players);
    let table = word("players a table", "Spieler am Tisch");
    columns.row([word("game", "Spiel"), format!("{game}, {players} {table}")]);
    columns.row([word("format", "Format"), tournament_text::format_text(&setup, lang)]);
    let clock = tournament_text::clock_text(setup.clock.as_ref(), lang);
    if !clock.is_empty() {
        columns.row([word("clock", "Bedenkzeit"), clock]);
    }
    if let Some(standings) = standings {
        columns.row([word("progress", "Fortschritt"), progress_line(standings, lang)]);
        let headline = tournament_text::headline(tournament, standings, lang);
        if !headline.is_empty() {
            let is_over = tournament.end_time.is_some();
            let label = if is_over { word("result", "Ergebnis") } else { word("so far", "bisher") };
            columns.row([label, headline]);
        }
    }
    let entrants: Vec<String> = setup.entrants.iter().map(entrant_text).collect();
    columns.row([word("entrants", "Teilnehmer"), entrants.join(", ")]);
    let times = [
        (word("made", "gemacht"), tournament.create_time),
        (word("started", "begonnen"), tournament.start_time),
        (word("over", "zu Ende"), tournament.end_time),
    ];
    for (what, time) in times {
        if let Some(text) = describe::format_timestamp(time.and_then(|time| time.try_into().ok())) {
            columns.row([what, text]);
        }
    }
    columns.lines()
}

fn entrant_text(setup: &wire::EntrantSetup) -> String {
    use wire::entrant_setup::Entrant;
    match &setup.entrant {
        Some(Entrant::Agent(agent)) if agent.version.is_empty() => format!("agent:{}", agent.name),
        Some(Entrant::Agent(agent)) => format!("agent:{}@{}", agent.name, agent.version),
        Some(Entrant::HouseBot(bot)) => format!("bot:{}", bot.name),
        None => "?".to_owned(),
    }
}

/// Standings as a table, with a progress line and the sequential test.
pub(super) fn standings_lines(standings: &wire::Standings, lang: Lang) -> Vec<String> {
    let headings = match lang {
        Lang::En => ["", "entrant", "groups", "games", "score", "95%", "places", "rating", "95%", "remarks"],
        Lang::De => [
            "",
            "Teilnehmer",
            "Gruppen",
            "Spiele",
            "Wertung",
            "95 %",
            "Plätze",
            "Stärke",
            "95 %",
            "Anmerkungen",
        ],
    };
    let mut columns = Columns::new(headings);
    for row in &standings.rows {
        columns.row([
            row.rank.to_string(),
            tournament_text::row_name(row),
            row.groups.to_string(),
            row.games.to_string(),
            format!("{:+.2}", row.mean),
            interval_text(row.interval.as_ref(), 2),
            format!("{:.1}", row.place_points),
            format!("{:+.0}", row.rating),
            interval_text(row.rating_interval.as_ref(), 0),
            remarks(row, lang),
        ]);
    }
    let mut lines = columns.lines();
    lines.push(progress_line(standings, lang));
    lines.extend(test_line(standings, lang));
    lines
}

fn interval_text(interval: Option<&wire::Interval>, digits: usize) -> String {
    interval.map_or_else(String::new, |i| format!("{:+.digits$} .. {:+.digits$}", i.low, i.high))
}

fn remarks(row: &wire::StandingsRow, lang: Lang) -> String {
    let remarks: Vec<String> =
        tournament_text::remarks(row, lang).into_iter().map(|remark| remark.text).collect();
    remarks.join(", ")
}

/// Display width of the columns of [`live_lines`] beside the names, with intervals of two digits.
const LIVE_COLUMNS_WIDTH: usize = 44;

/// Standings for a terminal of this width and height, in lines that fit: without games and places; names, remarks and
/// rows that do not fit are cut.
pub(super) fn live_lines(
    standings: &wire::Standings,
    lang: Lang,
    (width, height): (usize, usize),
) -> Vec<String> {
    let headings = match lang {
        Lang::En => ["", "entrant", "groups", "score", "95%", "rating", "remarks"],
        Lang::De => ["", "Teilnehmer", "Gruppen", "Wertung", "95 %", "Stärke", "Anmerkungen"],
    };
    let test = test_line(standings, lang);
    // Headings, progress and bar, and a line for the cursor.
    let room = height.saturating_sub(4 + test.iter().count()).max(2);
    let shown = if standings.rows.len() > room { room - 1 } else { standings.rows.len() };
    let table = |name_width: usize| {
        let mut columns = Columns::new(headings);
        for row in &standings.rows[..shown] {
            columns.row([
                row.rank.to_string(),
                cut(&tournament_text::row_name(row), name_width),
                row.groups.to_string(),
                format!("{:+.2}", row.mean),
                interval_text(row.interval.as_ref(), 2),
                format!("{:+.0}", row.rating),
                remarks(row, lang),
            ]);
        }
        columns.lines()
    };
    let names = standings.rows.iter().map(|row| text::width(&tournament_text::row_name(row))).max();
    let room = width.saturating_sub(LIVE_COLUMNS_WIDTH).max(8);
    let mut lines = table(names.unwrap_or_default().min(room));
    if shown < standings.rows.len() {
        let more = standings.rows.len() - shown;
        lines.push(match lang {
            Lang::En => format!("… and {more} more"),
            Lang::De => format!("… und {more} weitere"),
        });
    }
    lines.push(groups_line(standings, lang));
    lines.extend(test);
    lines.iter().map(|line| cut(line, width.saturating_sub(1))).collect()
}

/// Cuts a text to a display width, with an ellipsis.
fn cut(text: &str, most: usize) -> String {
    if text::width(text) <= most {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        if text::width(&cut) + text::width(c.encode_utf8(&mut [0; 4])) >= most {
            break;
        }
        cut.push(c);
    }
    cut + "…"
}

/// Counted, provisional and expected groups, and running tables.
fn groups_line(standings: &wire::Standings, lang: Lang) -> String {
    let wire::Standings { groups_counted, groups_expected, tables_running, .. } = standings;
    let round = round_text(standings, lang);
    let provisional = provisional_text(standings, lang);
    let state = standings.state().text().get(lang);
    match lang {
        Lang::En => format!(
            "{state}: {round}{groups_counted} of {groups_expected} groups count{provisional}, {tables_running} running"
        ),
        Lang::De => format!(
            "{state}: {round}{groups_counted} von {groups_expected} Gruppen zählen{provisional}, {tables_running} laufen"
        ),
    }
}

fn round_text(standings: &wire::Standings, lang: Lang) -> String {
    match standings.rounds {
        0 | 1 => String::new(),
        rounds => {
            format!("{} {}/{rounds}, ", localise(lang, "round", "Runde"), (standings.round + 1).min(rounds))
        }
    }
}

fn provisional_text(standings: &wire::Standings, lang: Lang) -> String {
    match tournament_text::provisional_groups(standings) {
        0 => String::new(),
        groups => format!(" (+{groups} {})", localise(lang, "provisional", "vorläufig")),
    }
}

/// Number of tables that are over, of those that are expected.
pub(super) fn tables_text(standings: &wire::Standings) -> String {
    format!("{}/{}", standings.tables_over, standings.tables_expected)
}

/// Progress of a tournament in one line.
pub(super) fn progress_line(standings: &wire::Standings, lang: Lang) -> String {
    let wire::Standings { groups_counted, groups_expected, tables_over, tables_expected, .. } = standings;
    let state = standings.state().text().get(lang);
    let (round, provisional) = (round_text(standings, lang), provisional_text(standings, lang));
    let voided = match (standings.groups_voided, lang) {
        (0, _) => String::new(),
        (voided, Lang::En) => format!(", {voided} groups voided"),
        (voided, Lang::De) => format!(", {voided} Gruppen gestrichen"),
    };
    let left =
        tournament_text::time_left(standings, lang).map_or_else(String::new, |left| format!(", {left}"));
    match lang {
        Lang::En => format!(
            "{state}: {round}{groups_counted} of {groups_expected} groups count{provisional}, {tables_over} of {tables_expected} tables over, {} running{voided}{left}",
            standings.tables_running
        ),
        Lang::De => format!(
            "{state}: {round}{groups_counted} von {groups_expected} Gruppen zählen{provisional}, {tables_over} von {tables_expected} Tischen zu Ende, {} laufen{voided}{left}",
            standings.tables_running
        ),
    }
}

/// State of the sequential test, if there is one.
fn test_line(standings: &wire::Standings, lang: Lang) -> Option<String> {
    let test = standings.test.as_ref()?;
    let decided = match test.decision() {
        SequentialDecision::Unspecified => localise(lang, "not decided", "nicht entschieden"),
        SequentialDecision::Lower => {
            localise(lang, "decided: the lower hypothesis", "entschieden: die untere Hypothese")
        }
        SequentialDecision::Upper => {
            localise(lang, "decided: the upper hypothesis", "entschieden: die obere Hypothese")
        }
    };
    let (name, after) = match lang {
        Lang::En => ("test", format!("after {} groups", test.groups)),
        Lang::De => ("Test", format!("nach {} Gruppen", test.groups)),
    };
    let (llr, low, high) = (test.llr, test.accept_lower, test.accept_upper);
    Some(format!("{name}: {decided} {after} (LLR {llr:+.2}, {low:+.2} .. {high:+.2})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rank: u32, name: &str, mean: f64) -> wire::StandingsRow {
        wire::StandingsRow {
            rank,
            entrant: rank - 1,
            name: name.into(),
            groups: 12,
            games: 24,
            mean,
            interval: Some(wire::Interval { low: mean - 1.0, high: mean + 1.0 }),
            place_points: 20.5,
            rating: mean * 30.0,
            ..Default::default()
        }
    }

    #[test]
    fn standings_are_a_table_with_a_progress_line() {
        let late = wire::FinishCount { finish: wire::SeatFinish::TimedOut.into(), games: 3 };
        let second = wire::StandingsRow { finishes: vec![late], withdrawn: true, ..row(2, "random", -2.25) };
        let shown = wire::Standings {
            state: wire::TournamentState::Running.into(),
            rows: vec![row(1, "greedy", 2.25), second],
            groups_counted: 12,
            groups_expected: 50,
            tables_over: 25,
            tables_expected: 100,
            tables_running: 4,
            time_left_ms: Some(61_000),
            rounds: 1,
            ..Default::default()
        };
        insta::assert_snapshot!(standings_lines(&shown, Lang::En).join("\n"), @r"
           ENTRANT  GROUPS  GAMES  SCORE  95%             PLACES  RATING  95%  REMARKS
        1  greedy   12      24     +2.25  +1.25 .. +3.25  20.5    +68
        2  random   12      24     -2.25  -3.25 .. -1.25  20.5    -68          3 × ran out of time, withdrawn
        running: 12 of 50 groups count, 25 of 100 tables over, 4 running, about 1m 1s left
        ");
        let live = live_lines(&shown, Lang::En, (60, 20));
        assert!(live.iter().all(|line| text::width(line) < 60), "{live:?}");
        assert_eq!(live[3], "running: 12 of 50 groups count, 4 running");
        let crowd = wire::Standings {
            rows: (1..50)
                .map(|rank| row(rank, "a name that is much too long for a narrow terminal", 1.0))
                .collect(),
            groups_complete: 15,
            ..shown.clone()
        };
        let live = live_lines(&crowd, Lang::De, (80, 24));
        assert!(live.len() == 22 && live.iter().all(|line| text::width(line) < 80), "{live:#?}");
        assert_eq!(live[20], "… und 30 weitere");
        assert!(live[21].contains("12 von 50 Gruppen zählen (+3 vorläufig)"), "{live:#?}");
        let swiss = wire::StandingsRow { match_points: 2.5, buchholz: 4.0, ..row(1, "greedy", 2.25) };
        assert_eq!(remarks(&swiss, Lang::En), "2.50 points, Buchholz 4.00");
        let german = standings_lines(&shown, Lang::De).join("\n");
        assert!(
            german.contains("12 von 50 Gruppen zählen") && german.contains("3 × Zeit überschritten"),
            "{german}"
        );
    }
}
