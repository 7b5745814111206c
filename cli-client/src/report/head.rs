//! Head of a report: the headline, the settings; and at its end the fairness section and the glossary.

use parlor_engine::Lang;
use parlor_sdk::wire;

use super::ReportPage;
use crate::tournament_text::{self, MIN_INTERVAL_GROUPS};

/// Terms of the page, with what they mean: English and German.
const GLOSSARY: [[(&str, &str); 2]; 8] = [
    [
        (
            "Deal, group",
            "All tables that play the same cards: each player has every hand once. It is the unit of all figures.",
        ),
        (
            "Austeilung, Gruppe",
            "Alle Tische mit denselben Karten: Jeder hat jedes Blatt einmal. Sie ist die Einheit aller Zahlen.",
        ),
    ],
    [
        ("Score", "Points less the mean of the others at the table, averaged over the tables of a deal."),
        (
            "Wertung",
            "Punkte weniger das Mittel der anderen am Tisch, gemittelt über die Tische einer Austeilung.",
        ),
    ],
    [
        (
            "95% interval",
            "It holds the true mean with 95% certainty at all times at once: looking often, or stopping because of it, changes nothing.",
        ),
        (
            "95-%-Intervall",
            "Es enthält das wahre Mittel mit 95 % Sicherheit, zu jeder Zeit zugleich: Häufiges Hinsehen ändert nichts.",
        ),
    ],
    [
        (
            "Counts, provisional",
            "Deals count in their order, once all before them are complete, so that whoever plays quickly does not count for more. Complete deals beyond that are provisional, and enter no figure.",
        ),
        (
            "Zählt, vorläufig",
            "Austeilungen zählen der Reihe nach, sobald alle davor vollständig sind, damit nicht mehr zählt, wer schneller spielt. Vollständige danach sind vorläufig und gehen in keine Zahl ein.",
        ),
    ],
    [
        ("Places", "For each game, the share of the others who were placed behind; a tie counts half."),
        ("Plätze", "Für jedes Spiel der Anteil der anderen, die dahinter landeten; Gleichstand zählt halb."),
    ],
    [
        (
            "Rating",
            "Plackett-Luce in the units of Elo: 400 more are ten times the odds to be placed before. The mean of all is 0. Its interval is for a single look.",
        ),
        (
            "Spielstärke",
            "Plackett-Luce in Elo-Einheiten: 400 mehr heißen zehnfache Aussicht, davor zu landen. Das Mittel aller ist 0. Ihr Intervall gilt für einmaliges Hinsehen.",
        ),
    ],
    [
        ("Rotation", "One table of a deal: the same hands, with the players at other seats."),
        ("Drehung", "Ein Tisch einer Austeilung: dieselben Blätter, die Spieler auf anderen Sitzen."),
    ],
    [
        (
            "Record",
            "The complete account of a game, signed by the server. parlor verify checks it without the server.",
        ),
        (
            "Aufzeichnung",
            "Das ganze Spiel, vom Server unterschrieben. parlor verify prüft sie ohne den Server.",
        ),
    ],
];

