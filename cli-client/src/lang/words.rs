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
    RESERVED_SEAT: "(reserved)", "(reserviert)";
    GUEST: "Guest", "Gast";
    YOU_ALONE: "You", "Du";
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
    END_OF_ROUND: "End of the round", "Ende der Runde";
    THIS_ROUND: "round", "Runde";
    IN_TOTAL: "total", "gesamt";
    MORE_BELOW: " more: Tab ", " mehr: Tab ";
    NO_HANDS: "This record does not have the hands of all players.", "Diese Aufzeichnung hat nicht die Hände aller.";
    ALL_HANDS: "All hands", "Alle Hände";
    // Header and status lines.
    OVER: "over", "zu Ende";
    CONNECTED: "connected", "verbunden";
    RECONNECTING: "reconnecting ...", "verbindet neu ...";
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
    NOT_SENT: "Not sent: there is no connection. Press Enter again when it is back.",
        "Nicht gesendet: Es gibt keine Verbindung. Drücke Enter noch einmal, wenn sie wieder da ist.";
    NEXT_IN_A_MOMENT: "You are next, in a moment: others may still be asked something.",
        "Du bist gleich dran: Vielleicht werden andere noch etwas gefragt.";
    CONFIRM_LEAVE: "Leave the table? Your seat stays yours, and the game waits for you. q or Enter: leave, any other key: stay.",
        "Den Tisch verlassen? Dein Sitz bleibt deiner, das Spiel wartet auf dich. q oder Enter: gehen, sonst: bleiben.";
    CONFIRM_LEAVE_CLOCK: "Leave the table? Your seat stays yours, and your clock runs on. q or Enter: leave, any other key: stay.",
        "Den Tisch verlassen? Dein Sitz bleibt deiner, deine Uhr läuft weiter. q oder Enter: gehen, sonst: bleiben.";
    SEED_GIVEN: "given seed, not rated", "vorgegebener Seed, ungewertet";
    TABLE_OVER: "The table is over. Enter or q: leave.", "Der Tisch ist zu Ende. Enter oder q: gehen.";
    TABLE_OVER_REMATCH: "The table is over. r: play again, Enter or q: leave.",
        "Der Tisch ist zu Ende. r: noch einmal spielen, Enter oder q: gehen.";
    STREAM_CLOSED: "The table sends nothing more.", "Der Tisch sendet nichts mehr.";
    // Key hints, one line each.
    KEYS_CHOOSE: "↑↓ choose · #number or name: find · Enter play · Tab larger · ? help · q leave",
        "↑↓ wählen · #Nummer, Name: finden · Enter spielt · Tab größer · ? Hilfe · q";
    KEYS_CHOOSE_CARD: "↑↓ choose · ←→ card · #number, name: find · Enter play · Tab · ? help · q leave",
        "↑↓ wählen · ←→ Karte · #Nr., Name: finden · Enter spielt · Tab · ? Hilfe · q";
    KEYS_CHOOSE_PLACE: "↑↓ choose · ←→ card · Space place it · Enter play · Tab · ? help · q leave",
        "↑↓ wählen · ←→ Karte · Leertaste legt an · Enter spielt · Tab · ? Hilfe · q";
    KEYS_PLACE: "arrows move · Space turn · PageDown next place · Enter play · Esc list · ? help",
        "Pfeile schieben · Leertaste dreht · Bild↓ nächster Ort · Enter spielt · Esc";
    KEYS_PACED: "any key: skip ahead · < > scroll what happened · ? help and rules · q leave",
        "jede Taste: weiter · < > Verlauf blättern · ? Hilfe und Regeln · q gehen";
    KEYS_ROUND: "any key: next round · ? help and rules · q leave",
        "jede Taste: nächste Runde · ? Hilfe und Regeln · q gehen";
    KEYS_WAIT: "< > scroll what happened · Tab larger table, then log · ? help · q leave",
        "< > Verlauf blättern · Tab größerer Tisch, dann Verlauf · ? Hilfe · q gehen";
    KEYS_LARGE: "arrows move · #number or name: find · Enter play · Tab next · ? help · q leave",
        "Pfeile schieben · #Nr., Name: finden · Enter spielt · Tab weiter · ? Hilfe · q";
    KEYS_HELP: "↑↓ PageUp PageDown scroll · any other key: back", "↑↓ Bild↑ Bild↓ blättern · jede andere Taste: zurück";
    KEYS_OVER_REMATCH: "r play again · Enter or q leave · Tab larger table, then log · ? help and rules",
        "r noch einmal · Enter, q gehen · Tab größerer Tisch, dann Verlauf · ? Hilfe";
    KEYS_OVER: "Enter or q leave · Tab larger table, then log · ? help and rules",
        "Enter oder q gehen · Tab größerer Tisch, dann Verlauf · ? Hilfe und Regeln";
    KEYS_REPLAY: "← → step · PageUp PageDown ten · Home End · h all hands · Tab · ? help · q",
        "← → Schritt · Bild↑ Bild↓ zehn · Pos1 Ende · h alle Hände · Tab · ? Hilfe · q";
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
            "Left, Right         only the moves with one card of the hand, the next, or all",
            "#1, #2, #3 ...      choose the move with this number",
            "letters, digits     find moves by words and cards in any order: \"bl 7\", \"8\";",
            "                    in No Dice by points too: \"+20\". Else: the rule it breaks",
            "/                   find by words that begin with q: \"/q\"",
            "Backspace, Esc      take back a letter, or all of them",
            "Enter               play the move",
            "Space               No Dice: take the card to the table. Arrows move it, Space",
            "                    turns it, PageDown shows the next place, Esc puts it back",
            "                    [ 5  10] is a card on the table, the last one bold; {==}",
            "                    is where yours would lie, red where it does not fit",
            "Shift with arrows   move the table of No Dice",
            "< >                 scroll what happened; » marks what is new since your move",
            "any key             while others move: show it all at once",
            "Tab                 the table larger, then all that happened, then back",
            "?                   this help and the rules of the game",
            "q, Ctrl-C           leave; the seat stays yours",
        ],
        Lang::De => &[
            "Auf, Ab             einen Zug wählen; Bild↑, Bild↓, Pos1 und Ende springen",
            "Links, Rechts       nur die Züge mit einer Karte, mit der nächsten, oder alle",
            "#1, #2, #3 ...      den Zug mit dieser Nummer wählen",
            "Buchstaben, Ziffern Züge suchen, Wörter in jeder Folge: „bl 7“, „8“;",
            "                    in No Dice auch Punkte: „+20“. Passt nichts: welche Regel",
            "/                   nach Wörtern suchen, die mit q beginnen: „/q“",
            "Rücktaste, Esc      einen Buchstaben zurücknehmen, oder alle",
            "Enter               den Zug spielen",
            "Leertaste           No Dice: die Karte anlegen. Pfeile schieben sie, noch",
            "                    einmal dreht sie, Bild↓: nächster Ort, Esc: zurück",
            "                    [ 5  10] ist eine Karte auf dem Tisch, die letzte fett;",
            "                    {==} ist, wo deine läge, rot, wo sie nicht passt",
            "Umschalt und Pfeile den Tisch von No Dice schieben",
            "< >                 den Verlauf blättern; » ist neu seit deinem Zug",
            "jede Taste          während andere ziehen: alles auf einmal zeigen",
            "Tab                 den Tisch größer, dann alles, was geschah, dann zurück",
            "?                   diese Hilfe und die Regeln des Spiels",
            "q, Strg-C           gehen; der Sitz bleibt deiner",
        ],
    }
}

