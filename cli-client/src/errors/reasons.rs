//! Exit code, German sentence and hint for every SDK error reason.

use parlor_engine::Text;
use parlor_sdk::Reason;

use crate::exit::Exit;

/// Presentation of an error reason. The English sentence comes from the server.
pub(super) struct ReasonInfo {
    pub(super) exit: Exit,
    pub(super) de: &'static str,
    /// Append the server's detail to the German sentence.
    pub(super) needs_detail: bool,
    /// Command or flag to try next.
    pub(super) hint: Option<Text>,
}

const fn new(exit: Exit, de: &'static str) -> ReasonInfo {
    ReasonInfo { exit, de, needs_detail: false, hint: None }
}

impl ReasonInfo {
    const fn detailed(self) -> ReasonInfo {
        ReasonInfo { needs_detail: true, ..self }
    }

    const fn hint(self, en: &'static str, de: &'static str) -> ReasonInfo {
        ReasonInfo { hint: Some(Text { en, de }), ..self }
    }
}

/// Presentation of a reason known to this version.
const fn known_reason_info(reason: Reason) -> Option<ReasonInfo> {
    Some(match reason {
        Reason::InvalidField => new(Exit::Usage, "Eine Angabe ist falsch"),
        Reason::Protocol => {
            new(Exit::Failure, "Server und Client verstehen sich nicht: Aktualisiere parlor").detailed()
        }
        Reason::CredentialsMissing => {
            new(Exit::NotAllowed, "Dafür braucht es einen API-Schlüssel oder ein Token").hint(
                "give one with --api-key-file or PARLOR_CLI_API_KEY",
                "gib ihn mit --api-key-file oder PARLOR_CLI_API_KEY an",
            )
        }
        Reason::KeyInvalid => new(Exit::NotAllowed, "Der Server kennt diesen API-Schlüssel nicht").hint(
            "check --api-key, --api-key-file, PARLOR_CLI_API_KEY and the settings file",
            "prüfe --api-key, --api-key-file, PARLOR_CLI_API_KEY und die Einstellungsdatei",
        ),
        Reason::TokenInvalid => new(
            Exit::NotAllowed,
            "Dieses Token ist nicht von diesem Server oder beschädigt: Gib es so an, wie es ausgegeben wurde",
        ),
        Reason::TokenExpired => new(
            Exit::NotAllowed,
            "Dieses Token gilt nicht mehr: Frag den Eigentümer des Tischs nach einem neuen",
        ),
        Reason::ScopeMissing => {
            new(Exit::NotAllowed, "Der API-Schlüssel darf das nicht: Nimm einen, der es darf")
        }
        Reason::NotOwner => new(
            Exit::NotAllowed,
            "Das darf nur der Eigentümer des Tischs: Nimm den API-Schlüssel, mit dem er gemacht wurde",
        ),
        Reason::GameNotFound => new(Exit::NotFound, "Dieses Spiel gibt es hier nicht")
            .hint("parlor games lists the games", "parlor games listet die Spiele"),
        Reason::TableNotFound => new(
            Exit::NotFound,
            "Diesen Tisch gibt es nicht, oder er ist privat und du darfst ihn nicht sehen",
        )
        .hint("parlor tables lists the tables", "parlor tables listet die Tische"),
        Reason::SeatNotFound => new(Exit::NotFound, "Diesen Sitz gibt es nicht: Sitze zählen ab 0")
            .hint("parlor show TABLE lists its seats", "parlor show TISCH listet die Sitze"),
        Reason::HouseBotNotFound => new(Exit::NotFound, "Diesen Hausbot gibt es nicht")
            .hint("parlor bots lists the bots", "parlor bots listet die Bots"),
        Reason::DecisionNotFound => new(Exit::NotFound, "Der Sitz wurde das nicht gefragt").detailed(),
        Reason::RequestIdReused => new(
            Exit::Refused,
            "Diese Anfrage-Id gehört zu einer anderen Anfrage: Nimm für jede Anfrage eine neue",
        ),
        Reason::NoSeatFree => new(Exit::Refused, "An diesem Tisch ist kein Sitz für dich frei").hint(
            "parlor tables --open-seat lists tables with a free seat",
            "parlor tables --open-seat listet Tische mit freiem Sitz",
        ),
        Reason::SeatTaken => new(Exit::Refused, "Dieser Sitz ist besetzt")
            .hint("choose another seat, or omit --seat", "nimm einen anderen oder keinen bestimmten"),
        Reason::SeatVacant => new(Exit::Refused, "Diesen Sitz hat noch niemand"),
        Reason::TableNotStarted => {
            new(Exit::Refused, "Das Spiel hat noch nicht begonnen: Warte, bis alle Sitze besetzt sind")
        }
        Reason::TableStarted => new(Exit::Refused, "Das Spiel hat schon begonnen").hint(
            "parlor watch TABLE shows it live, parlor tables --open-seat lists tables with a free seat",
            "parlor watch TISCH sieht zu, parlor tables --open-seat listet Tische mit freiem Sitz",
        ),
        Reason::TableOver => new(Exit::Refused, "Der Tisch ist zu Ende").hint(
            "parlor show TABLE has the result, parlor replay TABLE the game",
            "parlor show TISCH zeigt das Ergebnis, parlor replay TISCH das Spiel",
        ),
        Reason::TableNotOver => {
            new(Exit::Refused, "Am Tisch wird noch gespielt: Warte auf das Ende, oder sag ihn ab")
        }
        Reason::IllegalAction => new(Exit::Refused, "Der Zug ist gegen die Regeln").detailed(),
        Reason::DecidedOtherwise => {
            new(Exit::Refused, "Das ist schon anders entschieden: von einem anderen Client oder der Uhr")
        }
        Reason::CursorTooOld => new(Exit::Refused, "Der Server hat den Anfang nicht mehr").detailed(),
        Reason::CursorAhead => {
            new(Exit::Failure, "Der Server hat Daten verloren: Sag es denen, die ihn betreiben").detailed()
        }
        Reason::TableDamaged => new(
            Exit::Failure,
            "Die Daten dieses Tischs sind beschädigt: Sag es denen, die den Server betreiben",
        ),
        Reason::RateLimited => {
            new(Exit::Unavailable, "Zu viele Anfragen auf einmal: Versuch es gleich noch einmal")
        }
        Reason::TooManyTables => {
            new(Exit::Refused, "Mehr Tische darf dieser API-Schlüssel nicht offen haben").hint(
                "parlor tables --mine lists them, parlor cancel TABLE ends one",
                "parlor tables --mine listet sie, parlor cancel TISCH beendet einen",
            )
        }
        Reason::TooManyStreams => {
            new(Exit::Unavailable, "Zu viele Verbindungen: Schließ andere Clients, oder warte")
        }
        Reason::MessageTooLarge => new(Exit::Failure, "Die Nachricht ist zu groß").detailed(),
        Reason::TooSlow => new(Exit::Unavailable, "Zu langsam gelesen und getrennt: Versuch es noch einmal"),
        Reason::StoreUnavailable => new(
            Exit::Unavailable,
            "Der Server kann gerade nichts speichern: Versuch es in einer Weile noch einmal",
        ),
        Reason::ServerStopping => {
            new(Exit::Unavailable, "Der Server hält an oder startet: Versuch es gleich noch einmal")
        }
        Reason::ServerFault => {
            new(Exit::Failure, "Ein Fehler des Servers: Sag es denen, die ihn betreiben").detailed()
        }
        Reason::AgentNotFound => new(Exit::NotFound, "Diesen Agenten gibt es nicht")
            .hint("parlor agents lists the agents", "parlor agents listet die Agenten"),
        Reason::AgentUnavailable => {
            new(Exit::Refused, "Dieser Agent nimmt gerade keinen Platz").detailed().hint(
                "parlor agents shows which agents are connected and have free capacity",
                "parlor agents sagt, wer da ist und Platz hat",
            )
        }
        Reason::AgentNameTaken => new(
            Exit::NotAllowed,
            "Dieser Name gehört jemand anderem: Nimm einen anderen, oder den Schlüssel von damals",
        ),
        Reason::AgentReplaced => {
            new(Exit::Refused, "Unter diesem Namen hat sich ein anderes Programm verbunden")
        }
        Reason::TournamentNotFound => {
            new(Exit::NotFound, "Dieses Turnier gibt es nicht, oder du darfst es nicht sehen")
                .hint("parlor tournament list lists them", "parlor tournament list listet sie")
        }
        Reason::TournamentState => new(Exit::Refused, "Das geht im jetzigen Stand des Turniers nicht").detailed(),
        Reason::EntrantNotFound => {
            new(Exit::NotFound, "So jemand nimmt nicht teil: Teilnehmer zählen ab 0").detailed()
        }
        Reason::GroupNotFound => new(Exit::NotFound, "Diese Austeilung gibt es nicht").detailed(),
        Reason::DealNotOver => new(
            Exit::Refused,
            "Diese Austeilung wird noch gespielt: Zu sehen ist sie erst, wenn alle ihre Tische zu Ende sind",
        ),
        Reason::EntropyMismatch => {
            new(Exit::Refused, "Aufgedeckt wurde nicht, worauf sich der Sitz oder der Veranstalter festgelegt hat")
        }
        Reason::InviteNotFound => new(Exit::NotFound, "Der Tisch hat keine Einladung mit dieser Nummer").hint(
            "parlor invite TABLE --list lists the invites",
            "parlor invite TISCH --list listet die Einladungen",
        ),
        Reason::InviteRevoked => {
            new(Exit::Refused, "Diese Einladung wurde zurückgezogen: Bitte um eine neue")
        }
        Reason::InviteExpired => new(Exit::Refused, "Diese Einladung ist abgelaufen: Bitte um eine neue"),
        Reason::InviteSpent => new(Exit::Refused, "Diese Einladung ist verbraucht: Bitte um eine neue"),
        Reason::TooManyInvites => {
            new(Exit::Refused, "Der Tisch hat so viele Einladungen, wie er haben darf: Mach einen neuen Tisch")
        }
        Reason::CommitmentChanged => {
            new(Exit::Failure, "Der Server zeigt andere Festlegungen als vorher: Trau ihm nicht").detailed()
        }
        Reason::Unreachable => new(Exit::Unavailable, "Der Server ist nicht zu erreichen").detailed().hint(
            "--server or PARLOR_CLI_SERVER names another one",
            "--server oder PARLOR_CLI_SERVER nennt einen anderen",
        ),
        Reason::DeadlineExceeded => {
            new(Exit::Unavailable, "Der Server antwortet nicht: Versuch es noch einmal").detailed()
        }
        Reason::Closed => new(Exit::Failure, "Die Verbindung ist geschlossen: Starte parlor neu").detailed(),
        Reason::TooManyAnswers => new(Exit::Failure, "Zu viele Antworten auf einmal").detailed(),
        Reason::Settings => new(Exit::Usage, "So lässt sich keine Verbindung aufbauen").detailed(),
        Reason::UnknownReply => {
            new(Exit::Failure, "Der Server sagt etwas, das dieses parlor nicht kennt: Aktualisiere es")
                .detailed()
        }
        Reason::Forbidden => new(
            Exit::NotAllowed,
            "Der Server oder etwas auf dem Weg zu ihm erlaubt das nicht: Prüfe den API-Schlüssel",
        )
        .detailed(),
        Reason::Unsupported => new(
            Exit::Failure,
            "Der Server kennt diesen Aufruf nicht: Prüfe, ob die Adresse die eines aktuellen Parlor-Servers ist",
        )
        .hint(
            "check that --server names a Parlor server as new as this program",
            "--server oder PARLOR_CLI_SERVER nennt einen anderen",
        ),
        Reason::Bot => new(Exit::Failure, "Der Bot hat versagt").detailed(),
        Reason::Other => new(Exit::Failure, "Es ist etwas schiefgegangen").detailed(),
        // Reasons of a later SDK.
        _ => return None,
    })
}

