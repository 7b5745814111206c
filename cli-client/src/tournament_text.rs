//! Tournaments as text, for the terminal and the report: format, clock, remarks, and what the standings say.

use std::time::{Duration, SystemTime};

use parlor_engine::{AnyOptions, Lang};
use parlor_sdk::wire::{self, SequentialDecision, tournament_setup::Format};

use crate::lang::{forfeit_reason, localise};

/// Number of groups from which on intervals of means are shown.
pub const MIN_INTERVAL_GROUPS: u32 = 20;

/// A remark on an entrant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// True if somebody should look at it.
    pub warns: bool,
    /// The text.
    pub text: String,
}

/// Name of an entrant, with its version if there is one.
#[must_use]
pub fn row_name(row: &wire::StandingsRow) -> String {
    if row.version.is_empty() { row.name.clone() } else { format!("{} {}", row.name, row.version) }
}

/// Name of the game.
#[must_use]
pub fn game_name(setup: &wire::TournamentSetup, lang: Lang) -> String {
    let options = setup.options.and_then(|options| AnyOptions::try_from(options).ok());
    options.map_or_else(|| setup.game.clone(), |options| options.game().info().name.get(lang).to_owned())
}

/// Name of the format.
#[must_use]
pub fn format_name(setup: &wire::TournamentSetup, lang: Lang) -> &'static str {
    let text = |en, de| localise(lang, en, de);
    match &setup.format {
        Some(Format::RoundRobin(_)) => text("round robin", "jeder gegen jeden"),
        Some(Format::Gauntlet(_)) => text("gauntlet", "einer gegen alle"),
        Some(Format::Swiss(_)) => text("Swiss", "Schweizer System"),
        Some(Format::Knockout(_)) => text("knockout", "K.-o.-System"),
        None => "",
    }
}

/// The format with its numbers.
#[must_use]
pub fn format_text(setup: &wire::TournamentSetup, lang: Lang) -> String {
    let name = format_name(setup, lang);
    let numbers = match (&setup.format, lang) {
        (Some(Format::RoundRobin(format)), Lang::En) => format!(", {} deals a pair", format.groups),
        (Some(Format::RoundRobin(format)), Lang::De) => format!(", {} Austeilungen je Paar", format.groups),
        (Some(Format::Gauntlet(format)), Lang::En) => format!(", {} deals each", format.groups),
        (Some(Format::Gauntlet(format)), Lang::De) => format!(", je {} Austeilungen", format.groups),
        (Some(Format::Swiss(format)), Lang::En) => {
            format!(", {} rounds of {} deals", format.rounds, format.groups)
        }
        (Some(Format::Swiss(format)), Lang::De) => {
            format!(", {} Runden zu {} Austeilungen", format.rounds, format.groups)
        }
        (Some(Format::Knockout(format)), Lang::En) => format!(", {} deals a match", format.groups),
        (Some(Format::Knockout(format)), Lang::De) => {
            format!(", {} Austeilungen je Begegnung", format.groups)
        }
        (None, _) => String::new(),
    };
    let deals = match setup.deals() {
        wire::Deals::Independent => {
            localise(lang, "each table with a deal of its own", "jeder Tisch mit eigener Austeilung")
        }
        wire::Deals::Unspecified | wire::Deals::Duplicate => {
            localise(lang, "each deal once for every seating", "jede Austeilung in jeder Sitzordnung")
        }
    };
    format!("{name}{numbers}, {deals}")
}

/// The clock of the tables.
#[must_use]
pub fn clock_text(clock: Option<&wire::ClockSettings>, lang: Lang) -> String {
    let Some(clock) = clock else { return String::new() };
    let span = |ms: Option<u32>| duration_text(ms.unwrap_or_default());
    if clock.decision_ms.unwrap_or_default() == 0 {
        return localise(lang, "none", "keine").to_owned();
    }
    let (decision, bank) = (span(clock.decision_ms), span(clock.bank_ms));
    match lang {
        Lang::En => format!("{decision} a decision, bank {bank}"),
        Lang::De => format!("{decision} je Entscheidung, Vorrat {bank}"),
    }
}

/// A duration, such as `2m 5s`.
#[must_use]
pub fn duration_text(ms: u32) -> String {
    humantime::format_duration(Duration::from_millis(ms.into())).to_string()
}

/// A time in UTC, such as `2026-11-19 23:04 UTC`; empty without one, and after the year 9999.
#[must_use]
pub fn time_text(time: Option<impl TryInto<SystemTime>>) -> String {
    let time = time.and_then(|time| time.try_into().ok());
    let valid = time.filter(|time| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        since.is_ok_and(|since| since.as_secs() < 253_402_300_800)
    });
    valid.map_or_else(String::new, |time| {
        let text = humantime::format_rfc3339_seconds(time).to_string();
        format!("{} UTC", text[..16].replace('T', " "))
    })
}

