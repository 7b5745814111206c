//! Tags of a row, and the numbers of the kinds.
//!
//! Tournaments and agents have an additional tag of their kind, which finds them among millions of tables.

use super::row::StoredRow;
use crate::LogKind;

/// Number of a kind in a row. The numbers never change.
pub(crate) fn kind_column(kind: LogKind) -> u8 {
    match kind {
        LogKind::Table => 0,
        LogKind::Tournament => 1,
        LogKind::Agent => 2,
    }
}

/// Kind of a number in a row; `None` for a number that no kind has.
pub(crate) fn kind_from_column(column: u8) -> Option<LogKind> {
    [LogKind::Table, LogKind::Tournament, LogKind::Agent]
        .into_iter()
        .find(|kind| kind_column(*kind) == column)
}

/// Tag that all logs of a kind have. No other tag starts with a dot.
pub(crate) fn kind_tag(kind: LogKind) -> Option<&'static str> {
    match kind {
        LogKind::Table => None,
        LogKind::Tournament => Some(".tournament"),
        LogKind::Agent => Some(".agent"),
    }
}

/// All tags of a row, with that of its kind.
pub(crate) fn all_tags(row: &StoredRow) -> impl Iterator<Item = &str> {
    let listing = &row.listing;
    listing.tags.iter().map(String::as_str).chain(kind_tag(listing.kind))
}
