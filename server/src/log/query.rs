//! What can be learned from a log beside the entries: listings, feeds, and where to begin after a start.

use bytes::Bytes;

use super::append::limits;
use super::{Kind, Listing, Millis, OwnerId, TableId};

/// Where a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In play: in the journal with all others in play.
    InPlay,
    /// At rest, on its own.
    AtRest {
        /// When its clock wakes it, if one runs.
        wakes_at: Option<Millis>,
    },
    /// Finished: its log never changes again.
    Finished,
}

/// A table as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRow {
    /// The table.
    pub id: TableId,
    /// What it is listed by.
    pub listing: Listing,
    /// When its first entry was appended.
    pub created: Millis,
    /// When its listing or its place was last set. Entries alone do not count.
    pub updated: Millis,
    /// Where it is.
    pub place: Place,
}

/// Which tables are asked for. What is `None` is not looked at.
///
/// Those with a tag are found without looking at others; those with a tag that are not finished, without looking at
/// the finished ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// What they are. Those of the other kinds are never given.
    pub kind: Kind,
    /// Those with this tag.
    pub tag: Option<String>,
    /// Those that are finished, or those that are not.
    pub finished: Option<bool>,
    /// Those whose name says that they were made at this time or later.
    pub since: Option<Millis>,
    /// Those whose name says that they were made before this time.
    pub before: Option<Millis>,
    /// Those of this owner.
    pub owner: Option<OwnerId>,
    /// Those of this game.
    pub game: Option<String>,
    /// Those in this state.
    pub state: Option<u8>,
    /// Those of this visibility.
    pub visibility: Option<u8>,
}

impl Filter {
    /// Whether a table listed like this is asked for.
    #[must_use]
    pub fn passes(&self, row: &TableRow) -> bool {
        let listing = &row.listing;
        self.kind == listing.kind
            && self.tag.as_ref().is_none_or(|tag| listing.tags.contains(tag))
            && self.finished.is_none_or(|finished| finished == (row.place == Place::Finished))
            && self.since.is_none_or(|since| since.0 <= row.id.made())
            && self.before.is_none_or(|before| row.id.made() < before.0)
            && self.owner.as_ref().is_none_or(|owner| *owner == listing.owner)
            && self.game.as_ref().is_none_or(|game| *game == listing.game)
            && self.state.is_none_or(|state| state == listing.state)
            && self.visibility.is_none_or(|visibility| visibility == listing.visibility)
    }
}

/// Which page of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Where the page before ended; `None` for the first page.
    pub after: Option<TableId>,
    /// The most tables on the page: 1 to [`limits::PAGE`], whatever is said here.
    pub size: u32,
}

impl Page {
    pub(super) fn bounded_size(self) -> usize {
        self.size.clamp(1, limits::PAGE) as usize
    }
}

/// One page of tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    /// The tables, the newest first.
    pub tables: Vec<TableRow>,
    /// Where the next page goes on; `None` after the last one.
    pub next: Option<TableId>,
}

/// One item of an owner's feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedItem {
    /// Its number: 1, 2, 3, ... for each owner, without gaps.
    pub number: u64,
    /// When it was posted.
    pub at: Millis,
    /// What the owner is told.
    pub payload: Bytes,
}

/// What a server must know when it starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StartUp {
    /// The tables in play. Only tables.
    pub in_play: Vec<TableId>,
    /// The tables at rest that their clock will wake, the earliest first. Only tables.
    pub waking: Vec<(Millis, TableId)>,
    /// The tournaments that are in play, or at rest with a time to wake at; the oldest first.
    pub tournaments: Vec<TableId>,
}

/// What retention removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retained {
    /// How many finished tables, and tournaments.
    pub tables: u64,
    /// How many items of feeds.
    pub feed_items: u64,
}
