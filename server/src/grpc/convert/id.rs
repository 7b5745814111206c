//! The ids of tables, as text.

use parlor_proto::convert::InvalidField;

use parlor_host::TableId;
use parlor_store::InvalidTableId;

/// The id of a table.
pub(super) fn table_id(text: &str, field: &str) -> Result<TableId, InvalidField> {
    text.parse().map_err(|error: InvalidTableId| InvalidField::at(field, error.to_string()))
}
