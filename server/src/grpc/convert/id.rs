//! Ids of tables and tournaments.

use parlor_host::{TableId, TournamentId};
use parlor_proto::convert::InvalidField;
use parlor_store::InvalidTableId;

/// Parses a table id.
pub(super) fn table_id(text: &str, field: &str) -> Result<TableId, InvalidField> {
    text.parse().map_err(|error: InvalidTableId| InvalidField::at(field, error.to_string()))
}

/// Parses a tournament id. It has the form of a table id, and its error text.
pub(super) fn tournament_id(text: &str, field: &str) -> Result<TournamentId, InvalidField> {
    text.parse().map_err(|_| InvalidField::at(field, InvalidTableId.to_string()))
}