impl ReportPage<'_> {
    pub(super) fn head(&mut self, title: &str) {
        let report = self.report;
        self.out.raw("<h1>").text(title).raw("</h1>\n");
        let headline = tournament_text::headline(&report.tournament, &report.standings, self.lang);
        if !headline.is_empty() {
            self.paragraph("headline", &headline);
        }
        if !report.tournament.note.is_empty() {
            let is_cancelled = report.tournament.state() == wire::TournamentState::Cancelled;
            let cancelled = self.localise("Cancelled: ", "Abgesagt: ");
            let note = format!("{}{}", if is_cancelled { cancelled } else { "" }, report.tournament.note);
            self.paragraph(if is_cancelled { "warn" } else { "" }, &note);
        }
        if report.tournament.shuffle.as_ref().is_some_and(|shuffle| shuffle.seed_given) {
            let given = self.localise(
                "The seed was chosen by the organiser: the shuffles are not verifiably fair.",
                "Der Startwert wurde vorgegeben: Die Austeilungen beweisen nichts.",
            );
            self.paragraph("warn", given);
        }
        self.settings();
    }

    /// Settings, dates and progress.
    fn settings(&mut self) {
        let report = self.report;
        let (setup, standings) = (self.setup(), &report.standings);
        let word = |en, de| crate::lang::localise(self.lang, en, de);
        let provisional = tournament_text::provisional_groups(standings);
        let deals = match (provisional, self.lang) {
            (0, Lang::En) => format!("{} of {} count", standings.groups_counted, standings.groups_expected),
            (0, Lang::De) => format!("{} von {} zählen", standings.groups_counted, standings.groups_expected),
            (_, Lang::En) => format!(
                "{} of {} count, {provisional} more are provisional",
                standings.groups_counted, standings.groups_expected
            ),
            (_, Lang::De) => format!(
                "{} von {} zählen, {provisional} weitere sind vorläufig",
                standings.groups_counted, standings.groups_expected
            ),
        };
        let voided = match standings.groups_voided {
            0 => String::new(),
            voided => voided.to_string(),
        };
        let (players, entrants) = (setup.players, setup.entrants.len());
        let options = options_text(&setup);
        let tournament = &report.tournament;
        let facts = [
            (word("Game", "Spiel"), tournament_text::game_name(&setup, self.lang)),
            (word("Options", "Optionen"), options),
            (word("Format", "Format"), tournament_text::format_text(&setup, self.lang)),
            (
                word("Entrants", "Teilnehmer"),
                match self.lang {
                    Lang::En => format!("{entrants}, {players} at a table"),
                    Lang::De => format!("{entrants}, {players} am Tisch"),
                },
            ),
            (word("Clock", "Bedenkzeit"), tournament_text::clock_text(setup.clock.as_ref(), self.lang)),
            (word("State", "Stand"), standings.state().text().get(self.lang).to_owned()),
            (word("Deals", "Austeilungen"), deals),
            (word("Voided", "Gestrichen"), voided),
            (word("Games", "Spiele"), format!("{} / {}", standings.tables_over, standings.tables_expected)),
            (word("Created", "Angelegt"), tournament_text::time_text(tournament.create_time)),
            (word("Started", "Begonnen"), tournament_text::time_text(tournament.start_time)),
            (word("Ended", "Beendet"), tournament_text::time_text(tournament.end_time)),
            (word("Report of", "Bericht vom"), report.created.clone()),
            (word("Tournament", "Turnier"), tournament.tournament_id.clone()),
        ];
        self.out.raw("<dl class=\"facts\">\n");
        for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
            self.out.raw("<div><dt>").text(name).raw("</dt><dd>").text(value).raw("</dd></div>\n");
        }
        self.out.raw("</dl>\n");
    }

    /// Explanation where there are too few groups for intervals.
    pub(super) fn few_groups(&mut self) {
        let most = self.report.standings.rows.iter().map(|row| row.groups).max().unwrap_or_default();
        if most >= MIN_INTERVAL_GROUPS {
            return;
        }
        let text = match self.lang {
            Lang::En => format!(
                "No intervals yet: with fewer than {MIN_INTERVAL_GROUPS} deals that count for an entrant, luck and skill cannot be told apart. Take the order for what it is, a beginning."
            ),
            Lang::De => format!(
                "Noch keine Intervalle: Mit weniger als {MIN_INTERVAL_GROUPS} zählenden Austeilungen je Teilnehmer lassen sich Glück und Können nicht trennen. Die Reihenfolge ist nur ein Anfang."
            ),
        };
        self.paragraph("note", &text);
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
    }

    pub(super) fn glossary(&mut self) {
        self.heading("Glossary", "Begriffe");
        self.out.raw("<dl class=\"glossary\">\n");
        for [en, de] in GLOSSARY {
            let (term, meaning) = match self.lang {
                Lang::En => en,
                Lang::De => de,
            };
            self.out.raw("<dt>").raw(term).raw("</dt><dd>").raw(meaning).raw("</dd>\n");
        }
        self.out.raw("</dl>\n");
    }
}

/// The options of the game that are set, such as `target=30`.
fn options_text(setup: &wire::TournamentSetup) -> String {
    let Some(options) = &setup.options else { return String::new() };
    let json = parlor_proto::reflect::to_json(options);
    let game = json.as_object().and_then(|games| games.values().next());
    let fields = game.and_then(serde_json::Value::as_object).into_iter().flatten();
    let shown: Vec<String> = fields.map(|(name, value)| format!("{name}={value}")).collect();
    shown.join(", ")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
