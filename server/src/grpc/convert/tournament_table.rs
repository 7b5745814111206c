//! Rows of ListTournamentTables, and their page tokens.

use parlor_host::tournaments::TournamentTableRow;
use parlor_proto::convert::InvalidField;
use parlor_proto::v1;
use parlor_tournament::plan::TableKey;

use super::ToMessage;
use super::list::invalid_page_token;

/// The message of a row.
pub(crate) fn tournament_table(row: TournamentTableRow) -> v1::TournamentTable {
    let TournamentTableRow { place, table, entrants, round, played, void_reason, is_deal_over, counts } = row;
    let results = played.as_ref().map(|played| played.seats.iter().map(ToMessage::to_message).collect());
    v1::TournamentTable {
        group: place.group,
        rotation: place.rotation.into(),
        table_id: table.to_string(),
        entrants: entrants.iter().map(|entrant| entrant.0.into()).collect(),
        round,
        over: played.is_some(),
        has_record: is_deal_over && played.is_some(),
        counts,
        results: results.unwrap_or_default(),
        void_reason,
    }
}

/// The page token for the page after a table.
pub(crate) fn table_cursor(last: TableKey) -> String {
    format!("{}.{}", last.group, last.rotation)
}

/// The last table of the previous page; `None` for the first page.
pub fn parse_table_cursor(token: &str) -> Result<Option<TableKey>, InvalidField> {
    if token.is_empty() {
        return Ok(None);
    }
    let key = token.split_once('.').and_then(|(group, rotation)| {
        Some(TableKey { group: group.parse().ok()?, rotation: rotation.parse().ok()? })
    });
    key.map(Some).ok_or_else(invalid_page_token)
}
