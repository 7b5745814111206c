//! Rounds of a report: the bracket of a knockout, the pairings of a Swiss tournament.

use std::collections::BTreeMap;

use parlor_engine::Lang;
use parlor_sdk::wire::{self, tournament_setup::Format};

use super::ReportPage;

/// A line-up of a round: the sum of the scores of each member over the tables that are over, and their number.
#[derive(Default)]
struct Meeting {
    scores: BTreeMap<u32, f64>,
    tables: u32,
}

impl ReportPage<'_> {
    pub(super) fn rounds(&mut self) {
        let is_knockout = match self.setup().format {
            Some(Format::Knockout(_)) => true,
            Some(Format::Swiss(_)) => false,
            _ => return,
        };
        let rounds = meetings(&self.report.tables);
        if rounds.is_empty() {
            return;
        }
        match is_knockout {
            true => self.heading("Bracket", "Turnierbaum"),
            false => self.heading("Rounds", "Runden"),
        }
        self.out.raw("<div class=\"rounds\">\n");
        for (round, lineups) in &rounds {
            let title = match self.lang {
                Lang::En => format!("Round {}", round + 1),
                Lang::De => format!("Runde {}", round + 1),
            };
            self.out.raw("<section><h3>").text(&title).raw("</h3>\n");
            for (lineup, meeting) in lineups {
                self.meeting(lineup, meeting, is_knockout.then_some(*round));
            }
            self.byes(lineups.keys(), *round, is_knockout);
            self.out.raw("</section>\n");
        }
        self.out.raw("</div>\n");
        let note = self.localise(
            "The score of each in the round, in points a table over the mean of the others. Ties of a knockout are broken by more deals, and then by the seeding.",
            "Die Wertung jedes Einzelnen in der Runde, in Punkten je Tisch über dem Mittel der anderen. Bei Gleichstand im K.-o. folgen weitere Austeilungen, dann zählt die Setzliste.",
        );
        self.paragraph("soft", note);
    }

    /// One line-up, best first; in a knockout those who were out in this round are marked.
    fn meeting(&mut self, lineup: &[u32], meeting: &Meeting, knockout_round: Option<u32>) {
        let score = |entrant: u32| meeting.scores.get(&entrant).copied().unwrap_or_default();
        let mut order = lineup.to_vec();
        let out_in = |entrant: u32| {
            let row = self.report.standings.rows.iter().find(|row| row.entrant == entrant);
            row.and_then(|row| row.out_in_round)
        };
        let is_out = |entrant: u32| knockout_round.is_some() && out_in(entrant) == knockout_round;
        order.sort_by(|a, b| is_out(*a).cmp(&is_out(*b)).then(score(*b).total_cmp(&score(*a))));
        let lines: Vec<(String, f64, bool)> =
            order.into_iter().map(|entrant| (self.name(entrant), score(entrant), is_out(entrant))).collect();
        let out_text = self.localise("out", "aus");
        self.out.raw("<ul class=\"meeting\">");
        for (name, score, is_out) in lines {
            self.out.raw(if is_out { "<li class=\"out\"><span>" } else { "<li><span>" }).text(&name);
            if is_out {
                self.out.raw(" <small>").text(out_text).raw("</small>");
            }
            self.out.raw("</span> <b>");
            if meeting.tables > 0 {
                self.out.signed(score / f64::from(meeting.tables), 2);
            }
            self.out.raw("</b></li>");
        }
        self.out.raw("</ul>\n");
    }

    /// Entrants without a table in the round. In a knockout, those who are still in.
    fn byes<'a>(&mut self, lineups: impl Iterator<Item = &'a Vec<u32>>, round: u32, is_knockout: bool) {
        let playing: Vec<u32> = lineups.flatten().copied().collect();
        let is_in =
            |row: &&wire::StandingsRow| !is_knockout || row.out_in_round.is_none_or(|out| out > round);
        let rows = self.report.standings.rows.iter().filter(|row| row.byes > 0 && is_in(row));
        let names: Vec<String> = rows
            .filter(|row| !playing.contains(&row.entrant) && !row.withdrawn)
            .map(|row| self.name(row.entrant))
            .collect();
        if !names.is_empty() {
            let bye = self.localise("Bye: ", "Spielfrei: ");
            self.paragraph("soft", &format!("{bye}{}", names.join(", ")));
        }
    }
}

/// Line-ups of each round with their scores; without void groups.
fn meetings(tables: &[wire::TournamentTable]) -> BTreeMap<u32, BTreeMap<Vec<u32>, Meeting>> {
    let mut rounds: BTreeMap<u32, BTreeMap<Vec<u32>, Meeting>> = BTreeMap::new();
    for table in tables.iter().filter(|table| table.void_reason.is_empty()) {
        let mut lineup = table.entrants.clone();
        lineup.sort_unstable();
        let meeting = rounds.entry(table.round).or_default().entry(lineup).or_default();
        if table.results.is_empty() {
            continue;
        }
        meeting.tables += 1;
        let points = counted_points(table);
        let sum: f64 = points.iter().map(|(_, points)| points).sum();
        let others = (points.len() as f64 - 1.0).max(1.0);
        for (entrant, own) in points {
            *meeting.scores.entry(entrant).or_default() += own - (sum - own) / others;
        }
    }
    rounds
}

/// Points of the entrants: a seat that forfeited has the lowest of its table.
fn counted_points(table: &wire::TournamentTable) -> Vec<(u32, f64)> {
    let lowest = table.results.iter().map(|result| result.points).min().unwrap_or_default();
    let points = |result: &wire::SeatResult| match result.finish() {
        wire::SeatFinish::PlayedOut | wire::SeatFinish::Unspecified => result.points,
        _ => lowest,
    };
    let entrants = table.entrants.iter().copied();
    entrants.zip(table.results.iter().map(|result| f64::from(points(result)))).collect()
}
