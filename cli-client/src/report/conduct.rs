//! Conduct section of a report: clocks, forfeits and think times of each entrant.

use std::collections::BTreeMap;

use parlor_sdk::wire;

use super::ReportPage;
use crate::lang::forfeit_reason;
use crate::tournament_text::duration_text;

/// Sums over the seats of an entrant.
#[derive(Default)]
struct Conduct {
    games: u32,
    clocks_run_out: u32,
    think_ms: u64,
    longest_ms: u32,
    away_ms: u64,
    forfeits: BTreeMap<i32, u32>,
}

impl ReportPage<'_> {
    pub(super) fn conduct(&mut self) {
        let mut all: BTreeMap<u32, Conduct> = BTreeMap::new();
        for table in &self.report.tables {
            for (entrant, result) in table.entrants.iter().zip(&table.results) {
                all.entry(*entrant).or_default().add(result);
            }
        }
        if all.is_empty() {
            return;
        }
        self.heading("Time and forfeits", "Zeit und Aufgaben");
        self.out.raw("<div class=\"wide\"><table>\n");
        self.table_head(&[
            ("name", "Entrant", "Teilnehmer"),
            ("", "Games", "Spiele"),
            ("", "Think time a game", "Bedenkzeit je Spiel"),
            ("", "Longest", "Längste"),
            ("", "Clocks run out", "Zeit abgelaufen"),
            ("", "Away", "Abwesend"),
            ("name", "Forfeits", "Aufgaben"),
        ]);
        self.out.raw("<tbody>\n");
        let order: Vec<u32> = self.report.standings.rows.iter().map(|row| row.entrant).collect();
        for entrant in order {
            let Some(conduct) = all.get(&entrant) else { continue };
            let name = self.name(entrant);
            let forfeits: Vec<String> = conduct
                .forfeits
                .iter()
                .filter_map(|(finish, games)| {
                    let why = forfeit_reason(wire::SeatFinish::try_from(*finish).ok()?)?;
                    Some(format!("{games} × {}", why.get(self.lang)))
                })
                .collect();
            let mean = conduct.think_ms / u64::from(conduct.games.max(1));
            let out = &mut self.out;
            out.raw("<tr><th class=\"name\" scope=\"row\">").text(&name).raw("</th><td>");
            out.whole(conduct.games).raw("</td><td>").text(&milliseconds(mean)).raw("</td><td>");
            out.text(&milliseconds(conduct.longest_ms.into())).raw("</td><td>");
            out.whole(conduct.clocks_run_out).raw("</td><td>").text(&milliseconds(conduct.away_ms));
            out.raw("</td><td class=\"name\">");
            out.text(if forfeits.is_empty() { "–" } else { "" }).text(&forfeits.join(", "));
            out.raw("</td></tr>\n");
        }
        self.out.raw("</tbody></table></div>\n");
        let note = self.localise(
            "All games that are over, also those of deals that do not count. Think time is measured at the server while the clock of a seat runs.",
            "Alle Spiele, die zu Ende sind, auch die von Austeilungen, die nicht zählen. Gemessen wird am Server, solange die Uhr eines Sitzes läuft.",
        );
        self.paragraph("soft", note);
    }
}

impl Conduct {
    fn add(&mut self, result: &wire::SeatResult) {
        self.games += 1;
        self.clocks_run_out += result.clocks_run_out;
        self.think_ms += u64::from(result.think_ms);
        self.longest_ms = self.longest_ms.max(result.think_ms);
        self.away_ms += u64::from(result.away_ms);
        if forfeit_reason(result.finish()).is_some() {
            *self.forfeits.entry(result.finish).or_default() += 1;
        }
    }
}

fn milliseconds(ms: u64) -> String {
    if ms == 0 { "–".to_owned() } else { duration_text(u32::try_from(ms).unwrap_or(u32::MAX)) }
}