/// Key bindings of a replay, for the help.
pub(crate) fn replay_keys(lang: Lang) -> &'static [&'static str] {
    match lang {
        Lang::En => &[
            "Right, Down, Space  the next step",
            "Left, Up            the step before",
            "PageDown, PageUp    ten steps",
            "Home, End           the beginning, the end",
            "h                   the hands of all players, if there are any; again: back",
            "Tab                 the table larger, then all that happened, then back",
            "?                   this help and the rules of the game",
            "q, Esc, Ctrl-C      leave",
        ],
        Lang::De => &[
            "Rechts, Ab, Leertaste  der nächste Schritt",
            "Links, Auf             der Schritt davor",
            "Bild↓, Bild↑           zehn Schritte",
            "Pos1, Ende             der Anfang, das Ende",
            "h                      die Hände aller, wenn es sie gibt; noch einmal: zurück",
            "Tab                    den Tisch größer, dann alles, was geschah, dann zurück",
            "?                      diese Hilfe und die Regeln des Spiels",
            "q, Esc, Strg-C         gehen",
        ],
    }
}

/// Place of the viewer in the result.
pub(crate) fn own_place(place: u32, of: usize, lang: Lang) -> String {
    let suffix = match place {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    match lang {
        Lang::En => format!("You came {place}{suffix} of {of}."),
        Lang::De => format!("Du bist {place}. von {of} geworden."),
    }
}

/// Commands for a table that is over. `flags` name its server, with a blank after them.
#[must_use]
pub fn next_commands(table: &str, flags: &str, lang: Lang) -> Vec<String> {
    let replay = format!("parlor replay {flags}{table}");
    let verify = format!("parlor record get {flags}{table} | parlor verify -");
    match lang {
        Lang::En => vec![format!("Replay:  {replay}"), format!("Verify:  {verify}")],
        Lang::De => vec![format!("Ansehen: {replay}"), format!("Prüfen:  {verify}")],
    }
}

/// A card on the table where it may be laid.
pub(crate) fn place_fits(label: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{label}. Enter plays it."),
        Lang::De => format!("{label}. Enter legt sie."),
    }
}

/// Title of a log that is scrolled back.
pub(crate) fn newer_entries(title: &str, newer: usize, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{title} ({newer} newer: >)"),
        Lang::De => format!("{title} ({newer} neuer: >)"),
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

/// Sentence about the time for which the clock of a seat stood still because it was not connected.
pub(crate) fn time_away(ms: u32, lang: Lang) -> String {
    let (seconds, tenths) = (ms / 1000, ms % 1000 / 100);
    match lang {
        Lang::En => format!("Away for {seconds}.{tenths} s when it was to decide."),
        Lang::De => format!("{seconds},{tenths} s abwesend, als es am Zug war."),
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
        let hints = [
            [KEYS_CHOOSE, KEYS_CHOOSE_CARD, KEYS_CHOOSE_PLACE, KEYS_PLACE],
            [KEYS_WAIT, KEYS_PACED, KEYS_ROUND, KEYS_LARGE],
            [KEYS_HELP, KEYS_OVER, KEYS_OVER_REMATCH, KEYS_REPLAY],
        ];
        for lang in [Lang::En, Lang::De] {
            for hint in hints.iter().flatten() {
                assert!(crate::text::width(hint.get(lang)) <= 80, "{}", hint.get(lang));
            }
            // Inside a border.
            for line in keys(lang).iter().chain(replay_keys(lang)) {
                assert!(crate::text::width(line) <= 78, "{line}");
            }
        }
    }

    #[test]
    fn every_text_is_translated() {
        for text in ALL {
            assert!(!text.en.is_empty() && !text.de.is_empty());
        }
        assert_eq!(keys(Lang::En).len(), keys(Lang::De).len());
        assert_eq!(replay_keys(Lang::En).len(), replay_keys(Lang::De).len());
    }
}