/// The estimated time left in full seconds, such as `about 2m 5s left`, while the tournament runs.
#[must_use]
pub fn time_left(standings: &wire::Standings, lang: Lang) -> Option<String> {
    let left = standings.time_left_ms.filter(|_| standings.state() == wire::TournamentState::Running)?;
    let text = duration_text(left.div_ceil(1000).saturating_mul(1000));
    Some(match lang {
        Lang::En => format!("about {text} left"),
        Lang::De => format!("noch etwa {text}"),
    })
}

/// Number of complete groups that do not count.
#[must_use]
pub fn provisional_groups(standings: &wire::Standings) -> u32 {
    standings.groups_complete.saturating_sub(standings.groups_counted)
}

/// Remarks on an entrant.
#[must_use]
pub fn remarks(row: &wire::StandingsRow, lang: Lang) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut add = |warns, text| remarks.push(Remark { warns, text });
    let localise = |en, de| localise(lang, en, de);
    // Swiss tournaments rank by these.
    if row.match_points > 0.0 || row.buchholz > 0.0 {
        let (points, buchholz) = (row.match_points, row.buchholz);
        add(false, format!("{points:.2} {}, Buchholz {buchholz:.2}", localise("points", "Punkte")));
    }
    for count in &row.finishes {
        if let Some(why) = forfeit_reason(count.finish()).filter(|_| count.games > 0) {
            add(false, format!("{} × {}", count.games, why.get(lang)));
        }
    }
    if row.byes > 0 {
        add(false, format!("{} × {}", row.byes, localise("bye", "spielfrei")));
    }
    if row.withdrawn {
        add(false, localise("withdrawn", "ausgeschieden").to_owned());
    }
    if let Some(round) = row.out_in_round {
        add(false, format!("{} {}", localise("out in round", "aus in Runde"), round + 1));
    }
    if row.provisional_groups > 0 {
        let (groups, word) = (row.provisional_groups, localise("provisional", "vorläufig"));
        add(false, format!("{groups} {word}: {:+.2}", row.provisional_mean));
    }
    if let Some(gain) = row.gain.as_ref().filter(|gain| gain.flagged) {
        let text = localise("GAINS ON REPEATED DEALS", "GEWINNT BEI WIEDERKEHRENDEN AUSTEILUNGEN");
        add(true, format!("{text} ({:+.2}, p = {:.1e})", gain.mean, gain.p_value));
    }
    if row.entropy_withheld {
        add(true, localise("WITHHELD ITS ENTROPY", "HIELT SEINEN ZUFALL ZURÜCK").to_owned());
    }
    remarks
}

/// The standings in a sentence.
#[must_use]
pub fn headline(tournament: &wire::Tournament, standings: &wire::Standings, lang: Lang) -> String {
    let rows = &standings.rows;
    let (Some(first), Some(second)) = (rows.first(), rows.get(1)) else { return String::new() };
    let (first_name, second_name) = (row_name(first), row_name(second));
    let setup = tournament.setup.clone().unwrap_or_default();
    if standings.groups_counted == 0 {
        return localise(lang, "No deal counts yet.", "Noch zählt keine Austeilung.").to_owned();
    }
    let is_over = standings.state() == wire::TournamentState::Finished;
    match setup.format {
        Some(Format::Knockout(_)) if is_over => {
            let rounds = standings.rounds;
            return match lang {
                Lang::En => format!("{first_name} wins the knockout after {rounds} rounds."),
                Lang::De => format!("{first_name} gewinnt das K.-o.-Turnier nach {rounds} Runden."),
            };
        }
        Some(Format::Swiss(_)) if first.match_points > 0.0 => {
            let (own, other) = (first.match_points, second.match_points);
            return match lang {
                Lang::En => format!(
                    "{first_name} {} with {own:.1} points, before {second_name} with {other:.1}.",
                    if is_over { "wins" } else { "leads" }
                ),
                Lang::De => format!(
                    "{first_name} {} mit {own:.1} Punkten vor {second_name} mit {other:.1}.",
                    if is_over { "gewinnt" } else { "führt" }
                ),
            };
        }
        _ => {}
    }
    if let Some(decided) = decision(&setup, standings, lang) {
        return decided;
    }
    let met = |cell: &&wire::CrossCell| cell.entrant == first.entrant && cell.opponent == second.entrant;
    match standings.cells.iter().find(met) {
        Some(cell) => comparison(&first_name, &second_name, cell, lang),
        None => {
            let (mean, groups) = (first.mean, first.groups);
            match lang {
                Lang::En => format!("{first_name} has the best mean score, {mean:+.2} after {groups} deals."),
                Lang::De => format!(
                    "{first_name} hat die beste mittlere Wertung, {mean:+.2} nach {groups} Austeilungen."
                ),
            }
        }
    }
}

