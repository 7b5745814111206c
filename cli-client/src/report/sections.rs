//! The parts of a report, from top to bottom.

use parlor_engine::{AnyOptions, Lang, Text};
use parlor_sdk::wire::{self, SequentialDecision, tournament_setup::Format};

use super::Page;
use super::chart::{self, Axis, colour_of};
use super::html::Html;
use crate::lang::forfeit;

/// So many tables are shown at once; the others are folded in.
const TABLES_OPEN: usize = 200;

impl Page<'_> {
    pub(super) fn head(&mut self, title: &str) {
        let report = self.report;
        let setup = report.tournament.setup.clone().unwrap_or_default();
        let options = setup.options.and_then(|options| AnyOptions::try_from(options).ok());
        let game = options.map_or("?", |options| options.game().info().name.get(self.lang));
        let (players, entrants) = (setup.players, setup.entrants.len());
        let format = self.format(&setup);
        self.out.raw("<h1>").text(title).raw("</h1>\n");
        let line = match self.lang {
            Lang::En => format!("{game}, {players} players a table, {entrants} entrants, {format}"),
            Lang::De => format!("{game}, {players} Spieler am Tisch, {entrants} Teilnehmer, {format}"),
        };
        self.paragraph("soft", &line);
        let standings = &report.standings;
        let state = state_text(standings.state()).get(self.lang);
        let counted = match self.lang {
            Lang::En => format!(
                "{state}: {} of {} groups count, {} tables are over, {} groups were voided. Report of {}.",
                standings.groups_counted,
                standings.groups_expected,
                standings.tables_over,
                standings.groups_voided,
                report.made
            ),
            Lang::De => format!(
                "{state}: {} von {} Gruppen zählen, {} Tische sind zu Ende, {} Gruppen wurden gestrichen. Bericht vom {}.",
                standings.groups_counted,
                standings.groups_expected,
                standings.tables_over,
                standings.groups_voided,
                report.made
            ),
        };
        self.paragraph("soft", &counted);
        if !report.tournament.note.is_empty() {
            let note = report.tournament.note.clone();
            let is_cancelled = report.tournament.state() == wire::TournamentState::Cancelled;
            self.paragraph(if is_cancelled { "warn" } else { "" }, &note);
        }
        if report.tournament.shuffle.as_ref().is_some_and(|shuffle| shuffle.seed_given) {
            let given = self.say(
                "The seed was chosen by the organiser: the deals prove nothing.",
                "Der Startwert wurde vorgegeben: Die Austeilungen beweisen nichts.",
            );
            self.paragraph("warn", given);
        }
    }

    fn format(&self, setup: &wire::TournamentSetup) -> String {
        let deals = match setup.deals() {
            wire::Deals::Independent => self.say("independent deals", "jeder Tisch mit eigener Austeilung"),
            wire::Deals::Unspecified | wire::Deals::Duplicate => {
                self.say("duplicate deals", "Duplikat-Austeilungen")
            }
        };
        let format = match &setup.format {
            Some(Format::RoundRobin(_)) => self.say("everyone against everyone", "jeder gegen jeden"),
            Some(Format::Gauntlet(_)) => self.say("one against the field", "einer gegen alle"),
            Some(Format::Swiss(_)) => self.say("Swiss", "Schweizer System"),
            Some(Format::Knockout(_)) => self.say("knockout", "K.-o.-System"),
            None => "",
        };
        format!("{format}, {deals}")
    }

    pub(super) fn standings(&mut self) {
        self.heading("Standings", "Stand");
        let rows = &self.report.standings.rows;
        let ends = |row: &wire::StandingsRow| {
            let interval = row.interval;
            [Some(row.mean), interval.map(|i| i.low), interval.map(|i| i.high), Some(0.0)]
                .into_iter()
                .flatten()
        };
        let axis = Axis::of(rows.iter().flat_map(ends));
        self.out.raw("<div class=\"wide\"><table>\n<thead><tr>");
        for (class, en, de) in [
            ("", "Rank", "Rang"),
            ("name", "Entrant", "Teilnehmer"),
            ("", "Groups", "Gruppen"),
            ("", "Games", "Spiele"),
            ("", "Score", "Wertung"),
            ("name", "95% interval, at all times", "95-%-Intervall, jederzeit gültig"),
            ("", "Places", "Plätze"),
            ("", "Rating", "Spielstärke"),
            ("name", "Remarks", "Anmerkungen"),
        ] {
            let text = self.say(en, de);
            self.out.raw("<th class=\"").raw(class).raw("\">").text(text).raw("</th>");
        }
        self.out.raw("</tr></thead>\n<tbody>\n");
        for row in rows {
            let name = self.name(row.entrant);
            let remarks = self.remarks(row);
            let out = &mut self.out;
            out.raw("<tr><td>").whole(row.rank).raw("</td><th class=\"name\" scope=\"row\">");
            dot(out, row.entrant);
            out.text(&name).raw("</th><td>").whole(row.groups).raw("</td><td>").whole(row.games);
            out.raw("</td><td>").number(row.mean, 2).raw("</td><td class=\"name\"");
            if let Some(interval) = &row.interval {
                out.raw(" title=\"").number(interval.low, 2).raw(" … ").number(interval.high, 2).raw("\"");
            }
            out.raw(">");
            chart::interval(out, axis, row.mean, row.interval.as_ref(), row.entrant as usize);
            out.raw("</td><td>").number(row.place_points, 1).raw("</td><td>").number(row.rating, 0);
            if let Some(interval) = &row.rating_interval {
                out.raw(" <span class=\"soft\">")
                    .number(interval.low, 0)
                    .raw(" … ")
                    .number(interval.high, 0)
                    .raw("</span>");
            }
            out.raw("</td><td class=\"name\">");
            for (warns, remark) in remarks {
                out.raw(if warns { "<span class=\"warn\">" } else { "<span class=\"soft\">" })
                    .text(&remark)
                    .raw("</span> ");
            }
            out.raw("</td></tr>\n");
        }
        self.out.raw("</tbody></table></div>\n");
        let note = self.say(
            "The score is the mean over groups: points less the mean of the others, averaged over the tables of a deal. The interval holds at all times at once, so looking often changes nothing.",
            "Die Wertung ist das Mittel über Gruppen: Punkte weniger das Mittel der anderen, gemittelt über die Tische einer Austeilung. Das Intervall gilt zu jeder Zeit zugleich: Häufiges Hinsehen ändert nichts.",
        );
        self.paragraph("soft", note);
    }

    /// What is worth saying of an entrant, and whether somebody should look at it.
    fn remarks(&self, row: &wire::StandingsRow) -> Vec<(bool, String)> {
        let mut remarks = Vec::new();
        // A Swiss tournament ranks by these.
        if row.match_points > 0.0 || row.buchholz > 0.0 {
            let (points, word) = (row.match_points, self.say("points", "Punkte"));
            remarks.push((false, format!("{points:.2} {word}, Buchholz {:.2}", row.buchholz)));
        }
        for count in &row.finishes {
            if let Some(why) = forfeit(count.finish()).filter(|_| count.games > 0) {
                remarks.push((false, format!("{} × {}", count.games, why.get(self.lang))));
            }
        }
        if row.byes > 0 {
            remarks.push((false, format!("{} × {}", row.byes, self.say("bye", "spielfrei"))));
        }
        if row.withdrawn {
            remarks.push((false, self.say("withdrawn", "ausgeschieden").to_owned()));
        }
        if let Some(gain) = row.gain.as_ref().filter(|gain| gain.flagged) {
            let text = self.say("gains when a deal comes again", "gewinnt, wenn eine Austeilung wiederkommt");
            remarks.push((true, format!("{text}: {:+.2} (p = {:.1e})", gain.mean, gain.p_value)));
        }
        remarks
    }

    pub(super) fn test(&mut self) {
        let Some(test) = self.report.standings.test else { return };
        self.heading("Sequential test", "Sequentieller Test");
        let setup = self.report.tournament.setup.clone().unwrap_or_default().test.unwrap_or_default();
        let who = self.name(setup.entrant);
        let decided = match test.decision() {
            SequentialDecision::Unspecified => self.say("not decided yet", "noch nicht entschieden"),
            SequentialDecision::Lower => self.say("the lower one is accepted", "die untere ist angenommen"),
            SequentialDecision::Upper => self.say("the upper one is accepted", "die obere ist angenommen"),
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
        let label = self
            .say("Ratings of all entrants over the groups", "Spielstärken aller Teilnehmer über die Gruppen");
        self.out.raw("<div class=\"wide\"><div class=\"chart\">");
        chart::curves(&mut self.out, &self.report.standings.history, label);
        self.out.raw("</div><div class=\"legend\">");
        for row in &self.report.standings.rows {
            let name = self.name(row.entrant);
            self.out.raw("<span>");
            dot(&mut self.out, row.entrant);
            self.out.text(&name).raw("</span>");
        }
        self.out.raw("</div></div>\n");
        let note = self.say(
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
        self.heading("Everyone against everyone", "Alle gegen alle");
        let order: Vec<u32> = standings.rows.iter().map(|row| row.entrant).collect();
        let most = standings.cells.iter().map(|cell| cell.mean.abs()).fold(f64::MIN_POSITIVE, f64::max);
        self.out.raw("<div class=\"wide\"><table>\n<thead><tr><th class=\"name\"></th>");
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
                    Some(cell) => cross_cell(&mut self.out, cell, most),
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
        let note = self.say(
            "The mean lead in points of the row over the column; the colder, the further ahead. Hold the pointer over a cell for its interval.",
            "Der mittlere Vorsprung der Zeile vor der Spalte in Punkten; je kälter, desto weiter vorn. Das Intervall steht unter dem Mauszeiger.",
        );
        self.paragraph("soft", note);
    }

    pub(super) fn tables(&mut self) {
        let report = self.report;
        if report.tables.is_empty() {
            return;
        }
        self.heading("Tables and records", "Tische und Partien");
        let folded = report.tables.len() > TABLES_OPEN;
        self.out.raw("<div class=\"wide\">");
        if folded {
            let all = self.say("all tables", "alle Tische");
            self.out
                .raw("<details><summary>")
                .whole(report.tables.len() as u64)
                .raw(" · ")
                .text(all)
                .raw("</summary>");
        }
        self.out.raw("<table>\n<thead><tr>");
        for (class, en, de) in [
            ("", "Deal", "Austeilung"),
            ("", "Rotation", "Drehung"),
            ("name", "Seats and points", "Sitze und Punkte"),
            ("name", "Record", "Partie"),
        ] {
            let text = self.say(en, de);
            self.out.raw("<th class=\"").raw(class).raw("\">").text(text).raw("</th>");
        }
        self.out.raw("</tr></thead>\n<tbody>\n");
        for table in &report.tables {
            self.table(table);
        }
        self.out.raw("</tbody></table>");
        if folded {
            self.out.raw("</details>");
        }
        self.out.raw("</div>\n");
        let note = self.say(
            "Save a record and check it without the server: parlor verify FILE",
            "Eine gespeicherte Partie prüft ohne den Server: parlor verify DATEI",
        );
        self.paragraph("soft", note);
    }

    fn table(&mut self, table: &wire::TournamentTable) {
        let seats: Vec<String> = (0..)
            .zip(&table.entrants)
            .map(|(seat, entrant)| {
                let name = self.name(*entrant);
                let Some(result) = table.results.iter().find(|result| result.seat == seat) else {
                    return name;
                };
                match forfeit(result.finish()) {
                    Some(why) => format!("{name} {} ({})", result.points, why.get(self.lang)),
                    None => format!("{name} {}", result.points),
                }
            })
            .collect();
        let out = &mut self.out;
        out.raw("<tr><td>").whole(table.group).raw("</td><td>").whole(table.rotation);
        out.raw("</td><td class=\"name\">").text(&seats.join(", "));
        if !table.void_reason.is_empty() {
            out.raw(" <span class=\"warn\">").text(&table.void_reason).raw("</span>");
        }
        out.raw("</td><td class=\"name\">");
        match self.report.records.get(&table.table_id) {
            Some(link) => {
                out.raw("<a download=\"").text(&link.file).raw("\" href=\"").text(&link.address).raw("\">");
                out.text(&table.table_id).raw("</a>");
            }
            None => {
                out.raw("<code>").text(&table.table_id).raw("</code>");
            }
        }
        out.raw("</td></tr>\n");
    }

    pub(super) fn fairness(&mut self) {
        let Some(shuffle) = self.report.tournament.shuffle.clone() else { return };
        self.heading("Fairness", "Fairness");
        let what = self.say(
            "The server fixed the secret behind all shuffles before anybody had added anything to it, by showing this SHA-256:",
            "Der Server hat das Geheimnis hinter allen Mischungen festgelegt, bevor jemand etwas dazugab, mit diesem SHA-256:",
        );
        if !shuffle.commitment.is_empty() {
            self.paragraph("", what);
            self.out.raw("<p><code>").text(&hex(&shuffle.commitment)).raw("</code></p>\n");
        }
        if !shuffle.server_seed.is_empty() {
            let shown = self.say(
                "The secret itself, shown when it was over:",
                "Das Geheimnis selbst, gezeigt, als es vorbei war:",
            );
            self.paragraph("", shown);
            self.out.raw("<p><code>").text(&hex(&shuffle.server_seed)).raw("</code></p>\n");
        }
        let id = &self.report.tournament.tournament_id;
        self.out.raw("<p class=\"soft\"><code>").text(id).raw("</code></p>\n");
    }
}

/// The dot in the colour of an entrant.
fn dot(out: &mut Html, entrant: u32) {
    out.raw("<span class=\"dot\" style=\"background: ").raw(colour_of(entrant as usize)).raw("\"></span>");
}

/// A cell of the cross table, the stronger in colour the larger the lead.
fn cross_cell(out: &mut Html, cell: &wire::CrossCell, most: f64) {
    out.raw("<td class=\"cell\" style=\"background: rgba(");
    out.raw(if cell.mean >= 0.0 { "var(--plus)" } else { "var(--minus)" });
    out.raw(", ").number(0.08 + 0.47 * (cell.mean.abs() / most).min(1.0), 2).raw(")\" title=\"");
    out.whole(cell.groups).raw(" ×");
    if let Some(interval) = &cell.interval {
        out.raw(", ").number(interval.low, 2).raw(" … ").number(interval.high, 2);
    }
    out.raw("\">").number(cell.mean, 2).raw("</td>");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where a tournament is in its life.
pub const fn state_text(state: wire::TournamentState) -> Text {
    use wire::TournamentState as State;
    match state {
        State::Unspecified => Text { en: "unknown", de: "unbekannt" },
        State::Created => Text { en: "not started", de: "nicht begonnen" },
        State::Running => Text { en: "running", de: "läuft" },
        State::Paused => Text { en: "paused", de: "angehalten" },
        State::Finished => Text { en: "finished", de: "beendet" },
        State::Cancelled => Text { en: "cancelled", de: "abgesagt" },
    }
}
