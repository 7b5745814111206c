//! Texts of the API's enums, in both languages: the one place for the words that servers and clients show.
//!
//! ```
//! use parlor_proto::v1::SeatFinish;
//!
//! assert_eq!(SeatFinish::Resigned.text().en, "resigned");
//! assert_eq!(SeatFinish::Resigned.text().de, "aufgegeben");
//! ```

use parlor_engine::Text;

use crate::v1;

/// Generates the texts of enums, and the list of all of them. A value without a text does not compile.
macro_rules! enum_texts {
    ($($name:ident { $($value:ident: $en:literal, $de:literal;)* })*) => {
        $(impl v1::$name {
            /// The value in words. An unspecified value is one that this version does not know.
            #[must_use]
            pub const fn text(self) -> Text {
                match self {
                    $(v1::$name::$value => Text { en: $en, de: $de },)*
                }
            }
        })*

        /// The texts of all enums that people see, without their unspecified values.
        #[must_use]
        pub fn enum_texts() -> Vec<v1::EnumTexts> {
            vec![$(v1::EnumTexts {
                name: stringify!($name).to_owned(),
                values: [$(v1::$name::$value),*]
                    .into_iter()
                    .filter(|value| *value != v1::$name::Unspecified)
                    .map(|value| v1::EnumValueText {
                        name: value.as_str_name().to_owned(),
                        number: value.into(),
                        text: Some(value.text().into()),
                    })
                    .collect(),
            },)*]
        }
    };
}