/// The answer of the sequential test, once there is one.
fn decision(setup: &wire::TournamentSetup, standings: &wire::Standings, lang: Lang) -> Option<String> {
    let (question, test) = (setup.test.as_ref()?, standings.test.as_ref()?);
    let name = row_name(standings.rows.iter().find(|row| row.entrant == question.entrant)?);
    let (groups, lower, upper) = (test.groups, question.lower, question.upper);
    Some(match (test.decision(), lang) {
        (SequentialDecision::Unspecified, _) => return None,
        (SequentialDecision::Lower, Lang::En) => {
            format!(
                "The mean score of {name} is at most {lower} points a deal: decided after {groups} deals."
            )
        }
        (SequentialDecision::Upper, Lang::En) => {
            format!(
                "The mean score of {name} is at least {upper} points a deal: decided after {groups} deals."
            )
        }
        (SequentialDecision::Lower, Lang::De) => format!(
            "Die mittlere Wertung von {name} ist höchstens {lower} Punkte: entschieden nach {groups} Austeilungen."
        ),
        (SequentialDecision::Upper, Lang::De) => format!(
            "Die mittlere Wertung von {name} ist mindestens {upper} Punkte: entschieden nach {groups} Austeilungen."
        ),
    })
}

/// How far the first is ahead of the second, and how sure that is.
fn comparison(first: &str, second: &str, cell: &wire::CrossCell, lang: Lang) -> String {
    let (mean, groups) = (cell.mean, cell.groups);
    match (&cell.interval, lang) {
        (Some(i), Lang::En) if i.low > 0.0 => format!(
            "{first} is ahead of {second} by {mean:.1} points a deal, 95% interval {:.1} to {:.1}, after {groups} deals.",
            i.low, i.high
        ),
        (Some(i), Lang::De) if i.low > 0.0 => format!(
            "{first} liegt vor {second}, mit {mean:.1} Punkten je Austeilung, 95-%-Intervall {:.1} bis {:.1}, nach {groups} Austeilungen.",
            i.low, i.high
        ),
        (Some(i), Lang::En) => format!(
            "{first} and {second} cannot be told apart: {mean:+.1} points a deal, 95% interval {:.1} to {:.1}, after {groups} deals.",
            i.low, i.high
        ),
        (Some(i), Lang::De) => format!(
            "{first} und {second} lassen sich nicht unterscheiden: {mean:+.1} Punkte je Austeilung, 95-%-Intervall {:.1} bis {:.1}, nach {groups} Austeilungen.",
            i.low, i.high
        ),
        (None, Lang::En) => format!(
            "{first} and {second}: {mean:+.1} points a deal after {groups} deals, which are too few to say who is better."
        ),
        (None, Lang::De) => format!(
            "{first} und {second}: {mean:+.1} Punkte je Austeilung nach {groups} Austeilungen, zu wenigen für ein Urteil."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entrant: u32, name: &str) -> wire::StandingsRow {
        wire::StandingsRow {
            rank: entrant + 1,
            entrant,
            name: name.into(),
            groups: 600,
            ..Default::default()
        }
    }

    fn standings(interval: Option<(f64, f64)>) -> wire::Standings {
        let interval = interval.map(|(low, high)| wire::Interval { low, high });
        let cell = wire::CrossCell { entrant: 0, opponent: 1, groups: 600, mean: 2.62, interval };
        wire::Standings {
            rows: vec![row(0, "search:20"), row(1, "greedy")],
            cells: vec![cell],
            groups_counted: 600,
            ..Default::default()
        }
    }

    #[test]
    fn headline_says_who_is_ahead_and_how_sure_that_is() {
        let say = |standings: &wire::Standings| headline(&wire::Tournament::default(), standings, Lang::En);
        assert_eq!(
            say(&standings(Some((0.41, 4.88)))),
            "search:20 is ahead of greedy by 2.6 points a deal, 95% interval 0.4 to 4.9, after 600 deals."
        );
        assert!(
            say(&standings(Some((-0.4, 4.9)))).starts_with("search:20 and greedy cannot be told apart: ")
        );
        assert!(say(&standings(None)).ends_with("too few to say who is better."));
        assert_eq!(say(&wire::Standings { groups_counted: 0, ..standings(None) }), "No deal counts yet.");
    }

    #[test]
    fn headline_names_the_winner_of_a_knockout_and_of_a_swiss_tournament() {
        let of = |format| wire::Tournament {
            setup: Some(wire::TournamentSetup { format: Some(format), ..Default::default() }),
            ..Default::default()
        };
        let mut over = standings(None);
        (over.state, over.rounds) = (wire::TournamentState::Finished.into(), 3);
        let knockout = of(Format::Knockout(wire::KnockoutFormat::default()));
        assert_eq!(headline(&knockout, &over, Lang::En), "search:20 wins the knockout after 3 rounds.");
        let swiss = of(Format::Swiss(wire::SwissFormat::default()));
        (over.rows[0].match_points, over.rows[1].match_points) = (4.0, 3.5);
        assert_eq!(
            headline(&swiss, &over, Lang::En),
            "search:20 wins with 4.0 points, before greedy with 3.5."
        );
    }

    #[test]
    fn provisional_groups_are_a_remark() {
        let row = wire::StandingsRow { provisional_groups: 4, provisional_mean: 1.5, ..row(0, "greedy") };
        assert_eq!(remarks(&row, Lang::En)[0].text, "4 provisional: +1.50");
    }
}
