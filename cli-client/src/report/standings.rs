//! Statistics sections of a report: standings, sequential test, ratings, cross table.

use parlor_engine::Lang;
use parlor_sdk::wire::{self, SequentialDecision};

use super::ReportPage;
use super::chart::{self, Axis, colour_of};
use super::html::Html;
use crate::tournament_text::{self, Remark};

impl ReportPage<'_> {
    pub(super) fn standings(&mut self) {
        self.heading("Standings", "Stand");
        let rows = &self.report.standings.rows;
        let ends = |row: &wire::StandingsRow| {
            let interval = row.interval;
            [Some(row.mean), interval.map(|i| i.low), interval.map(|i| i.high), Some(0.0)]
                .into_iter()
                .flatten()
        };
        let axis = Axis::containing(rows.iter().flat_map(ends));
        self.few_groups();
        self.out.raw("<div class=\"wide\"><table class=\"standings\">\n");
        self.table_head(&[
            ("", "Rank", "Platz"),
            ("name", "Entrant", "Teilnehmer"),
            ("", "Score", "Wertung"),
            ("name", "95% interval", "95-%-Intervall"),
            ("", "Rating", "Spielstärke"),
            ("", "Places", "Plätze"),
            ("", "Deals", "Austeilungen"),
            ("", "Games", "Spiele"),
            ("name", "Remarks", "Anmerkungen"),
        ]);
        self.out.raw("<tbody>\n");
        for row in rows {
            let name = self.name(row.entrant);
            let remarks = tournament_text::remarks(row, self.lang);
            let rating = self.localise("Rating ", "Spielstärke ");
            let deals = self.localise("Deals ", "Austeilungen ");
            let out = &mut self.out;
            out.raw("<tr><td>").whole(row.rank).raw("</td><th class=\"name\" scope=\"row\">");
            dot(out, row.entrant);
            out.text(&name)
                .raw("</th><td><b>")
                .signed(row.mean, 2)
                .raw("</b></td><td class=\"name interval\">");
            chart::draw_interval(out, axis, row.mean, row.interval.as_ref(), row.entrant as usize);
            out.raw("<span>");
            if let Some(interval) = &row.interval {
                out.signed(interval.low, 2).raw(" … ").signed(interval.high, 2);
            }
            out.raw("</span></td><td data-label=\"").text(rating).raw("\">").signed(row.rating, 0);
            if let Some(interval) = &row.rating_interval {
                out.raw(" <span class=\"soft\">").signed(interval.low, 0).raw(" … ");
                out.signed(interval.high, 0).raw("</span>");
            }
            out.raw("</td><td>")
                .number(row.place_points, 1)
                .raw("</td><td data-label=\"")
                .text(deals)
                .raw("\">")
                .whole(row.groups);
            out.raw("</td><td>").whole(row.games);
            out.raw("</td><td class=\"name remarks\">");
            for (index, Remark { warns, text }) in remarks.iter().enumerate() {
                out.raw(if index > 0 { ", " } else { "" });
                out.raw(if *warns { "<span class=\"warn\">" } else { "<span class=\"soft\">" });
                out.text(text).raw("</span>");
            }
            out.raw("</td></tr>\n");
        }
        self.out.raw("</tbody></table></div>\n");
        let note = self.localise(
            "The score is the mean over groups: points less the mean of the others, averaged over the tables of a deal. The interval is anytime-valid: it stays correct however often it is looked at.",
            "Die Wertung ist das Mittel über Gruppen: Punkte weniger das Mittel der anderen, gemittelt über die Tische einer Austeilung. Das Intervall gilt zu jeder Zeit zugleich: Häufiges Hinsehen ändert nichts.",
        );
        self.paragraph("soft", note);
    }

    pub(super) fn test(&mut self) {
        let Some(test) = self.report.standings.test else { return };
        self.heading("Sequential test", "Sequentieller Test");
        let setup = self.report.tournament.setup.clone().unwrap_or_default().test.unwrap_or_default();
        let who = self.name(setup.entrant);
        let decided = match test.decision() {
            SequentialDecision::Unspecified => self.localise("not decided yet", "noch nicht entschieden"),
            SequentialDecision::Lower => {
                self.localise("the lower one is accepted", "die untere ist angenommen")
            }
            SequentialDecision::Upper => {
                self.localise("the upper one is accepted", "die obere ist angenommen")
            }
        };
        let line = match self.lang {
            Lang::En => format!(
                "Is the mean score of {who} at most {} or at least {}? After {} groups: {decided} (log-likelihood ratio {:.2}, bounds {:.2} and {:.2}).",
                setup.lower, setup.upper, test.groups, test.llr, test.accept_lower, test.accept_upper
            ),
            Lang::De => format!(
                "Ist die mittlere Wertung von {who} höchstens {} oder mindestens {}? Nach {} Gruppen: {decided} (Log-Likelihood-Quotient {:.2}, Schranken {:.2} und {:.2}).",
                setup.lower, setup.upper, test.groups, test.llr, test.accept_lower, test.accept_upper
            ),
        };
        self.paragraph("", &line);
    }

    pub(super) fn ratings(&mut self) {
        if self.report.standings.history.len() < 2 {
            return;
        }
        self.heading("Rating over time", "Spielstärke im Verlauf");
        let label = self.localise(
            "Ratings of all entrants over the groups",
            "Spielstärken aller Teilnehmer über die Gruppen",
        );
        self.out.raw("<div class=\"wide\"><div class=\"chart\">");
        chart::draw_curves(&mut self.out, &self.report.standings.history, label);
        self.out.raw("</div><div class=\"legend\">");
        for row in &self.report.standings.rows {
            let name = self.name(row.entrant);
            self.out.raw("<span>");
            dot(&mut self.out, row.entrant);
            self.out.text(&name).raw("</span>");
        }
        self.out.raw("</div></div>\n");
        let note = self.localise(
            "Groups counted to the right, rating upwards: Plackett-Luce in the units of Elo, the mean of all being 0.",
            "Nach rechts die gezählten Gruppen, nach oben die Spielstärke: Plackett-Luce in Elo-Einheiten, das Mittel aller ist 0.",
        );
        self.paragraph("soft", note);
    }

    pub(super) fn cross_table(&mut self) {
        let standings = &self.report.standings;
        if standings.cells.is_empty() {
            return;
        }
        self.heading("Cross table", "Alle gegen alle");
        let order: Vec<u32> = standings.rows.iter().map(|row| row.entrant).collect();
        let max_mean = standings.cells.iter().map(|cell| cell.mean.abs()).fold(f64::MIN_POSITIVE, f64::max);
        self.out.raw("<div class=\"wide\"><table class=\"cross\">\n<thead><tr><th class=\"name\"></th>");
        for entrant in &order {
            let name = self.name(*entrant);
            self.out.raw("<th>").text(&name).raw("</th>");
        }
        self.out.raw("</tr></thead>\n<tbody>\n");
        for entrant in &order {
            let name = self.name(*entrant);
            self.out.raw("<tr><th class=\"name\" scope=\"row\">").text(&name).raw("</th>");
            for opponent in &order {
                let met = |cell: &&wire::CrossCell| cell.entrant == *entrant && cell.opponent == *opponent;
                match standings.cells.iter().find(met) {
                    Some(cell) => cross_cell(&mut self.out, cell, max_mean),
                    None if entrant == opponent => {
                        self.out.raw("<td class=\"cell self\"></td>");
                    }
                    None => {
                        self.out.raw("<td class=\"cell soft\">·</td>");
                    }
                }
            }
            self.out.raw("</tr>\n");
        }
        self.out.raw("</tbody></table></div>\n");
        let note = self.localise(
            "The mean lead in points of the row over the column, with its 95% interval and the number of deals.",
            "Der mittlere Vorsprung der Zeile vor der Spalte in Punkten, mit 95-%-Intervall und Zahl der Austeilungen.",
        );
        self.paragraph("soft", note);
    }
}

/// Dot in the colour of an entrant.
fn dot(out: &mut Html, entrant: u32) {
    out.raw("<span class=\"dot\" style=\"background: ").raw(colour_of(entrant as usize)).raw("\"></span>");
}

/// Cell of the cross table; the larger the lead, the stronger the colour.
fn cross_cell(out: &mut Html, cell: &wire::CrossCell, max_mean: f64) {
    out.raw("<td class=\"cell\" style=\"background: rgba(");
    out.raw(if cell.mean >= 0.0 { "var(--plus)" } else { "var(--minus)" });
    out.raw(", ").number(0.08 + 0.32 * (cell.mean.abs() / max_mean).min(1.0), 2).raw(")\"><b>");
    out.signed(cell.mean, 2).raw("</b><small>");
    if let Some(interval) = &cell.interval {
        out.signed(interval.low, 2).raw(" … ").signed(interval.high, 2).raw("<br/>");
    }
    out.raw("n = ").whole(cell.groups).raw("</small></td>");
}