enum_texts! {
    Language {
        Unspecified: "unknown", "unbekannt";
        English: "English", "Englisch";
        German: "German", "Deutsch";
    }
    TableState {
        Unspecified: "unknown", "unbekannt";
        Open: "open", "offen";
        Playing: "playing", "im Spiel";
        Finished: "finished", "zu Ende";
        Cancelled: "cancelled", "abgesagt";
        Expired: "expired", "verfallen";
        Faulted: "faulted", "Serverfehler";
        Starting: "starting", "beginnt";
    }
    Visibility {
        Unspecified: "unknown", "unbekannt";
        Public: "public", "öffentlich";
        Private: "private", "privat";
    }
    EndReason {
        Unspecified: "The table is over.", "Der Tisch ist zu Ende.";
        PlayedOut: "The game was played to its end.", "Das Spiel ist zu Ende gespielt.";
        Cancelled: "The table was cancelled; nobody scores.", "Der Tisch wurde abgesagt; niemand punktet.";
        Expired: "The table did not fill in time; nobody scores.",
            "Der Tisch wurde nicht rechtzeitig voll; niemand punktet.";
        ServerFault: "A fault of the server ended the table; nobody scores.",
            "Ein Fehler des Servers hat den Tisch beendet; niemand punktet.";
    }
    SeatFinish {
        Unspecified: "unknown", "unbekannt";
        PlayedOut: "played to the end", "zu Ende gespielt";
        TimedOut: "ran out of time", "Zeit überschritten";
        Resigned: "resigned", "aufgegeben";
        Disconnected: "was away for too long", "zu lange nicht verbunden";
        SetAside: "was set aside", "ausgesetzt";
    }
    DecidedBy {
        Unspecified: "unknown", "unbekannt";
        Player: "the player", "Spieler";
        Clock: "the clock", "Uhr";
        Forfeit: "the house, after the forfeit", "das Haus, nach der Aufgabe";
        HouseBot: "a house bot", "Hausbot";
    }
    AnswerStatus {
        Unspecified: "unknown", "unbekannt";
        Accepted: "accepted", "angenommen";
        Repeated: "already accepted", "schon angenommen";
        Conflict: "decided otherwise before", "schon anders entschieden";
        Refused: "refused", "abgelehnt";
    }
    ZoneKind {
        Unspecified: "unknown", "unbekannt";
        Hand: "hand", "Hand";
        Hidden: "hidden cards", "versteckte Karten";
        Collected: "collected cards", "gesammelte Karten";
        Stock: "face-down cards", "verdeckte Karten";
        Pile: "pile", "Stapel";
        Row: "row", "Reihe";
        Grid: "grid", "Raster";
        Discard: "discarded cards", "abgelegte Karten";
    }
    ShufflePurpose {
        Unspecified: "unknown", "unbekannt";
        Deal: "deal", "Austeilen";
        Rebuild: "new draw pile", "neuer Nachziehstapel";
    }
    AgentState {
        Unspecified: "unknown", "unbekannt";
        Here: "here", "da";
        Gone: "gone", "weg";
        SetAside: "set aside", "ausgesetzt";
    }
    SeatedBy {
        Unspecified: "unknown", "unbekannt";
        Anyone: "anyone", "alle";
        Owner: "its owner", "wem er gehört";
        Tournaments: "tournaments", "Turniere";
    }
    SetAsideReason {
        Unspecified: "unknown", "unbekannt";
        TimedOut: "its clock expired repeatedly", "seine Uhr lief immer wieder ab";
        BrokeOff: "it disconnected repeatedly", "er brach immer wieder ab";
        BrokeRules: "it broke the rules repeatedly", "er brach immer wieder die Regeln";
        TooSlow: "it read too slowly repeatedly", "er las immer wieder zu langsam";
    }
    TournamentState {
        Unspecified: "unknown", "unbekannt";
        Created: "not started", "nicht begonnen";
        Running: "running", "läuft";
        Paused: "paused", "angehalten";
        Finished: "finished", "beendet";
        Cancelled: "cancelled", "abgesagt";
        Starting: "starting", "beginnt";
    }
    Deals {
        Unspecified: "unknown", "unbekannt";
        Duplicate: "each deal once for each rotation of the seats", "jede Austeilung einmal je Sitzordnung";
        Independent: "a deal of its own for each table", "eine eigene Austeilung für jeden Tisch";
    }
    SequentialDecision {
        Unspecified: "undecided", "noch offen";
        Lower: "the lower hypothesis is accepted", "die untere Hypothese ist angenommen";
        Upper: "the upper hypothesis is accepted", "die obere Hypothese ist angenommen";
    }
    ErrorReason {
        Unspecified: "This failed for an unknown reason.", "Das ging aus einem unbekannten Grund nicht.";
        InvalidField: "A field of the request has a value that it cannot have.",
            "Ein Feld der Anfrage hat einen Wert, den es nicht haben kann.";
        Protocol: "This came out of order: open the channel first, then answer on it.",
            "Das kam außer der Reihe: Öffne erst den Kanal, dann antworte darauf.";
        CredentialsMissing: "This needs an API key or a token.", "Dafür braucht es einen API-Schlüssel oder ein Token.";
        KeyInvalid: "The server does not know this API key.", "Diesen API-Schlüssel kennt der Server nicht.";
        TokenInvalid: "This token is not of this server, or it is damaged.",
            "Dieses Token ist nicht von diesem Server, oder es ist beschädigt.";
        TokenExpired: "This token is no longer valid: there is a newer one, or the house has the seat.",
            "Dieses Token gilt nicht mehr: Es gibt ein neueres, oder das Haus hat den Sitz.";
        ScopeMissing: "The API key is not allowed to do this.", "Dem API-Schlüssel fehlt das Recht dazu.";
        NotOwner: "Only the owner of the table may do this.", "Das darf nur, wem der Tisch gehört.";
        GameNotFound: "There is no such game here.", "Dieses Spiel gibt es hier nicht.";
        TableNotFound: "There is no such table, or it is private.", "Diesen Tisch gibt es nicht, oder er ist privat.";
        SeatNotFound: "The table has no such seat.", "Diesen Sitz gibt es an diesem Tisch nicht.";
        HouseBotNotFound: "The house has no bot of this name.", "Einen Bot dieses Namens hat das Haus nicht.";
        DecisionNotFound: "You have not been asked this yet: answer the open question.",
            "Danach wurdest du noch nicht gefragt: Antworte auf die offene Frage.";
        RequestIdReused: "This request id was used before, for another request.",
            "Diese Kennung wurde schon für eine andere Anfrage benutzt.";
        NoSeatFree: "No seat of this table is free for you.", "An diesem Tisch ist kein Sitz für dich frei.";
        SeatTaken: "This seat is taken.", "Dieser Sitz ist vergeben.";
        TableNotStarted: "The game has not begun yet.", "Das Spiel hat noch nicht begonnen.";
        TableStarted: "The game has begun already.", "Das Spiel hat schon begonnen.";
        TableOver: "The table is over.", "Der Tisch ist beendet.";
        TableNotOver: "The table is still being played.", "Am Tisch wird noch gespielt.";
        IllegalAction: "This is not a legal move.", "Das ist keiner der erlaubten Züge.";
        DecidedOtherwise: "This was decided otherwise before.", "Das wurde schon anders entschieden.";
        CursorTooOld: "The server no longer has what followed this number.",
            "Was auf diese Nummer folgte, hat der Server nicht mehr.";
        CursorAhead: "The server has lost what you have seen: tell whoever runs it.",
            "Der Server hat verloren, was du schon gesehen hast: Sag es denen, die ihn betreiben.";
        TableDamaged: "The stored data of the table is damaged; it is not continued.",
            "Was vom Tisch gespeichert ist, ist beschädigt; er wird nicht weitergespielt.";
        RateLimited: "This was too much at once: try again in a moment.",
            "Das war zu viel auf einmal: Versuch es gleich noch einmal.";
        TooManyTables: "This API key may not hold more open tables.",
            "Mehr Tische darf dieser API-Schlüssel nicht offen haben.";
        TooManyStreams: "No more connections may be open at a time.",
            "Mehr Verbindungen dürfen nicht zugleich offen sein.";
        MessageTooLarge: "The message is larger than the server takes.",
            "Die Nachricht ist größer, als der Server sie annimmt.";
        TooSlow: "You read more slowly than the table was played: connect again, nothing is lost.",
            "Du hast langsamer gelesen, als gespielt wurde: Verbinde dich neu, es ist nichts verloren.";
        StoreUnavailable: "The server cannot store anything now: try again in a moment.",
            "Der Server kann gerade nichts speichern: Versuch es gleich noch einmal.";
        ServerStopping: "The server is stopping or starting: come back in a moment.",
            "Der Server hält gerade an oder startet: Komm gleich wieder.";
        ServerFault: "A fault of the server: tell whoever runs it; nothing is scored.",
            "Ein Fehler des Servers: Sag es denen, die ihn betreiben; gewertet wird nichts.";
        SeatVacant: "Nobody has this seat yet.", "Auf diesem Sitz sitzt noch niemand.";
        AgentNotFound: "The server knows no agent of this name.", "Einen Agenten dieses Namens kennt der Server nicht.";
        AgentUnavailable: "This agent takes no seat in this game now.",
            "Dieser Agent nimmt gerade keinen Sitz in diesem Spiel.";
        AgentNameTaken: "This name belongs to somebody else: choose another one.",
            "Dieser Name gehört jemand anderem: Nimm einen anderen.";
        AgentReplaced: "The agent has connected anew under this name.",
            "Unter diesem Namen hat sich der Agent neu verbunden.";
        TournamentNotFound: "There is no such tournament, or it is private.",
            "Dieses Turnier gibt es nicht, oder es ist privat.";
        TournamentState: "The tournament is not in a state in which this can be done.",
            "Das geht im jetzigen Stand des Turniers nicht.";
        EntrantNotFound: "The tournament has no such entrant.", "So jemand nimmt an diesem Turnier nicht teil.";
        GroupNotFound: "The tournament has no such deal.", "Diese Austeilung gibt es in diesem Turnier nicht.";
        DealNotOver: "This deal is still being played: it is shown afterwards.",
            "Diese Austeilung wird noch gespielt: Zu sehen ist sie erst danach.";
        EntropyMismatch: "This is not the entropy that was committed to.",
            "Auf diese Entropie hat sich niemand festgelegt.";
        InviteNotFound: "The table has no invite of that number.",
            "Der Tisch hat keine Einladung mit dieser Nummer.";
        InviteRevoked: "This invite was withdrawn: ask for a new one.",
            "Diese Einladung wurde zurückgezogen: Bitte um eine neue.";
        InviteExpired: "This invite has expired: ask for a new one.",
            "Diese Einladung ist abgelaufen: Bitte um eine neue.";
        InviteSpent: "This invite was used up: ask for a new one.",
            "Diese Einladung ist verbraucht: Bitte um eine neue.";
        TooManyInvites: "The table has as many invites as it may have: make a new table.",
            "Der Tisch hat so viele Einladungen, wie er haben darf: Mach einen neuen Tisch.";
    }
}
