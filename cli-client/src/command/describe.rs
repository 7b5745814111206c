//! Tables as text: state, seats, result.

use std::time::{Duration, SystemTime};

use parlor_engine::{Lang, Text};
use parlor_sdk::wire::{self, table_seat::Occupant};

use crate::context::Context;
use crate::output::Columns;

/// The text in one language; empty if it is absent.
pub(crate) fn text(text: Option<&wire::Text>, lang: Lang) -> &str {
    text.map_or("", |text| match lang {
        Lang::En => &text.en,
        Lang::De => &text.de,
    })
}

pub(super) const fn bilingual(en: &'static str, de: &'static str) -> Text {
    Text { en, de }
}

/// Reason why a seat forfeited; empty if it did not.
fn forfeit_text(why: wire::SeatFinish, lang: Lang) -> String {
    parlor_cli::lang::forfeit_reason(why).map_or("", |why| why.get(lang)).to_owned()
}

/// Name of the final state of a table.
pub(super) fn end(result: Option<&wire::TableResult>) -> Text {
    let state = match result.map_or(wire::EndReason::Unspecified, wire::TableResult::reason) {
        wire::EndReason::PlayedOut => wire::TableState::Finished,
        wire::EndReason::Cancelled => wire::TableState::Cancelled,
        wire::EndReason::Expired => wire::TableState::Expired,
        wire::EndReason::ServerFault => wire::TableState::Faulted,
        wire::EndReason::Unspecified => wire::TableState::Unspecified,
    };
    state.text()
}

/// All seats of a record in one line, with their points.
pub(super) fn record_seats(record: &wire::RecordSummary, lang: Lang) -> String {
    use wire::record_seat::Occupant as Sat;
    let results = record.result.as_ref().map(|result| result.seats.as_slice()).unwrap_or_default();
    let seat = |seat: &wire::RecordSeat| {
        let who = match &seat.occupant {
            None => "-".to_owned(),
            Some(Sat::Player(player)) if player.display_name.is_empty() => {
                bilingual("a player", "ein Spieler").get(lang).to_owned()
            }
            Some(Sat::Player(player)) => player.display_name.clone(),
            Some(Sat::HouseBot(bot)) => format!("{} (bot)", bot.name),
            Some(Sat::Agent(agent)) => format!("{} {} (agent)", agent.name, agent.version),
        };
        match results.iter().find(|result| result.seat == seat.seat) {
            Some(result) => format!("{who} {}", result.points),
            None => who,
        }
    };
    record.seats.iter().map(seat).collect::<Vec<_>>().join(", ")
}

/// Display text of a seat's occupant.
pub(super) fn occupant(seat: &wire::TableSeat, lang: Lang) -> String {
    let named = |name: &str, unnamed: Text| {
        if name.is_empty() { unnamed.get(lang).to_owned() } else { name.to_owned() }
    };
    match &seat.occupant {
        None => String::new(),
        Some(Occupant::Open(_)) => bilingual("free", "frei").get(lang).to_owned(),
        Some(Occupant::HouseBot(bot)) => format!("{} (bot)", bot.name),
        Some(Occupant::Agent(agent)) => format!("{} {} (agent)", agent.name, agent.version),
        Some(Occupant::Reserved(kept)) => {
            let who = named(&kept.display_name, bilingual("a user", "jemanden"));
            format!("{} {who}", bilingual("reserved for", "für").get(lang))
        }
        Some(Occupant::Player(player)) => named(&player.display_name, bilingual("a player", "ein Spieler")),
    }
}

/// All occupants of a table in one line.
pub(super) fn occupants(table: &wire::Table, lang: Lang) -> String {
    table.seats.iter().map(|seat| occupant(seat, lang)).collect::<Vec<_>>().join(", ")
}

/// Formats a time as RFC 3339 in seconds, such as `2026-11-16T09:30:00Z`.
pub(super) fn format_timestamp(time: Option<SystemTime>) -> Option<String> {
    // RFC 3339 ends with the year 9999.
    let far = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_800);
    let time = time.filter(|time| (SystemTime::UNIX_EPOCH..far).contains(time))?;
    Some(humantime::format_rfc3339_seconds(time).to_string())
}

macro_rules! timestamp {
    ($time:expr) => {
        format_timestamp($time.clone().and_then(|time| SystemTime::try_from(time).ok())).unwrap_or_default()
    };
}

/// Tables as aligned columns.
pub(super) fn list(tables: &[wire::Table], context: &Context) -> Vec<String> {
    let lang = context.lang;
    let headings = match lang {
        Lang::En => ["table", "game", "state", "seats", "made"],
        Lang::De => ["Tisch", "Spiel", "Zustand", "Sitze", "gemacht"],
    };
    let mut columns = Columns::new(headings);
    for table in tables {
        columns.row([
            table.table_id.clone(),
            table.game.clone(),
            table.state().text().get(lang).to_owned(),
            occupants(table, lang),
            timestamp!(table.create_time),
        ]);
    }
    columns.lines()
}

