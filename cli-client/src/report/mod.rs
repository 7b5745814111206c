//! HTML report of a tournament: one self-contained page, in light and dark, for screens, phones and paper.
//!
//! Names and notes come from other users, so all text is escaped in one place. The games are in the page,
//! compressed and shown by a small script, or in a folder beside it, one page each.

mod archive;
mod chart;
mod conduct;
mod games;
mod head;
mod html;
mod rounds;
mod standings;
mod transcript;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use parlor_engine::Lang;
use parlor_sdk::wire;

use crate::lang;
use crate::tournament_text;
use html::Html;
pub use transcript::transcript;

/// Maximum size of a page with the games in it, unless more is asked for.
pub const MAX_PAGE_BYTES: usize = 2_000_000;

/// Input of a report.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The tournament.
    pub tournament: wire::Tournament,
    /// Standings with the rating history.
    pub standings: wire::Standings,
    /// Started tables, in deal order.
    pub tables: Vec<wire::TournamentTable>,
    /// The place of the games.
    pub games: Games,
    /// Creation time of the report, for people.
    pub created: String,
}

/// The place of the games of a report.
#[derive(Clone, Debug)]
pub enum Games {
    /// In the page, by table id.
    InPage(BTreeMap<String, Game>),
    /// In a folder beside it: the links, by table id.
    Beside(BTreeMap<String, GameLinks>),
}

impl Default for Games {
    fn default() -> Games {
        Games::InPage(BTreeMap::new())
    }
}

/// A game: its record, and what happened in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The record, in its text form.
    pub record: String,
    /// The events, line by line. Empty if the record cannot be replayed.
    pub replay: Vec<String>,
}

/// Links to the files of a game, as URLs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameLinks {
    /// Page with the replay.
    pub replay: String,
    /// File with the record.
    pub record: String,
}

/// State while the page is written.
struct ReportPage<'a> {
    report: &'a Report,
    lang: Lang,
    out: Html,
}

impl Report {
    /// Renders the page.
    #[must_use]
    pub fn page(&self, lang: Lang) -> String {
        let mut page = ReportPage { report: self, lang, out: Html::default() };
        let title = page.title();
        page.out.begin(lang, &title);
        page.head(&title);
        page.standings();
        page.test();
        page.rounds();
        page.ratings();
        page.cross_table();
        page.conduct();
        page.games();
        page.fairness();
        page.glossary();
        page.archive();
        page.out.end();
        page.out.finish()
    }
}

/// Renders the page of one game, for a folder beside the report. `record` is the URL of its record.
#[must_use]
pub fn game_page(title: &str, game: &Game, record: &str, lang: Lang) -> String {
    let mut out = Html::default();
    out.begin(lang, title);
    out.raw("<h1>").text(title).raw("</h1>\n<ol class=\"replay\">\n");
    for line in &game.replay {
        out.raw("<li>").text(line).raw("</li>\n");
    }
    let save = lang::localise(lang, "The record, for parlor verify", "Die Aufzeichnung, für parlor verify");
    out.raw("</ol>\n<p><a href=\"").text(record).raw("\">").text(save).raw("</a></p>\n");
    out.end();
    out.finish()
}

impl ReportPage<'_> {
    fn localise(&self, en: &'static str, de: &'static str) -> &'static str {
        lang::localise(self.lang, en, de)
    }

    fn heading(&mut self, en: &'static str, de: &'static str) {
        let text = self.localise(en, de);
        self.out.raw("<h2>").text(text).raw("</h2>\n");
    }

    fn paragraph(&mut self, class: &'static str, text: &str) {
        self.out.raw("<p class=\"").raw(class).raw("\">").text(text).raw("</p>\n");
    }

    /// Row of headings of a table: class, English, German.
    fn table_head(&mut self, headings: &[(&'static str, &'static str, &'static str)]) {
        self.out.raw("<thead><tr>");
        for &(class, en, de) in headings {
            let text = self.localise(en, de);
            self.out.raw("<th scope=\"col\" class=\"").raw(class).raw("\">").text(text).raw("</th>");
        }
        self.out.raw("</tr></thead>\n");
    }

    /// Name of an entrant, with its version if there is one.
    fn name(&self, entrant: u32) -> String {
        let row = self.report.standings.rows.iter().find(|row| row.entrant == entrant);
        row.map_or_else(|| entrant.to_string(), tournament_text::row_name)
    }

    fn setup(&self) -> wire::TournamentSetup {
        self.report.tournament.setup.clone().unwrap_or_default()
    }

    fn title(&self) -> String {
        let setup = self.setup();
        if setup.name.is_empty() { self.report.tournament.tournament_id.clone() } else { setup.name }
    }
}