/// Presentation of any reason.
pub(super) fn reason_info(reason: Reason) -> ReasonInfo {
    known_reason_info(reason).unwrap_or_else(|| new(Exit::Failure, "Es ist etwas schiefgegangen").detailed())
}

/// Machine-readable name: the wire name, such as `TABLE_NOT_FOUND`, or the SDK's in the same style.
pub(super) fn reason_name(reason: Reason) -> String {
    match reason.to_wire() {
        Some(reason) => reason.as_str_name().trim_start_matches("ERROR_REASON_").to_owned(),
        None => screaming_snake_case(&format!("{reason:?}")),
    }
}

/// Converts `DeadlineExceeded` to `DEADLINE_EXCEEDED`.
fn screaming_snake_case(name: &str) -> String {
    let mut capitals = String::new();
    for (place, c) in name.char_indices() {
        if c.is_uppercase() && place > 0 {
            capitals.push('_');
        }
        capitals.extend(c.to_uppercase());
    }
    capitals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_german_sentence_and_an_exit_code() {
        for reason in Reason::ALL {
            assert!(known_reason_info(*reason).is_some(), "{reason:?} has no sentence of its own");
        }
    }

    #[test]
    fn reasons_have_machine_readable_names() {
        assert_eq!(reason_name(Reason::TableNotFound), "TABLE_NOT_FOUND");
        assert_eq!(reason_name(Reason::DeadlineExceeded), "DEADLINE_EXCEEDED");
        assert_eq!(reason_name(Reason::Unreachable), "UNREACHABLE");
    }
}