/// All details of a table.
pub(super) fn table(table: &wire::Table, context: &Context) -> Vec<String> {
    let lang = context.lang;
    let mut facts = Columns::without_headings();
    let mut fact = |name: Text, value: String| {
        if !value.is_empty() {
            facts.row([name.get(lang).to_owned(), value]);
        }
    };
    fact(bilingual("Table", "Tisch"), table.table_id.clone());
    fact(bilingual("Game", "Spiel"), format!("{}{}", table.game, options(table)));
    let private = table.visibility() == wire::Visibility::Private;
    let visibility = if private { bilingual(", private", ", privat") } else { bilingual("", "") };
    fact(
        bilingual("State", "Zustand"),
        format!("{}{}", table.state().text().get(lang), visibility.get(lang)),
    );
    fact(bilingual("Clock", "Uhr"), clock(table.clock.as_ref(), lang));
    fact(bilingual("Made", "Gemacht"), timestamp!(table.create_time));
    fact(bilingual("Expires", "Verfällt"), timestamp!(table.expire_time));
    fact(bilingual("Started", "Begonnen"), timestamp!(table.start_time));
    fact(bilingual("Over", "Beendet"), timestamp!(table.end_time));
    let given = table.shuffle.as_ref().is_some_and(|shuffle| shuffle.seed_given);
    let shuffle = if given {
        bilingual("seed given, never rated", "Startwert vorgegeben, nie gewertet")
    } else {
        bilingual("", "")
    };
    fact(bilingual("Shuffle", "Mischen"), shuffle.get(lang).to_owned());
    fact(
        bilingual("Note", "Hinweis"),
        table.result.as_ref().map(|result| result.note.clone()).unwrap_or_default(),
    );
    for (key, value) in &table.metadata {
        fact(bilingual("Metadata", "Metadaten"), format!("{key}={value}"));
    }
    fact(bilingual("Rematch of", "Revanche von"), table.rematch_of.clone());
    fact(bilingual("Rematch", "Revanche"), table.rematch_table_id.clone());
    let mut lines = facts.lines();
    lines.push(String::new());
    lines.extend(seats(table, lang));
    lines
}

/// The options that are set, such as ` (target=30)`.
fn options(table: &wire::Table) -> String {
    let Some(options) = &table.options else { return String::new() };
    let json = crate::output::to_json(options);
    let game = json.as_object().and_then(|games| games.values().next());
    let fields = game.and_then(serde_json::Value::as_object).into_iter().flatten();
    let shown: Vec<String> = fields.map(|(name, value)| format!("{name}={value}")).collect();
    if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
}

fn clock(clock: Option<&wire::ClockSettings>, lang: Lang) -> String {
    let Some(clock) = clock else { return String::new() };
    let span =
        |ms: Option<u32>| humantime::format_duration(Duration::from_millis(ms.unwrap_or_default().into()));
    if clock.decision_ms.unwrap_or_default() == 0 {
        return bilingual("none", "keine").get(lang).to_owned();
    }
    let (decision, bank, grace) = (span(clock.decision_ms), span(clock.bank_ms), span(clock.grace_ms));
    match lang {
        Lang::En => format!("{decision} a decision, bank {bank}, grace {grace}"),
        Lang::De => format!("{decision} je Entscheidung, Vorrat {bank}, Frist bei Abwesenheit {grace}"),
    }
}

/// Seats as aligned columns, with their results.
fn seats(table: &wire::Table, lang: Lang) -> Vec<String> {
    let results = table.result.as_ref().map(|result| result.seats.as_slice()).unwrap_or_default();
    let mut columns = match (results.is_empty(), lang) {
        (true, Lang::En) => Columns::new(["seat", "who", ""]),
        (true, Lang::De) => Columns::new(["Sitz", "wer", ""]),
        (false, Lang::En) => Columns::new(["seat", "who", "place", "points", ""]),
        (false, Lang::De) => Columns::new(["Sitz", "wer", "Platz", "Punkte", ""]),
    };
    for seat in &table.seats {
        let number = seat.seat.to_string();
        let who = occupant(seat, lang);
        match results.iter().find(|result| result.seat == seat.seat) {
            None => columns.row([number, who, forfeit_text(seat.forfeited(), lang)]),
            Some(result) => columns.row([
                number,
                who,
                result.place.to_string(),
                result.points.to_string(),
                forfeit_text(result.finish(), lang),
            ]),
        }
    }
    columns.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_after_year_9999_are_omitted() {
        let at = |seconds| format_timestamp(Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)));
        assert_eq!(at(1_700_000_000).as_deref(), Some("2023-11-14T22:13:20Z"));
        assert_eq!(at(253_402_300_800), None);
        assert_eq!(format_timestamp(None), None);
    }
}
