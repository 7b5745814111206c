//! The report of a tournament: one page of HTML with everything in it, for a browser, in light and dark.
//!
//! Whatever is printed comes from strangers (names, notes), so every text is escaped on its way in, in one place.

mod chart;
mod html;
mod sections;

#[cfg(test)]
mod tests;

use parlor_engine::{Lang, Text};
use parlor_sdk::wire;

use html::Html;
pub use sections::state_text;

/// All that a report is made of.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The tournament.
    pub tournament: wire::Tournament,
    /// The standings, with the history of the ratings.
    pub standings: wire::Standings,
    /// The tables that were begun, in the order of the deals.
    pub tables: Vec<wire::TournamentTable>,
    /// Where the record of a table can be had, by the table's id: the address of a link, and the name of the file.
    pub records: std::collections::BTreeMap<String, RecordLink>,
    /// When the report was made, for people.
    pub made: String,
}

/// Where a record can be had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLink {
    /// The address: a file beside the page, or the record itself as a `data:` address.
    pub address: String,
    /// The name under which a browser saves it.
    pub file: String,
}

/// Everything that most sections need.
struct Page<'a> {
    report: &'a Report,
    lang: Lang,
    out: Html,
}

impl Report {
    /// The page.
    #[must_use]
    pub fn page(&self, lang: Lang) -> String {
        let mut page = Page { report: self, lang, out: Html::default() };
        let title = page.title();
        let code = match lang {
            Lang::En => "en",
            Lang::De => "de",
        };
        page.out
            .raw("<!doctype html>\n<html lang=\"")
            .raw(code)
            .raw("\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        page.out.text(&title).raw("</title>\n<style>\n");
        page.out.raw(include_str!("style.css")).raw("</style>\n</head>\n<body>\n<main>\n");
        page.head(&title);
        page.standings();
        page.test();
        page.ratings();
        page.cross_table();
        page.tables();
        page.fairness();
        page.out.raw("</main>\n</body>\n</html>\n");
        page.out.finish()
    }
}

impl Page<'_> {
    fn say(&self, en: &'static str, de: &'static str) -> &'static str {
        match self.lang {
            Lang::En => en,
            Lang::De => de,
        }
    }

    fn heading(&mut self, en: &'static str, de: &'static str) {
        let text = Text { en, de }.get(self.lang);
        self.out.raw("<h2>").text(text).raw("</h2>\n");
    }

    fn paragraph(&mut self, class: &'static str, text: &str) {
        self.out.raw("<p class=\"").raw(class).raw("\">").text(text).raw("</p>\n");
    }

    /// The name of an entrant, with its version if it has one.
    fn name(&self, entrant: u32) -> String {
        let row = self.report.standings.rows.iter().find(|row| row.entrant == entrant);
        match row {
            Some(row) if row.version.is_empty() => row.name.clone(),
            Some(row) => format!("{} {}", row.name, row.version),
            None => format!("{entrant}"),
        }
    }

    fn title(&self) -> String {
        let setup = self.report.tournament.setup.clone().unwrap_or_default();
        if setup.name.is_empty() { self.report.tournament.tournament_id.clone() } else { setup.name }
    }
}
