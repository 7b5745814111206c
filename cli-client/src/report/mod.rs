//! HTML report of a tournament: one self-contained page, in light and dark.
//!
//! Names and notes come from other users, so all text is escaped in one place.

mod chart;
mod html;
mod sections;
mod standings;

#[cfg(test)]
mod tests;

use parlor_engine::Lang;
use parlor_sdk::wire;

use crate::lang;
use html::Html;

/// Input of a report.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The tournament.
    pub tournament: wire::Tournament,
    /// Standings with the rating history.
    pub standings: wire::Standings,
    /// Started tables, in deal order.
    pub tables: Vec<wire::TournamentTable>,
    /// Record links by table id.
    pub records: std::collections::BTreeMap<String, RecordLink>,
    /// Creation time of the report, for people.
    pub created: String,
}

/// Link to a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLink {
    /// URL: a file beside the page, or a `data:` URL with the record itself.
    pub address: String,
    /// File name under which a browser saves it.
    pub file: String,
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

    /// Name of an entrant, with its version if there is one.
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
