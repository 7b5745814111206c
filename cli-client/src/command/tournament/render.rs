//! Tournaments and standings as text lines.

use parlor_cli::lang::{forfeit_reason, localise};
use parlor_engine::Lang;
use parlor_sdk::wire::{self, SequentialDecision};

use super::super::describe;
use crate::context::Context;
use crate::output::Columns;

/// Details of a tournament.
pub(super) fn tournament_lines(tournament: &wire::Tournament, context: &Context) -> Vec<String> {
    let lang = context.lang;
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
            if row.version.is_empty() { row.name.clone() } else { format!("{} {}", row.name, row.version) },
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
    let mut remarks = Vec::new();
    let localise = |en, de| localise(lang, en, de);
    // Swiss tournaments rank by these.
    if row.match_points > 0.0 || row.buchholz > 0.0 {
        let (points, buchholz) = (row.match_points, row.buchholz);
        remarks.push(format!("{points:.2} {}, Buchholz {buchholz:.2}", localise("points", "Punkte")));
    }
    for count in &row.finishes {
        if let Some(why) = forfeit_reason(count.finish()).filter(|_| count.games > 0) {
            remarks.push(format!("{} × {}", count.games, why.get(lang)));
        }
    }
    if row.byes > 0 {
        remarks.push(format!("{} × {}", row.byes, localise("bye", "spielfrei")));
    }
    if row.withdrawn {
        remarks.push(localise("withdrawn", "ausgeschieden").to_owned());
    }
    if let Some(round) = row.out_in_round {
        remarks.push(format!("{} {}", localise("out in round", "aus in Runde"), round + 1));
    }
    if let Some(gain) = row.gain.as_ref().filter(|gain| gain.flagged) {
        let text = localise("GAINS ON REPEATED DEALS", "GEWINNT BEI WIEDERKEHRENDEN AUSTEILUNGEN");
        remarks.push(format!("{text} ({:+.2}, p = {:.1e})", gain.mean, gain.p_value));
    }
    remarks.join(", ")
}

/// Progress of a tournament in one line.
pub(super) fn progress_line(standings: &wire::Standings, lang: Lang) -> String {
    let wire::Standings { groups_counted, groups_expected, tables_over, tables_expected, .. } = standings;
    let state = standings.state().text().get(lang);
    let round = match standings.rounds {
        0 | 1 => String::new(),
        rounds => {
            format!("{} {}/{rounds}, ", localise(lang, "round", "Runde"), (standings.round + 1).min(rounds))
        }
    };
    let voided = match (standings.groups_voided, lang) {
        (0, _) => String::new(),
        (voided, Lang::En) => format!(", {voided} groups voided"),
        (voided, Lang::De) => format!(", {voided} Gruppen gestrichen"),
    };
    let left = match standings.time_left_ms {
        Some(left) if standings.state() == wire::TournamentState::Running => {
            format!(", {} {}", localise(lang, "about", "noch etwa"), time_left(left, lang))
        }
        _ => String::new(),
    };
    match lang {
        Lang::En => format!(
            "{state}: {round}{groups_counted} of {groups_expected} groups count, {tables_over} of {tables_expected} tables over, {} running{voided}{left}",
            standings.tables_running
        ),
        Lang::De => format!(
            "{state}: {round}{groups_counted} von {groups_expected} Gruppen zählen, {tables_over} von {tables_expected} Tischen zu Ende, {} laufen{voided}{left}",
            standings.tables_running
        ),
    }
}

/// Estimated time left, such as `2m 5s left`.
fn time_left(left_ms: u32, lang: Lang) -> String {
    let seconds = left_ms.div_ceil(1000);
    let text = humantime::format_duration(std::time::Duration::from_secs(seconds.into()));
    match lang {
        Lang::En => format!("{text} left"),
        Lang::De => format!("{text}"),
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
        let swiss = wire::StandingsRow { match_points: 2.5, buchholz: 4.0, ..row(1, "greedy", 2.25) };
        assert_eq!(remarks(&swiss, Lang::En), "2.50 points, Buchholz 4.00");
        let german = standings_lines(&shown, Lang::De).join("\n");
        assert!(
            german.contains("12 von 50 Gruppen zählen") && german.contains("3 × Zeit überschritten"),
            "{german}"
        );
    }
}
