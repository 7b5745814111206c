//! German texts of error reasons, shown to players. The English text is that of the error.

use parlor_proto::v1::ErrorReason;

/// One German sentence for a reason.
pub(crate) const fn german_text(reason: ErrorReason) -> &'static str {
    use ErrorReason as Reason;
    match reason {
        Reason::Unspecified => "Das ging aus einem unbekannten Grund nicht.",
        Reason::InvalidField => "Ein Feld der Nachricht hat einen Wert, den es nicht haben kann.",
        Reason::Protocol => "Das kam außer der Reihe: Öffne erst den Kanal, dann antworte darauf.",
        Reason::CredentialsMissing => "Dafür braucht es einen API-Schlüssel oder ein Token.",
        Reason::KeyInvalid => "Diesen API-Schlüssel kennt der Server nicht.",
        Reason::TokenInvalid => "Dieses Token ist nicht von diesem Server, oder es ist beschädigt.",
        Reason::TokenExpired => {
            "Dieses Token gilt nicht mehr: Es gibt ein neueres, oder das Haus hat den Sitz."
        }
        Reason::ScopeMissing => "Dem API-Schlüssel fehlt das Recht dazu.",
        Reason::NotOwner => "Das darf nur, wem der Tisch gehört.",
        Reason::GameNotFound => "Dieses Spiel gibt es hier nicht.",
        Reason::TableNotFound => "Diesen Tisch gibt es nicht, oder er ist privat.",
        Reason::SeatNotFound => "Diesen Sitz gibt es an diesem Tisch nicht.",
        Reason::HouseBotNotFound => "Einen Bot dieses Namens hat das Haus nicht.",
        Reason::DecisionNotFound => "Danach wurdest du noch nicht gefragt: Antworte auf die offene Frage.",
        Reason::RequestIdReused => "Diese Kennung wurde schon für eine andere Anfrage benutzt.",
        Reason::NoSeatFree => "An diesem Tisch ist kein Sitz für dich frei.",
        Reason::SeatTaken => "Dieser Sitz ist vergeben.",
        Reason::TableNotStarted => "Das Spiel hat noch nicht begonnen.",
        Reason::TableStarted => "Das Spiel hat schon begonnen.",
        Reason::TableOver => "Der Tisch ist beendet.",
        Reason::TableNotOver => "Am Tisch wird noch gespielt.",
        Reason::IllegalAction => "Das ist keiner der erlaubten Züge.",
        Reason::DecidedOtherwise => "Das wurde schon anders entschieden.",
        Reason::CursorTooOld => "Was auf diese Nummer folgte, hat der Server nicht mehr.",
        Reason::CursorAhead => {
            "Der Server hat verloren, was du schon gesehen hast: Sag es denen, die ihn betreiben."
        }
        Reason::TableDamaged => {
            "Was vom Tisch gespeichert ist, ist beschädigt; er wird nicht weitergespielt."
        }
        Reason::RateLimited => "Das war zu viel auf einmal: Versuch es gleich noch einmal.",
        Reason::TooManyTables => "Mehr Tische darf dieser API-Schlüssel nicht offen haben.",
        Reason::TooManyStreams => "Mehr Verbindungen dürfen nicht zugleich offen sein.",
        Reason::MessageTooLarge => "Die Nachricht ist größer, als der Server sie annimmt.",
        Reason::TooSlow => {
            "Du hast langsamer gelesen, als gespielt wurde: Verbinde dich neu, es ist nichts verloren."
        }
        Reason::StoreUnavailable => "Der Server kann gerade nichts speichern: Versuch es gleich noch einmal.",
        Reason::ServerStopping => "Der Server hält gerade an: Komm gleich wieder.",
        Reason::ServerFault => {
            "Ein Fehler des Servers: Sag es denen, die ihn betreiben; gewertet wird nichts."
        }
        Reason::SeatVacant => "Auf diesem Sitz sitzt noch niemand.",
        Reason::AgentNotFound => "Einen Agenten dieses Namens kennt der Server nicht.",
        Reason::AgentUnavailable => "Dieser Agent nimmt gerade keinen Platz an diesem Spiel.",
        Reason::AgentNameTaken => "Dieser Name gehört jemand anderem: Nimm einen anderen.",
        Reason::AgentReplaced => "Unter diesem Namen hat sich der Agent neu verbunden.",
        Reason::TournamentNotFound => "Dieses Turnier gibt es nicht, oder es ist privat.",
        Reason::TournamentState => "Das geht im jetzigen Stand des Turniers nicht.",
        Reason::EntrantNotFound => "So jemand nimmt an diesem Turnier nicht teil.",
        Reason::GroupNotFound => "Diese Austeilung gibt es in diesem Turnier nicht.",
        Reason::DealNotOver => "Diese Austeilung wird noch gespielt: Zu sehen ist sie erst danach.",
    }
}
