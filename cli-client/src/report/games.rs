//! List of all games of a report, each with its replay.

use parlor_sdk::wire;

use super::{Games, ReportPage};
use crate::lang::forfeit_reason;

/// Longest list of games shown unfolded.
const MAX_UNFOLDED_GAMES: usize = 60;

impl ReportPage<'_> {
    pub(super) fn games(&mut self) {
        let report = self.report;
        if report.tables.is_empty() {
            return;
        }
        self.heading("Games", "Spiele");
        let note = match &report.games {
            Games::InPage(_) => self.localise(
                "Choose a game to read how it went, and to save its record. Check a record without the server: parlor verify FILE",
                "Ein Spiel zeigt beim Anklicken seinen Verlauf und speichert seine Aufzeichnung. Ohne den Server prüft sie: parlor verify DATEI",
            ),
            Games::Beside(_) => self.localise(
                "The games are in a folder beside this page. Check a record without the server: parlor verify FILE",
                "Die Spiele sind in einem Ordner neben dieser Seite. Ohne den Server prüft sie: parlor verify DATEI",
            ),
        };
        self.paragraph("soft", note);
        let folded = report.tables.len() > MAX_UNFOLDED_GAMES;
        self.out.raw("<div class=\"wide\">");
        if folded {
            let all = self.localise("all games", "alle Spiele");
            self.out.raw("<details><summary>").whole(report.tables.len() as u64);
            self.out.raw(" · ").text(all).raw("</summary>");
        }
        self.out.raw("<table>\n");
        self.table_head(&[
            ("", "Deal", "Austeilung"),
            ("name", "Seats and points", "Sitze und Punkte"),
            ("name", "Replay", "Verlauf"),
        ]);
        self.out.raw("<tbody>\n");
        for table in &report.tables {
            self.game_row(table);
        }
        self.out.raw("</tbody></table>");
        if folded {
            self.out.raw("</details>");
        }
        self.out.raw("</div>\n");
    }

    fn game_row(&mut self, table: &wire::TournamentTable) {
        let seat = |(entrant, result): (&u32, Option<&wire::SeatResult>)| {
            let name = self.name(*entrant);
            let Some(result) = result else { return name };
            match forfeit_reason(result.finish()) {
                Some(why) => format!("{name} {} ({})", result.points, why.get(self.lang)),
                None => format!("{name} {}", result.points),
            }
        };
        let results = table.results.iter().map(Some).chain(std::iter::repeat(None));
        let seats: Vec<String> = table.entrants.iter().zip(results).map(seat).collect();
        let provisional = self.localise("provisional", "vorläufig");
        let replay = self.localise("replay", "Verlauf");
        let record = self.localise("record", "Aufzeichnung");
        let games = &self.report.games;
        let out = &mut self.out;
        out.raw("<tr><td>").whole(table.group + 1).raw(".").whole(table.rotation + 1);
        out.raw("</td><td class=\"name\">").text(&seats.join(", "));
        if !table.void_reason.is_empty() {
            out.raw(" <span class=\"warn\">").text(&table.void_reason).raw("</span>");
        } else if table.has_record && !table.counts {
            out.raw(" <span class=\"soft\">").text(provisional).raw("</span>");
        }
        out.raw("</td><td class=\"name\">");
        match games {
            Games::InPage(games) if games.contains_key(&table.table_id) => {
                out.raw("<a href=\"#").text(&table.table_id).raw("\">").text(replay).raw("</a>");
            }
            Games::Beside(links) if links.contains_key(&table.table_id) => {
                let links = &links[&table.table_id];
                out.raw("<a href=\"").text(&links.replay).raw("\">").text(replay).raw("</a> <a href=\"");
                out.text(&links.record).raw("\">").text(record).raw("</a>");
            }
            _ => {
                out.raw("<code>").text(&table.table_id).raw("</code>");
            }
        }
        out.raw("</td></tr>\n");
    }
}
