//! User-interface texts in English and German. Texts of cards, moves and events are in the engine, those of table events in
//! `parlor_proto::table_text`.

use parlor_engine::{Lang, Localise, Role, Seats, Text, TextBuilder};

const fn text(en: &'static str, de: &'static str) -> Text {
    Text { en, de }
}

macro_rules! words {
    ($($name:ident: $en:literal, $de:literal;)*) => {
        $(pub(crate) const $name: Text = text($en, $de);)*

        /// All fixed texts, for tests.
        #[cfg(test)]
        pub(crate) const ALL: &[Text] = &[$($name),*];
    };
}

words! {
    // Seat marks.
    FREE_SEAT: "(free)", "(frei)";
    YOU: "(you)", "(du)";
    AWAY: "(away)", "(weg)";
    FORFEITED: "(out)", "(raus)";
    // Pane titles.
    TABLE: "Table", "Tisch";
    PLAYERS: "Players", "Spieler";
    CARDS: "cards", "Karten";
    POINTS: "points", "Punkte";
    SHORT_POINTS: "pts", "Pkt";
    TIME: "time", "Zeit";
    HAND: "Your hand", "Deine Hand";
    MOVES: "Your moves", "Deine Züge";
    LOG: "What happened", "Was geschah";
    RESULT: "The result", "Das Ergebnis";
    HELP: "Help", "Hilfe";
    // Header and status lines.
    CONNECTED: "connected", "verbunden";
    RECONNECTING: "reconnecting ...", "Verbindung wird wiederhergestellt ...";
    CONNECTING: "Connecting to the table ...", "Verbindung zum Tisch ...";
    CONNECTION_LOST: "The connection was lost. Nothing you did is lost; your moves wait until it is back.",
        "Die Verbindung ist weg. Nichts ist verloren; du kannst weiterspielen, sobald sie wieder da ist.";
    WATCHING: "You are watching.", "Du schaust zu.";
    WAITING_FOR_PLAYERS: "Waiting until all seats are taken.", "Es geht los, sobald alle Sitze besetzt sind.";
    SECRET_DECISION: "SECRET: nobody else learns that you are asked, nor that you decline.",
        "GEHEIM: Niemand sonst erfährt, dass du gefragt wirst, oder dass du verzichtest.";
    ANSWER_SENT: "Sent ...", "Gesendet ...";
    NO_MATCHING_MOVE: "No move fits what you typed. Esc clears it.", "Kein Zug passt zu deiner Eingabe. Esc löscht sie.";
    NOT_YOUR_TURN: "You are not asked anything now.", "Du wirst gerade nichts gefragt.";
    CONFIRM_LEAVE: "Leave the table? Your seat stays yours, and your clock runs on. q or Enter: leave, any other key: stay.",
        "Den Tisch verlassen? Dein Sitz bleibt deiner, deine Uhr läuft weiter. q oder Enter: gehen, sonst: bleiben.";
    SEED_GIVEN: "given seed, not rated", "vorgegebener Seed, ungewertet";
    TABLE_OVER: "The table is over. Enter or q: leave.", "Der Tisch ist zu Ende. Enter oder q: gehen.";
    STREAM_CLOSED: "The table sends nothing more.", "Der Tisch sendet nichts mehr.";
    // Key hints, one line each.
    KEYS_CHOOSE: "↑↓ choose · #number or name: find · Enter play · Tab larger · ? help · q leave",
        "↑↓ wählen · #Nummer, Name: finden · Enter spielt · Tab größer · ? Hilfe · q";
    KEYS_WAIT: "Tab larger table, then log · ? help and rules · q leave",
        "Tab größerer Tisch, dann Verlauf · ? Hilfe und Regeln · q gehen";
    KEYS_LARGE: "arrows move · #number or name: find · Enter play · Tab next · ? help · q leave",
        "Pfeile schieben · #Nr., Name: finden · Enter spielt · Tab weiter · ? Hilfe · q";
    KEYS_HELP: "↑↓ PageUp PageDown scroll · any other key: back", "↑↓ Bild↑ Bild↓ blättern · jede andere Taste: zurück";
    KEYS_OVER: "Enter or q leave · Tab larger table, then log · ? help and rules",
        "Enter oder q gehen · Tab größerer Tisch, dann Verlauf · ? Hilfe und Regeln";
    KEYS_REPLAY: "← → step · PageUp PageDown ten · Home End · Tab larger · ? help · q leave",
        "← → Schritt · Bild↑ Bild↓ zehn · Pos1 Ende · Tab größer · ? Hilfe · q gehen";
    // Line mode.
    LINE_MODE_HELP: "#3 plays move number 3; a name, or cards such as 8, plays the move that it fits. Other words: moves, table, rules, ? (this help), q (leave).",
        "#3 spielt den Zug Nummer 3; ein Name, oder Karten wie 8, spielt den passenden Zug. Außerdem: züge, tisch, regeln, ? (diese Hilfe), q (gehen).";
    LINE_MODE_AMBIGUOUS: "Several moves fit:", "Mehrere Züge passen:";
    LINE_MODE_PROMPT: "Your move (#number, name or ?):", "Dein Zug (#Nummer, Name oder ?):";
    LINE_MODE_NO_MATCH: "No move fits that. \"moves\" lists them; #3 is number 3.", "Kein Zug passt dazu. „züge“ listet sie auf; #3 ist die Nummer 3.";
    LINE_MODE_LEFT: "You left the table. Your seat stays yours.", "Du hast den Tisch verlassen. Dein Sitz bleibt deiner.";
    LINE_MODE_RECONNECTED: "The connection is back.", "Die Verbindung ist wieder da.";
}

