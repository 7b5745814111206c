//! Queries on a log: listings, feeds and the start-up state.

use bytes::Bytes;

use super::append::limits;
use super::{Listing, LogKind, Millis, OwnerId, TableId};

/// Place of a table: where its log is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In play: in the journal, shared with all tables in play.
    InPlay,
    /// At rest: in a row of its own.
    AtRest {
        /// Time at which its clock wakes it, if one runs.
        wakes_at: Option<Millis>,
    },
    /// Finished: the log is immutable.
    Finished,
}

/// A table in a listing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRow {
    /// The table.
    pub id: TableId,
    /// Its listing.
    pub listing: Listing,
    /// Time of its first entry.
    pub created: Millis,
    /// Time of the last change of listing or place. Entries alone do not count.
    pub updated: Millis,
    /// Its place.
    pub place: Place,
}

/// Filter of tables. `None` matches everything.
///
/// A filter by tag uses an index of that tag; a filter by tag and not finished uses an index of the
/// unfinished tables alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LogFilter {
    /// The kind. Other kinds never match.
    pub kind: LogKind,
    /// Tables with this tag.
    pub tag: Option<String>,
    /// Finished tables, or unfinished ones.
    pub finished: Option<bool>,
    /// Tables whose id was made at this time or later.
    pub since: Option<Millis>,
    /// Tables whose id was made before this time.
    pub before: Option<Millis>,
    /// Tables of this owner.
    pub owner: Option<OwnerId>,
    /// Tables of this game.
    pub game: Option<String>,
    /// Tables in this state.
    pub state: Option<u8>,
    /// Tables of this visibility.
    pub visibility: Option<u8>,
}

impl LogFilter {
    /// Reports whether a table passes the filter.
    #[must_use]
    pub fn passes(&self, row: &TableRow) -> bool {
        let listing = &row.listing;
        self.kind == listing.kind
            && self.tag.as_ref().is_none_or(|tag| listing.tags.contains(tag))
            && self.finished.is_none_or(|finished| finished == (row.place == Place::Finished))
            && self.since.is_none_or(|since| since.0 <= row.id.created_ms())
            && self.before.is_none_or(|before| row.id.created_ms() < before.0)
            && self.owner.as_ref().is_none_or(|owner| *owner == listing.owner)
            && self.game.as_ref().is_none_or(|game| *game == listing.game)
            && self.state.is_none_or(|state| state == listing.state)
            && self.visibility.is_none_or(|visibility| visibility == listing.visibility)
    }
}

/// A page of a listing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageRequest {
    /// Last table of the previous page; `None` for the first page.
    pub after: Option<TableId>,
    /// Tables on the page; clamped to 1..=[`limits::MAX_PAGE_SIZE`].
    pub size: u32,
}

impl PageRequest {
    pub(super) fn bounded_size(self) -> usize {
        self.size.clamp(1, limits::MAX_PAGE_SIZE) as usize
    }
}

/// One page of tables. It may be short, even empty, and have a next one: the rows that are scanned for a page are
/// bounded by [`limits::MAX_SCANNED_ROWS`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TablePage {
    /// The tables, newest first.
    pub tables: Vec<TableRow>,
    /// Cursor of the next page; `None` after the last one.
    pub next: Option<TableId>,
}

/// One item of an owner's feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedItem {
    /// Number: 1, 2, 3, ... per owner, without gaps.
    pub number: u64,
    /// Time of posting.
    pub at: Millis,
    /// The encoded item.
    pub payload: Bytes,
}

/// State that a server loads when it starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StartupState {
    /// Tables in play. Other kinds are not included.
    pub in_play: Vec<TableId>,
    /// Tables at rest that their clock will wake, earliest first. Other kinds are not included.
    pub waking: Vec<(Millis, TableId)>,
    /// Tournaments in play, or at rest with a wake-up time; oldest first.
    pub tournaments: Vec<TableId>,
}

/// Counts of what retention removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RetentionCounts {
    /// Finished tables and tournaments.
    pub tables: u64,
    /// Feed items.
    pub feed_items: u64,
}
