//! The ids of tables, as text.

use parlor_proto::convert::InvalidField;

use parlor_host::{TableId, TournamentId};
use parlor_store::InvalidTableId;

/// The id of a table.
pub(super) fn table_id(text: &str, field: &str) -> Result<TableId, InvalidField> {
    text.parse().map_err(|error: InvalidTableId| InvalidField::at(field, error.to_string()))
}

/// Parses the id of a tournament. It has the form of a table id, and the error text of one.
pub(super) fn tournament_id(text: &str, field: &str) -> Result<TournamentId, InvalidField> {
    text.parse().map_err(|_| InvalidField::at(field, InvalidTableId.to_string()))
}