/// Key bindings, for the help.
pub(crate) fn keys(lang: Lang) -> &'static [&'static str] {
    match lang {
        Lang::En => &[
            "Up, Down            choose a move; PageUp, PageDown, Home and End go further",
            "#1, #2, #3 ...      choose the move with this number",
            "letters, digits     find moves by words and cards: \"bl 7\" blue 7, \"8\" an 8",
            "/                   find by words that begin with q: \"/q\"",
            "Backspace, Esc      take back a letter, or all of them",
            "Enter               play the move",
            "Left, Right         move the table of No Dice; with Shift also Up, Down",
            "Tab                 the table larger, then all that happened, then back",
            "?                   this help and the rules of the game",
            "q, Ctrl-C           leave; the seat stays yours",
        ],
        Lang::De => &[
            "Auf, Ab             einen Zug wählen; Bild↑, Bild↓, Pos1 und Ende springen",
            "#1, #2, #3 ...      den Zug mit dieser Nummer wählen",
            "Buchstaben, Ziffern Züge suchen: „bl 7“ findet die blaue 7, „8“ eine 8",
            "/                   nach Wörtern suchen, die mit q beginnen: „/q“",
            "Rücktaste, Esc      einen Buchstaben zurücknehmen, oder alle",
            "Enter               den Zug spielen",
            "Links, Rechts       den Tisch von No Dice schieben; mit Umschalt auch Auf, Ab",
            "Tab                 den Tisch größer, dann alles, was geschah, dann zurück",
            "?                   diese Hilfe und die Regeln des Spiels",
            "q, Strg-C           gehen; der Sitz bleibt deiner",
        ],
    }
}

/// Message for a terminal that is too small.
pub(crate) fn too_small(width: u16, height: u16, lang: Lang) -> String {
    match lang {
        Lang::En => {
            format!("The window has {width}x{height} characters. Parlor needs 80x24: make it larger.")
        }
        Lang::De => {
            format!("Das Fenster hat {width}x{height} Zeichen. Parlor braucht 80x24: Mach es größer.")
        }
    }
}

/// Name of a house bot.
pub(crate) fn house_bot(name: &str, lang: Lang) -> String {
    match lang {
        Lang::En | Lang::De => format!("{name} (bot)"),
    }
}

/// Name of a reserved seat.
pub(crate) fn reserved_for(name: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("for {name}"),
        Lang::De => format!("für {name}"),
    }
}

/// Table id in the header.
pub(crate) fn table_id(id: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("table {id}"),
        Lang::De => format!("Tisch {id}"),
    }
}

/// Status while other seats decide.
pub(crate) struct WaitingFor(pub(crate) Seats);

impl Localise for WaitingFor {
    fn write_text(&self, out: &mut TextBuilder) {
        text("Waiting for ", "Warten auf ").write_text(out);
        for (place, seat) in self.0.iter().enumerate() {
            out.plain(if place == 0 { "" } else { ", " });
            out.seat_or_you(seat, Role::Object);
        }
        out.plain(".");
    }
}

/// Log line: a player disconnected or reconnected.
pub(crate) fn presence(name: &str, connected: bool, lang: Lang) -> String {
    match (connected, lang) {
        (true, Lang::En) => format!("{name} is back."),
        (true, Lang::De) => format!("{name} ist wieder da."),
        (false, Lang::En) => format!("{name} has lost the connection."),
        (false, Lang::De) => format!("{name} ist nicht mehr verbunden."),
    }
}

/// Sentence about the expired clocks of a seat.
pub(crate) fn clocks_run_out(times: u32, lang: Lang) -> String {
    match (times, lang) {
        (1, Lang::En) => "The clock ran out once.".to_owned(),
        (1, Lang::De) => "Die Uhr ist einmal abgelaufen.".to_owned(),
        (times, Lang::En) => format!("The clock ran out {times} times."),
        (times, Lang::De) => format!("Die Uhr ist {times}-mal abgelaufen."),
    }
}

/// Notice instead of a long list of moves.
pub(crate) fn many_moves(count: usize, lang: Lang) -> String {
    match lang {
        Lang::En => format!("There are {count} moves: \"moves\" lists them, a name finds some of them."),
        Lang::De => format!("Es gibt {count} Züge: „züge“ listet sie auf, ein Name findet einige davon."),
    }
}

/// Position in a replay.
pub(crate) fn step(at: usize, of: usize, lang: Lang) -> String {
    match lang {
        Lang::En => format!("step {at} of {of}"),
        Lang::De => format!("Schritt {at} von {of}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest screen is 80 columns wide.
    #[test]
    fn key_hints_fit_into_80_columns() {
        for hint in [KEYS_CHOOSE, KEYS_WAIT, KEYS_LARGE, KEYS_HELP, KEYS_OVER, KEYS_REPLAY] {
            for lang in [Lang::En, Lang::De] {
                assert!(crate::text::width(hint.get(lang)) <= 80, "{}", hint.get(lang));
            }
        }
    }

    #[test]
    fn every_text_is_translated() {
        for text in ALL {
            assert!(!text.en.is_empty() && !text.de.is_empty());
        }
        assert_eq!(keys(Lang::En).len(), keys(Lang::De).len());
    }
}
