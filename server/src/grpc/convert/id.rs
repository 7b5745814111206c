//! The ids of tables, as text.

use parlor_proto::convert::WrongField;

use parlor_host::TableId;
use parlor_store::InvalidTableId;

/// The id of a table.
pub(super) fn table_id(text: &str, field: &str) -> Result<TableId, WrongField> {
    text.parse().map_err(|error: InvalidTableId| WrongField::at(field, error.to_string()))
}
