//! Head, table list and fairness section of a report.

use parlor_engine::{AnyOptions, Lang};
use parlor_sdk::wire::{self, tournament_setup::Format};

use super::ReportPage;
use crate::lang::forfeit_reason;

/// Longest list of tables shown unfolded.
const MAX_UNFOLDED_TABLES: usize = 200;

impl ReportPage<'_> {
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
        let state = standings.state().text().get(self.lang);
        let counted = match self.lang {
            Lang::En => format!(
                "{state}: {} of {} groups count, {} tables are over, {} groups were voided. Report of {}.",
                standings.groups_counted,
                standings.groups_expected,
                standings.tables_over,
                standings.groups_voided,
                report.created
            ),
            Lang::De => format!(
                "{state}: {} von {} Gruppen zählen, {} Tische sind zu Ende, {} Gruppen wurden gestrichen. Bericht vom {}.",
                standings.groups_counted,
                standings.groups_expected,
                standings.tables_over,
                standings.groups_voided,
                report.created
            ),
        };
        self.paragraph("soft", &counted);
        if !report.tournament.note.is_empty() {
            let note = report.tournament.note.clone();
            let is_cancelled = report.tournament.state() == wire::TournamentState::Cancelled;
            self.paragraph(if is_cancelled { "warn" } else { "" }, &note);
        }
        if report.tournament.shuffle.as_ref().is_some_and(|shuffle| shuffle.seed_given) {
            let given = self.localise(
                "The seed was chosen by the organiser: the shuffles are not verifiably fair.",
                "Der Startwert wurde vorgegeben: Die Austeilungen beweisen nichts.",
            );
            self.paragraph("warn", given);
        }
    }

    fn format(&self, setup: &wire::TournamentSetup) -> String {
        let deals = match setup.deals() {
            wire::Deals::Independent => {
                self.localise("independent deals", "jeder Tisch mit eigener Austeilung")
            }
            wire::Deals::Unspecified | wire::Deals::Duplicate => {
                self.localise("duplicate deals", "Duplikat-Austeilungen")
            }
        };
        let format = match &setup.format {
            Some(Format::RoundRobin(_)) => self.localise("round robin", "jeder gegen jeden"),
            Some(Format::Gauntlet(_)) => self.localise("gauntlet", "einer gegen alle"),
            Some(Format::Swiss(_)) => self.localise("Swiss", "Schweizer System"),
            Some(Format::Knockout(_)) => self.localise("knockout", "K.-o.-System"),
            None => "",
        };
        format!("{format}, {deals}")
    }

    pub(super) fn tables(&mut self) {
        let report = self.report;
        if report.tables.is_empty() {
            return;
        }
        self.heading("Tables and records", "Tische und Partien");
        let folded = report.tables.len() > MAX_UNFOLDED_TABLES;
        self.out.raw("<div class=\"wide\">");
        if folded {
            let all = self.localise("all tables", "alle Tische");
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
            let text = self.localise(en, de);
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
        let note = self.localise(
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
                match forfeit_reason(result.finish()) {
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
        let what = self.localise(
            "SHA-256 commitment to the server seed of all shuffles, published before any entropy was added:",
            "Der Server hat das Geheimnis hinter allen Mischungen festgelegt, bevor jemand etwas dazugab, mit diesem SHA-256:",
        );
        if !shuffle.commitment.is_empty() {
            self.paragraph("", what);
            self.out.raw("<p><code>").text(&hex(&shuffle.commitment)).raw("</code></p>\n");
        }
        if !shuffle.server_seed.is_empty() {
            let shown = self.localise(
                "Server seed, revealed after the end:",
                "Das Geheimnis selbst, gezeigt, als es vorbei war:",
            );
            self.paragraph("", shown);
            self.out.raw("<p><code>").text(&hex(&shuffle.server_seed)).raw("</code></p>\n");
        }
        let id = &self.report.tournament.tournament_id;
        self.out.raw("<p class=\"soft\"><code>").text(id).raw("</code></p>\n");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
